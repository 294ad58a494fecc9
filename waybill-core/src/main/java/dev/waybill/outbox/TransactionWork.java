package dev.waybill.outbox;

import java.sql.Connection;

/** Something to do in a transaction. */
@FunctionalInterface
public interface TransactionWork {
  /** Does it. Whatever it throws rolls the transaction back. */
  void run(Connection connection) throws Exception;
}

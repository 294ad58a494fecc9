package dev.waybill.outbox;

import java.sql.Connection;
import java.util.List;

/** Something to do in a transaction, and the messages to send if it is committed. */
@FunctionalInterface
public interface MessageWork {
  /** Does it; an empty list sends nothing. Whatever it throws rolls the transaction back. */
  List<EnqueueMessage> run(Connection connection) throws Exception;
}

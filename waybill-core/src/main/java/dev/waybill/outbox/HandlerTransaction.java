package dev.waybill.outbox;

import java.sql.Connection;

/** The transaction in which a transactional handler runs and which moves the cursor. */
public interface HandlerTransaction {
  /**
   * The connection to write with, and to enqueue further messages with, or jobs, or to start
   * workflows: they are on their way right after the commit. Waybill ends the transaction: the
   * handler neither commits, rolls back nor closes.
   */
  Connection connection();
}

package dev.waybill.outbox;

/** Who handles the messages of a queue. */
public sealed interface QueueHandler {
  /**
   * One message after the other, in the transaction that moves the cursor.
   *
   * @param handler the user's
   */
  record Transactional(TransactionalHandler handler) implements QueueHandler {}

  /**
   * Several messages at once, in the transaction that moves the cursor.
   *
   * @param handler the user's
   */
  record BatchTransactional(BatchTransactionalHandler handler) implements QueueHandler {}

  /**
   * One message after the other, under a lease.
   *
   * @param handler the user's
   */
  record Leased(LeasedHandler handler) implements QueueHandler {}

  /**
   * A batch, under a lease.
   *
   * @param handler the user's
   */
  record BatchLeased(LeasedBatchHandler handler) implements QueueHandler {}

  /** Nobody in this process. */
  record ProduceOnly() implements QueueHandler {}
}

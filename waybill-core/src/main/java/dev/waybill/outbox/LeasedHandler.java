package dev.waybill.outbox;

/**
 * Handles one message under a lease, outside any transaction: at least once, so it must be
 * idempotent; queue, partition and {@link OutboxMessage#seq} make a good idempotency key.
 *
 * <p>Throwing is a retry. A handler that exceeds the lease's budget is interrupted, which is a
 * retry, too. One that wants to know its budget or its epoch is a {@link LeasedBatchHandler}.
 */
@FunctionalInterface
public interface LeasedHandler {
  /** Handles the message; called by one thread at a time per partition. */
  MessageResult handle(OutboxMessage message) throws Exception;
}

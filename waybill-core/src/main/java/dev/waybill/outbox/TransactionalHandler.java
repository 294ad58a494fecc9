package dev.waybill.outbox;

/**
 * Handles one message in the transaction that moves the cursor: its writes happen exactly once.
 *
 * <p>What a message wrote is undone alone if the answer is retry or reject, or if the handler
 * throws (which is a retry); the messages before it in the batch stay done.
 */
@FunctionalInterface
public interface TransactionalHandler {
  /** Handles the message; called by one thread at a time per partition. */
  HandlerResult handle(HandlerTransaction tx, OutboxMessage message) throws Exception;
}

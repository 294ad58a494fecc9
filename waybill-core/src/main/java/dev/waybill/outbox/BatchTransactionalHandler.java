package dev.waybill.outbox;

import java.util.List;

/**
 * Handles several messages at once in the transaction that moves the cursor: their writes happen
 * exactly once. The answer holds for all of them together.
 *
 * <p>Retry, or throwing, undoes all of their writes; they come again later, in smaller batches if
 * that goes on. Reject of more than one message does not name the bad one: the writes are undone
 * and the messages come again at once, one by one, so that only the bad one becomes a dead letter.
 */
@FunctionalInterface
public interface BatchTransactionalHandler {
  /**
   * Handles the messages; called by one thread at a time per partition.
   *
   * @param messages of one partition, at least one, in order
   */
  HandlerResult handle(HandlerTransaction tx, List<OutboxMessage> messages) throws Exception;
}

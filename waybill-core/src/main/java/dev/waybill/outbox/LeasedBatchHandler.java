package dev.waybill.outbox;

/**
 * Handles a batch under a lease, outside any transaction: at least once, so it must be idempotent.
 * What it has settled counts, whatever it answers or throws; the table is at {@link Batch}.
 */
@FunctionalInterface
public interface LeasedBatchHandler {
  /** Handles the batch; called by one thread at a time per partition. */
  HandlerResult handle(Batch batch) throws Exception;
}

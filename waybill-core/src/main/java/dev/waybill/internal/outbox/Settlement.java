package dev.waybill.internal.outbox;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a delivered batch; the table is at {@link dev.waybill.outbox.Batch}. It is stored
 * in one transaction that is conditional on the lease, so no rejection is ever stored twice.
 *
 * @param verdict what it means for the partition
 * @param fetched how many messages were delivered
 * @param handled how many the handler settled itself
 * @param processed how many the cursor passes, from the first
 * @param rejections those among them that become dead letters, in order
 * @param reason why there is a retry or a rejection of the rest; null on success
 */
record Settlement(
    Verdict verdict,
    int fetched,
    int handled,
    int processed,
    List<Rejection> rejections,
    @Nullable String reason) {

  enum Verdict {
    /** Go on, at once if anything is left. */
    SUCCESS,
    /** Go on later. */
    RETRY,
    /** Go on at once, in smaller steps. */
    REJECT
  }

  /** A message, by its position in the batch from 0, that becomes a dead letter. */
  record Rejection(int position, String reason) {}

  Settlement {
    rejections = List.copyOf(rejections);
  }

  /** Whether some of the batch must be delivered again, so that the partition is not idle. */
  boolean hasLeftover() {
    return processed < fetched;
  }
}

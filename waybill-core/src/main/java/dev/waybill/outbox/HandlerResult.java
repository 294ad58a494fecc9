package dev.waybill.outbox;

import java.util.Objects;

/**
 * What became of all that a handler was given: one message for a {@link TransactionalHandler}, the
 * messages of a {@link BatchTransactionalHandler}, the {@link Batch} of a {@link
 * LeasedBatchHandler}.
 */
public sealed interface HandlerResult {
  /** All is done. */
  static HandlerResult success() {
    return Success.INSTANCE;
  }

  /** Not now: again later; the partition waits. When in doubt, this one. */
  static HandlerResult retry(String reason) {
    return new Retry(reason);
  }

  /** Never: what the handler had before it becomes a dead letter. */
  static HandlerResult reject(String reason) {
    return new Reject(reason);
  }

  /** See {@link #success}. */
  record Success() implements HandlerResult {
    private static final Success INSTANCE = new Success();
  }

  /**
   * See {@link #retry}.
   *
   * @param reason for operators; stored and logged
   */
  record Retry(String reason) implements HandlerResult {
    /** The reason must be there. */
    public Retry {
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * See {@link #reject}.
   *
   * @param reason for operators; stored with the dead letter and logged
   */
  record Reject(String reason) implements HandlerResult {
    /** The reason must be there. */
    public Reject {
      Objects.requireNonNull(reason, "reason");
    }
  }
}

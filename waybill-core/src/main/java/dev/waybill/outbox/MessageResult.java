package dev.waybill.outbox;

import java.util.Objects;

/** What became of one message, as a {@link LeasedHandler} says it. */
public sealed interface MessageResult {
  /** It is done. */
  static MessageResult ok() {
    return Ok.INSTANCE;
  }

  /** Not now: the same message again later; its partition waits. When in doubt, this one. */
  static MessageResult retry(String reason) {
    return new Retry(reason);
  }

  /** Never: it becomes a dead letter and the next one follows. */
  static MessageResult reject(String reason) {
    return new Reject(reason);
  }

  /** See {@link #ok}. */
  record Ok() implements MessageResult {
    private static final Ok INSTANCE = new Ok();
  }

  /**
   * See {@link #retry}.
   *
   * @param reason for operators; stored and logged
   */
  record Retry(String reason) implements MessageResult {
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
  record Reject(String reason) implements MessageResult {
    /** The reason must be there. */
    public Reject {
      Objects.requireNonNull(reason, "reason");
    }
  }
}

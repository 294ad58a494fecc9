package dev.waybill.outbox;

/**
 * What a queue does while a message is to be tried again, because its handler said so or threw.
 *
 * <ul>
 *   <li>{@link #block}: its partition waits for it.
 *   <li>{@link #deadLetterAfter}: the partition waits, but not for ever.
 *   <li>{@link #parkKey}: the later messages of its key wait for it, those of other keys do not.
 * </ul>
 */
public sealed interface HeadFailure {
  /** The partition waits until the handler succeeds or rejects. */
  static HeadFailure block() {
    return new Block();
  }

  /**
   * The partition waits; after so many failed tries the message becomes a dead letter.
   *
   * @param attempts at least 1
   */
  static HeadFailure deadLetterAfter(int attempts) {
    return new DeadLetterAfter(attempts);
  }

  /**
   * The message is set aside, and so are later ones of its key, in order; messages of other keys go
   * on. It is tried again by the same backoff. When it is done, those behind it are delivered
   * before any newer one of the key.
   *
   * <p>For handlers of single messages: a batch that is to be retried does not say which key
   * failed. A message without a key blocks its partition. At most {@value ParkKey#DEFAULT_LIMIT}
   * messages of a partition are parked, see {@link ParkKey#withLimit}; and none is ever given up,
   * see {@link ParkKey#withDeadLetterAfter}.
   */
  static ParkKey parkKey() {
    return new ParkKey(ParkKey.DEFAULT_LIMIT, 0);
  }

  /** After how many failed tries a message becomes a dead letter; 0 for never. */
  default int maxAttempts() {
    return 0;
  }

  /** The partition waits for as long as it takes. */
  record Block() implements HeadFailure {}

  /**
   * The partition waits for so many tries.
   *
   * @param maxAttempts at least 1
   */
  record DeadLetterAfter(int maxAttempts) implements HeadFailure {
    /** Refuses less than one. */
    public DeadLetterAfter {
      Settings.atLeastOne("onFailure.deadLetterAfter", maxAttempts);
    }
  }

  /**
   * Only the key waits.
   *
   * @param limit how many messages of a partition may be parked; when so many are, the next one
   *     that would have to be blocks its partition until there is room; at least 1
   * @param maxAttempts after which a message becomes a dead letter; 0 for never
   */
  record ParkKey(int limit, int maxAttempts) implements HeadFailure {
    static final int DEFAULT_LIMIT = 1_000;

    /** Refuses to park nothing, and a negative number of tries. */
    public ParkKey {
      Settings.atLeastOne("onFailure.limit", limit);
      Settings.require(
          maxAttempts >= 0,
          "onFailure.deadLetterAfter",
          "must not be negative, but is " + maxAttempts);
    }

    /** With room for so many messages per partition. */
    public ParkKey withLimit(int messages) {
      return new ParkKey(messages, maxAttempts);
    }

    /** A message that failed so often becomes a dead letter, and those behind it go on. */
    public ParkKey withDeadLetterAfter(int attempts) {
      Settings.atLeastOne("onFailure.deadLetterAfter", attempts);
      return new ParkKey(limit, attempts);
    }
  }
}

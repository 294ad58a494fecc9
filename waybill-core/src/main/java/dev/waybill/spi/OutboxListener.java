package dev.waybill.spi;

import java.time.Duration;

/**
 * Hears what the outbox does, without payloads. Called on the thread that does it, so it should be
 * quick; what it throws is logged and harms nobody.
 */
public interface OutboxListener {
  /** Messages became part of a transaction; whether it commits is not known here. */
  default void enqueued(String queue, int messages) {}

  /** Messages got their numbers. */
  default void sequenced(int messages, Duration took) {}

  /**
   * A batch was handled and the cursor moved.
   *
   * @param messages how many are done, dead letters included
   * @param took from reading to storing the outcome
   */
  default void delivered(String queue, int partition, int messages, Duration took) {}

  /**
   * A message is to be tried again: the first of its partition, or of a key that is parked.
   *
   * @param attempts how often it was tried
   * @param retryIn when the next try will be, at the earliest
   */
  default void retried(
      String queue, int partition, long seq, int attempts, String reason, Duration retryIn) {}

  /**
   * Messages were parked: one that failed, or later ones of its key.
   *
   * @param messages how many
   */
  default void parked(String queue, int partition, int messages) {}

  /** A message became a dead letter. */
  default void rejected(String queue, int partition, long seq, String reason) {}

  /** The outcome of a delivery was refused, because another process has the partition now. */
  default void leaseLost(String queue, int partition, long epoch) {}

  /** Delivered messages were removed. */
  default void vacuumed(long messages, Duration took) {}
}

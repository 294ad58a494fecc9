package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Backoff;
import dev.waybill.internal.loop.Pace;
import dev.waybill.outbox.RetryTuning;
import dev.waybill.outbox.WorkerTuning;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How large a partition's batches are and how long it waits after failures. Normally batches have
 * the configured size. Failures in a row shrink them to what succeeded, so that a poisonous message
 * ends up alone; each success doubles them again.
 *
 * <p>Not thread-safe: it belongs to whoever has the partition's {@link Turn}. One that {@link
 * #isNormal} says nothing, and need not be kept.
 */
final class PartitionMode {
  /** Those who failed together do not return together. */
  private static final double JITTER = 0.3;

  private final int configuredSize;
  private final int degradeAfter;
  private final Backoff backoff;
  private final DoubleSupplier random;
  private final Pace pace;
  private int size;
  private int failures;
  private Duration pause;

  /**
   * The normal mode.
   *
   * @param random gives numbers from 0 (inclusive) to 1 (exclusive)
   */
  PartitionMode(WorkerTuning tuning, RetryTuning retry, DoubleSupplier random) {
    this.configuredSize = tuning.batchSize();
    this.pace = new Pace(tuning.activeInterval(), tuning.minInterval(), tuning.rampStep());
    this.pause = pace.active();
    this.degradeAfter = retry.degradeAfter();
    this.backoff = new Backoff(retry.base(), 2, retry.max(), JITTER);
    this.random = random;
    this.size = configuredSize;
  }

  /** How many messages to fetch. */
  int size() {
    return size;
  }

  /** Whether it is as it was at first. */
  boolean isNormal() {
    return failures == 0 && size == configuredSize && pause.equals(pace.active());
  }

  /** Whether there is to be no pause between two batches. */
  boolean isUnpaced() {
    return pace.active().isZero();
  }

  /** There is more: how long to wait before it, a little less each time. */
  Duration nextPause() {
    Duration now = pause;
    pause = pace.after(pause);
    return now;
  }

  /** There is no more: the next backlog begins with the longest pause again. */
  void rested() {
    pause = pace.active();
  }

  void succeeded() {
    failures = 0;
    size = size > configuredSize / 2 ? configuredSize : size * 2;
  }

  /**
   * The batch is to be retried.
   *
   * @param processed how many of the fetched ones went well before
   * @return how long to wait, whatever arrives meanwhile
   */
  Duration retried(int processed, int fetched) {
    failures = Math.min(failures, Integer.MAX_VALUE - 1) + 1;
    if (failures >= degradeAfter) {
      degrade(processed, fetched);
    }
    return backoff.delay(failures, random);
  }

  /** How long a parked message waits that was tried so often; it concerns no other. */
  Duration delayAfter(int attempts) {
    return backoff.delay(Math.max(1, attempts), random);
  }

  /**
   * The rest of the batch was rejected as a whole.
   *
   * @param processed how many of the fetched ones the handler settled before
   */
  void rejected(int processed, int fetched) {
    failures = 0;
    degrade(processed, fetched);
  }

  private void degrade(int processed, int fetched) {
    size = Math.max(1, Math.min(Math.min(processed, fetched), configuredSize));
  }

  @Override
  public String toString() {
    return "size " + size + " of " + configuredSize + " after " + failures + " failures";
  }
}

package dev.waybill.outbox;

import java.time.Duration;

/**
 * When a message that could not be handled is tried again: after the base, then after twice as long
 * each time, never above the maximum, and spread by chance so that partitions that failed together
 * do not return together. New messages do not shorten it.
 *
 * @param base after the first failure, longer than zero
 * @param max at least the base
 * @param degradeAfter so many failures in a row shrink the partition's batches to what succeeded,
 *     at least 1
 */
public record RetryTuning(Duration base, Duration max, int degradeAfter) {

  /** Refuses a base of nothing, a maximum below it, and a threshold of nothing. */
  public RetryTuning {
    Settings.positive("retry.base", base);
    Settings.notNegative("retry.max", max);
    Settings.require(
        base.compareTo(max) <= 0,
        "retry.max",
        "must not be shorter than the base " + base + ", but is " + max);
    Settings.atLeastOne("retry.degradeAfter", degradeAfter);
  }

  /** With another first delay. */
  public RetryTuning withBase(Duration value) {
    return new RetryTuning(value, max, degradeAfter);
  }

  /** With another longest delay. */
  public RetryTuning withMax(Duration value) {
    return new RetryTuning(base, value, degradeAfter);
  }

  /** With another number of failures before batches shrink. */
  public RetryTuning withDegradeAfter(int value) {
    return new RetryTuning(base, max, value);
  }
}

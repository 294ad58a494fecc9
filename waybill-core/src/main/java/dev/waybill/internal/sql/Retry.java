package dev.waybill.internal.sql;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * How often a unit of work is repeated when other transactions are in the way, and how long we step
 * aside in between: a random part of a limit that doubles, so that two losers do not meet again.
 *
 * @param attempts how often in all
 * @param first the limit of the first pause
 * @param most the limit no pause exceeds
 * @param jitter a number in [0, 1) for each pause
 * @param pause how to wait
 */
public record Retry(
    int attempts, Duration first, Duration most, DoubleSupplier jitter, Pause pause) {

  /** Waits; the core's clock does it, under test a manual one. */
  @FunctionalInterface
  public interface Pause {
    /** Returns when the time has passed. */
    void sleep(Duration duration) throws InterruptedException;
  }

  public Retry {
    if (attempts < 1 || first.isNegative() || most.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "attempts must be at least 1 and 0 <= first <= most, not "
              + attempts
              + ", "
              + first
              + ", "
              + most);
    }
  }

  /** Seven attempts with pauses up to 20 ms, 40 ms … 500 ms. */
  public static Retry standard(Pause pause) {
    return new Retry(
        7,
        Duration.ofMillis(20),
        Duration.ofMillis(500),
        () -> ThreadLocalRandom.current().nextDouble(),
        pause);
  }

  /** The first failure is the last. */
  public static Retry never() {
    return new Retry(1, Duration.ZERO, Duration.ZERO, () -> 0, duration -> {});
  }

  Duration pauseAfter(int failures) {
    long limit = first.toNanos();
    for (int i = 1; i < failures && limit < most.toNanos(); i++) {
      limit = limit > most.toNanos() / 2 ? most.toNanos() : limit * 2;
    }
    return Duration.ofNanos((long) (limit * jitter.getAsDouble()));
  }
}

package dev.waybill.internal.loop;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How long to wait after the n-th failure in a row: grows by a factor from the initial delay,
 * spread by jitter so that those who failed together do not return together, never above the
 * maximum.
 *
 * @param initial the delay after the first failure; positive
 * @param multiplier at least 1
 * @param max at least {@code initial}
 * @param jitter the part of the delay by which it may vary either way: 0 for none, below 1
 */
public record Backoff(Duration initial, double multiplier, Duration max, double jitter) {
  private static final Backoff STANDARD =
      new Backoff(Duration.ofMillis(100), 2, Duration.ofSeconds(30), 0.3);

  public Backoff {
    if (Time.toNanos(initial) == 0) {
      throw new IllegalArgumentException("The initial backoff must be positive");
    }
    if (!(multiplier >= 1) || Double.isInfinite(multiplier)) {
      throw new IllegalArgumentException(
          "The backoff multiplier must be at least 1: " + multiplier);
    }
    if (max.compareTo(initial) < 0) {
      throw new IllegalArgumentException(
          "The maximal backoff " + max + " must not be shorter than the initial " + initial);
    }
    if (!(jitter >= 0 && jitter < 1)) {
      throw new IllegalArgumentException("The jitter must be at least 0 and below 1: " + jitter);
    }
  }

  /** 100 ms, doubling up to 30 s, ±30 %. */
  public static Backoff standard() {
    return STANDARD;
  }

  public Backoff withInitial(Duration value) {
    return new Backoff(value, multiplier, max, jitter);
  }

  public Backoff withMultiplier(double value) {
    return new Backoff(initial, value, max, jitter);
  }

  public Backoff withMax(Duration value) {
    return new Backoff(initial, multiplier, value, jitter);
  }

  public Backoff withJitter(double value) {
    return new Backoff(initial, multiplier, max, value);
  }

  /**
   * The delay after that many failures in a row.
   *
   * @param failures at least 1
   * @param random gives numbers from 0 (inclusive) to 1 (exclusive)
   */
  public Duration delay(int failures, DoubleSupplier random) {
    if (failures < 1) {
      throw new IllegalArgumentException("There is no backoff after " + failures + " failures");
    }
    double limit = Time.toNanos(max);
    double base = Math.min(limit, Time.toNanos(initial) * Math.pow(multiplier, failures - 1));
    double spread = jitter == 0 ? 0 : jitter * (2 * random.getAsDouble() - 1);
    return Duration.ofNanos((long) Math.min(limit, base * (1 + spread)));
  }
}

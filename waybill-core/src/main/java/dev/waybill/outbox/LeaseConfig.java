package dev.waybill.outbox;

import java.time.Duration;

/**
 * How long a partition belongs to the process that serves it.
 *
 * @param duration after which another process may take over
 * @param headroom kept back at its end for storing the outcome; shorter than the duration
 */
public record LeaseConfig(Duration duration, Duration headroom) {
  private static final LeaseConfig DEFAULTS =
      new LeaseConfig(Duration.ofSeconds(30), Duration.ofSeconds(2));

  /** Refuses a headroom that leaves no time to work. */
  public LeaseConfig {
    Settings.positive("lease.duration", duration);
    Settings.notNegative("lease.headroom", headroom);
    Settings.require(
        headroom.compareTo(duration) < 0,
        "lease.headroom",
        "must be shorter than the duration " + duration + ", but is " + headroom);
  }

  /** 30 s, of which 2 s are headroom. */
  public static LeaseConfig defaults() {
    return DEFAULTS;
  }

  /** With another duration. */
  public LeaseConfig withDuration(Duration value) {
    return new LeaseConfig(value, headroom);
  }

  /** With another headroom. */
  public LeaseConfig withHeadroom(Duration value) {
    return new LeaseConfig(duration, value);
  }

  /** The time a handler has: duration less headroom. */
  public Duration budget() {
    return duration.minus(headroom);
  }
}

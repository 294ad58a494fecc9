package dev.waybill.internal.loop;

import java.time.Duration;

/**
 * How fast a worker with more to do goes on: the first wait between two runs is the active
 * interval, each further one is shorter by the ramp step, down to the minimal interval. A worker
 * that has had a rest starts over. Rings do not shorten these waits: they exist to let work gather.
 */
public record Pace(Duration active, Duration min, Duration rampStep) {
  private static final Pace NONE = new Pace(Duration.ZERO, Duration.ZERO, Duration.ZERO);

  public Pace {
    Time.toNanos(active);
    Time.toNanos(min);
    Time.toNanos(rampStep);
    if (min.compareTo(active) > 0) {
      throw new IllegalArgumentException(
          "The minimal interval " + min + " must not be longer than the active one " + active);
    }
  }

  /** No wait at all. */
  public static Pace none() {
    return NONE;
  }

  /** The wait that follows this one. */
  public Duration after(Duration current) {
    Duration next = current.minus(rampStep);
    return next.compareTo(min) < 0 ? min : next;
  }
}

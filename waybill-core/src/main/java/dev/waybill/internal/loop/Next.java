package dev.waybill.internal.loop;

import java.time.Duration;
import java.util.Objects;

/** When a worker wants to run again. */
public final class Next {
  private enum Kind {
    NOW,
    AFTER,
    SLEEP,
    WHEN_RUNG
  }

  private static final Next NOW = new Next(Kind.NOW, 0);
  private static final Next WHEN_RUNG = new Next(Kind.WHEN_RUNG, Time.FOREVER);

  private final Kind kind;
  private final long nanos;

  private Next(Kind kind, long nanos) {
    this.kind = kind;
    this.nanos = nanos;
  }

  /** There is more to do: as soon as the {@link Pace} allows. */
  public static Next now() {
    return NOW;
  }

  /** Not before this time has passed, whoever rings. */
  public static Next after(Duration delay) {
    return new Next(Kind.AFTER, Time.toNanos(delay));
  }

  /** There is something to do at that time; earlier when rung. */
  public static Next sleep(Duration delay) {
    return new Next(Kind.SLEEP, Time.toNanos(delay));
  }

  /** Nothing to do until somebody rings. Only for workers whose every cause of work rings. */
  public static Next whenRung() {
    return WHEN_RUNG;
  }

  /** Nothing known to do; a look after this time in case nobody rings. */
  public static Next whenRung(Duration atMost) {
    return new Next(Kind.WHEN_RUNG, Time.toNanos(atMost));
  }

  /** Whether the worker found itself without known work. */
  public boolean isIdle() {
    return kind == Kind.WHEN_RUNG;
  }

  /** Whether the worker wants to go on at once, and so is subject to pacing. */
  boolean isNow() {
    return kind == Kind.NOW;
  }

  /** Whether a ring ends the wait. */
  boolean endsWhenRung() {
    return kind == Kind.SLEEP || kind == Kind.WHEN_RUNG;
  }

  /** How long to wait at most; {@link Time#FOREVER} if only a ring ends the wait. */
  long nanos() {
    return nanos;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Next that && kind == that.kind && nanos == that.nanos;
  }

  @Override
  public int hashCode() {
    return Objects.hash(kind, nanos);
  }

  @Override
  public String toString() {
    return switch (kind) {
      case NOW -> "now";
      case AFTER -> "after " + Duration.ofNanos(nanos);
      case SLEEP -> "sleep " + Duration.ofNanos(nanos);
      case WHEN_RUNG ->
          nanos == Time.FOREVER ? "when rung" : "when rung, at most " + Duration.ofNanos(nanos);
    };
  }
}

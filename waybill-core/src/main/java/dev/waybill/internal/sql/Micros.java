package dev.waybill.internal.sql;

import java.time.Instant;

/** Times as they are stored: whole microseconds since 1970. */
public final class Micros {
  private static final long A_SECOND = 1_000_000;

  private Micros() {}

  /**
   * The microseconds until then; of a time that is beyond all that can be stored, the last one that
   * can. {@code ChronoUnit.MICROS.between} counts nanoseconds on some JDKs, and fails after 2262.
   */
  public static long of(Instant time) {
    long seconds = time.getEpochSecond();
    if (Math.abs(seconds) >= Long.MAX_VALUE / A_SECOND) {
      return seconds < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return seconds * A_SECOND + time.getNano() / 1000;
  }
}

package dev.waybill.internal.outbox;

import java.time.Duration;

/**
 * How long sequencers rest between visits, so that messages gather: a visit costs the database much
 * the same for one message or fifty, and what it costs is taken from the producers. While visits
 * are small and yet more has come when they end, the rests grow, up to some times as long as a
 * visit takes; they shrink again once visits find plenty. Where visits are quick the rests are
 * short, and a message that comes alone never waits.
 *
 * <p>Safe for use by many threads.
 */
final class Gathering {
  /** A visit to so many messages was worth its cost. */
  static final int ENOUGH = 50;

  /** With so many there is no need to let more of them gather. */
  static final int PLENTY = 4 * ENOUGH;

  /** In halves of a visit's time. */
  private static final int LONGEST = 8;

  static final Duration MOST = Duration.ofMillis(20);

  private int halves;

  /**
   * The rest after a visit.
   *
   * @param more whether others have come meanwhile
   */
  synchronized Duration after(int messages, Duration visit, boolean more) {
    if (!more) {
      halves = 0;
    } else if (messages < ENOUGH) {
      halves = Math.min(LONGEST, halves + 1);
    } else if (messages >= PLENTY) {
      halves = Math.max(0, halves - 1);
    }
    Duration rest = visit.multipliedBy(halves).dividedBy(2);
    return rest.compareTo(MOST) > 0 ? MOST : rest;
  }
}

package dev.waybill.internal.outbox;

import java.time.Duration;

/**
 * How long sequencers rest between visits, so that messages gather: a visit costs the database much
 * the same for one message or fifty, and what it costs is taken from the producers. While visits
 * are small and yet more has come when they end, the rests grow, up to some times as long as a
 * visit takes; they shrink again once visits find plenty. Where visits are quick the rests are
 * short, and a message that comes alone never waits. Who delivers in large batches lets more of
 * them gather.
 *
 * <p>Safe for use by many threads.
 */
final class Gathering {
  /** A visit to so many messages was worth its cost, also where deliveries are small. */
  static final int ENOUGH = 50;

  static final Duration MOST = Duration.ofMillis(20);

  /** If so many visits in a row leave something behind, messages come all the time. */
  private static final int FEW = 10;

  private final int enough;

  /** With so many there is no need to let more of them gather. */
  private final int plenty;

  /** In halves of a visit's time. */
  private final int longest;

  private int halves;

  /** How many visits in a row have left something behind. */
  private int crowded;

  private Gathering(int enough, int longest) {
    this.enough = enough;
    this.plenty = 4 * enough;
    this.longest = longest;
  }

  /** For those who deliver so many messages at once. */
  static Gathering of(int batch) {
    int enough = (int) Math.max(ENOUGH, Math.min(1_000, 2L * batch));
    return new Gathering(enough, enough > ENOUGH ? 20 : 8);
  }

  /**
   * Whether visits are made because messages come one by one, or one was late, and not because many
   * come all the time.
   */
  synchronized boolean isCalm() {
    return crowded <= FEW;
  }

  /**
   * The rest after a visit.
   *
   * @param more whether others have come meanwhile
   */
  synchronized Duration after(int messages, Duration visit, boolean more) {
    crowded = more ? Math.min(crowded + 1, FEW + 1) : 0;
    if (!more) {
      halves = 0;
    } else if (messages < enough) {
      halves = Math.min(longest, halves + 1);
    } else if (messages >= plenty) {
      halves = Math.max(0, halves - 1);
    }
    Duration rest = visit.multipliedBy(halves).dividedBy(2);
    return rest.compareTo(MOST) > 0 ? MOST : rest;
  }
}

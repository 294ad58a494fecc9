package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Time;
import java.time.Duration;

/**
 * Lets messages gather while they come faster than they are worth a visit each: a visit costs the
 * database much the same for one message or fifty, and what it costs is taken from the producers.
 * While visits are small and yet there is more when they end, the sequencers of a process pause
 * between them, a little longer each time, up to some times as long as a visit takes. Where visits
 * are quick the pauses are short, and a message that comes alone never waits.
 *
 * <p>Safe for use by many threads.
 */
final class Gathering {
  /** A visit to so many messages was worth its cost. */
  private static final int ENOUGH = 50;

  /** In halves of a visit's time. */
  private static final int LONGEST = 8;

  private static final long LONGEST_NANOS = Duration.ofMillis(20).toNanos();

  private final Time time;
  private int halves;
  private long over;

  Gathering(Time time) {
    this.time = time;
    this.over = time.nanos();
  }

  /** The time until the pause is over; zero if there is none. */
  synchronized Duration left() {
    return Duration.ofNanos(Math.max(0, over - time.nanos()));
  }

  /**
   * A visit has ended.
   *
   * @param began when, by the monotonic clock
   * @param more whether others have come meanwhile
   */
  synchronized void visited(int messages, long began, boolean more) {
    long now = time.nanos();
    halves = more && messages < ENOUGH ? Math.min(LONGEST, halves + 1) : 0;
    over = now + Math.min(LONGEST_NANOS, (now - began) * halves / 2);
  }
}

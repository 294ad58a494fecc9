package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Time;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far numbering is ahead of delivery, in partitions with a backlog. To number still more of a
 * partition that has plenty to deliver would take the database's time from its delivery, so it is
 * left alone for half the time that this needs, at the pace of late.
 *
 * <p>Never for long: messages without numbers are in others' way, too, and nobody says that these
 * are being delivered at all. Safe for use by many threads.
 */
final class HeadStart {
  /** So many messages keep a partition's delivery busy while others are numbered. */
  static final long PLENTY = 5_000;

  private static final Duration LONGEST = Duration.ofSeconds(1);

  /** While nobody knows how fast it goes. */
  private static final Duration UNKNOWN = Duration.ofMillis(50);

  /** What waited after a visit, and when that was. */
  private record Look(long waiting, long nanos) {}

  private final Time time;
  private final Map<Long, Look> looks = new ConcurrentHashMap<>();

  HeadStart(Time time) {
    this.time = time;
  }

  /**
   * How long the partition is to be left alone.
   *
   * @param numbered how many of those that wait were numbered just now
   */
  Duration rest(long partition, long waiting, int numbered) {
    long now = time.nanos();
    Look before = looks.put(partition, new Look(waiting, now));
    if (waiting < PLENTY) {
      return Duration.ZERO;
    }
    long delivered = before == null ? 0 : before.waiting + numbered - waiting;
    if (before == null || delivered <= 0) {
      return UNKNOWN;
    }
    double nanosEach = (double) (now - before.nanos) / delivered;
    double half = waiting * nanosEach / 2;
    return half < LONGEST.toNanos() ? Duration.ofNanos((long) half) : LONGEST;
  }

  /** There is no backlog. */
  void forget(long partition) {
    looks.remove(partition);
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.StopSignal;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.MessageStore.VacuumDue;
import dev.waybill.internal.store.MessageStore.Vacuumed;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Removes what every cursor has passed, in pieces, each a transaction of its own. Called by volume:
 * by every so many delivered messages, and by a slow timer for the rest. Any number of vacuums may
 * run, here and elsewhere: whoever finds a partition in other hands leaves it to them.
 */
final class Vacuum implements Worker {
  private static final int FIRST_SEGMENTS = 16;
  private static final int MOST_SEGMENTS = 4_096;

  private static final int DEDUP_ROWS = 1_000;

  private final MessageStore store;
  private final Events events;
  private final Time time;
  private final StopSignal stop;
  private final int piece;
  private final Duration poll;
  private final Bell bell;
  private final AtomicLong delivered = new AtomicLong();

  /** A segment holds one message or two hundred, so how many make a piece shows only in use. */
  private int segments = FIRST_SEGMENTS;

  /**
   * A vacuum.
   *
   * @param piece messages per transaction, and how many must have been delivered to call it
   * @param poll how often it looks though nobody called
   */
  Vacuum(
      MessageStore store,
      Events events,
      Time time,
      StopSignal stop,
      int piece,
      Duration poll,
      Bell bell) {
    this.store = store;
    this.events = events;
    this.time = time;
    this.stop = stop;
    this.piece = piece;
    this.poll = poll;
    this.bell = bell;
  }

  @Override
  public String name() {
    return "vacuum";
  }

  /** Messages were delivered. */
  void delivered(int messages) {
    long before = delivered.getAndAdd(messages);
    if (before / piece != (before + messages) / piece) {
      bell.ring();
    }
  }

  @Override
  public Next runOnce() {
    long began = time.nanos();
    long removed = 0;
    boolean more = false;
    List<VacuumDue> all = store.vacuumDue();
    int together = store.cleanedTogether();
    for (int from = 0; from < all.size() && !stop.requested(); from += together) {
      List<VacuumDue> due = all.subList(from, Math.min(all.size(), from + together));
      List<Vacuumed> cleaned = store.vacuum(due, segments);
      long messages = cleaned.stream().mapToLong(Vacuumed::messages).sum();
      boolean full = cleaned.stream().anyMatch(each -> each.segments() == segments);
      removed += messages;
      more |= full || cleaned.size() < due.size();
      adapt(messages, full);
    }
    more |= store.expireDedup(DEDUP_ROWS) == DEDUP_ROWS;
    if (removed > 0) {
      events.vacuumed(removed, Duration.ofNanos(time.nanos() - began));
    }
    return more ? Next.now() : Next.whenRung(poll);
  }

  private void adapt(long messages, boolean full) {
    if (messages > piece) {
      segments = Math.max(1, segments / 2);
    } else if (full && messages < piece / 2) {
      segments = Math.min(MOST_SEGMENTS, segments * 2);
    }
  }
}

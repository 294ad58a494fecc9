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
import java.util.concurrent.atomic.AtomicLong;

/**
 * Removes what every cursor has passed, in pieces, each a transaction of its own. Called by volume:
 * by every so many delivered messages, and by a slow timer for the rest. Any number of vacuums may
 * run, here and elsewhere: whoever finds a partition in other hands leaves it to them.
 */
final class Vacuum implements Worker {
  private static final int FEWEST_SEGMENTS = 16;
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
  private int segments = FEWEST_SEGMENTS;

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
    for (VacuumDue due : store.vacuumDue()) {
      if (stop.requested()) {
        break;
      }
      Vacuumed vacuumed = store.vacuum(due.partitionId(), due.retention(), segments);
      removed += vacuumed.messages();
      more |= vacuumed.segments() == segments;
      adapt(vacuumed);
    }
    more |= store.expireDedup(DEDUP_ROWS) == DEDUP_ROWS;
    if (removed > 0) {
      events.vacuumed(removed, Duration.ofNanos(time.nanos() - began));
    }
    return more ? Next.now() : Next.whenRung(poll);
  }

  private void adapt(Vacuumed vacuumed) {
    if (vacuumed.messages() > piece) {
      segments = Math.max(FEWEST_SEGMENTS, segments / 2);
    } else if (vacuumed.segments() == segments && vacuumed.messages() < piece / 2) {
      segments = Math.min(MOST_SEGMENTS, segments * 2);
    }
  }
}

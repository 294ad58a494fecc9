package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.store.Rotation;
import dev.waybill.internal.store.Rotation.Turned;
import java.time.Duration;

/**
 * Turns the slots and clears them, where the database has any. Called by volume like the vacuum,
 * and by a slow timer for the rest; sooner, but ever less so, while a slot waits for somebody who
 * still needs or holds it.
 */
final class Rotator implements Worker {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final int MOST_DOUBLINGS = 6;

  private final Rotation rotation;
  private final Events events;
  private final Time time;
  private final Duration poll;
  private int waited;

  Rotator(Rotation rotation, Events events, Time time, Duration poll) {
    this.rotation = rotation;
    this.events = events;
    this.time = time;
    this.poll = poll;
  }

  @Override
  public String name() {
    return "rotator";
  }

  @Override
  public Next runOnce() {
    long began = time.nanos();
    Turned turned = rotation.turn();
    if (turned.messages() > 0) {
      events.vacuumed(turned.messages(), Duration.ofNanos(time.nanos() - began));
    }
    if (turned.moved()) {
      waited = 0;
      return Next.now();
    }
    if (!turned.waiting()) {
      waited = 0;
      return Next.whenRung(poll);
    }
    Duration pause = SOON.multipliedBy(1L << Math.min(waited++, MOST_DOUBLINGS));
    return Next.whenRung(pause.compareTo(poll) < 0 ? pause : poll);
  }
}

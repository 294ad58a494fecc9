package dev.waybill.internal;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.LoopOptions;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.sql.Shelf;
import java.time.Duration;

/** Gives connections back that nobody has used for a moment. */
final class SessionKeeper implements Worker {
  /** Longer than the gaps within a burst, shorter than anybody else would miss a connection. */
  private static final Duration UNUSED = Duration.ofMillis(200);

  private static final Duration LOOK = Duration.ofMillis(100);

  private static final int MOST = 16;

  private final Bell bell = new Bell();
  private final Shelf shelf;

  SessionKeeper(Time time) {
    this.shelf = new Shelf(MOST, time::nanos, bell::ring);
  }

  Shelf shelf() {
    return shelf;
  }

  LoopOptions options() {
    return LoopOptions.defaults().withBells(bell);
  }

  @Override
  public String name() {
    return "session-keeper";
  }

  @Override
  public Next runOnce() {
    return shelf.sweep(UNUSED) ? Next.after(LOOK) : Next.whenRung();
  }
}

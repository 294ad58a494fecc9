package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.DeadLetters;
import java.time.Duration;

/** Removes dead letters whose retention is over, in pieces, each a transaction of its own. */
final class DeadLetterVacuum implements Worker {
  private static final int PIECE = 1_000;

  private final DeadLetters deadLetters;
  private final Duration retention;
  private final Duration poll;

  DeadLetterVacuum(DeadLetters deadLetters, Duration retention, Duration poll) {
    this.deadLetters = deadLetters;
    this.retention = retention;
    this.poll = poll;
  }

  @Override
  public String name() {
    return "dead-letter-vacuum";
  }

  @Override
  public Next runOnce() {
    int removed = deadLetters.cleanup(DeadLetterFilter.defaults().limit(PIECE), retention);
    return removed == PIECE ? Next.now() : Next.after(poll);
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.QueueStore;
import java.time.Duration;
import java.util.Map;

/** Gives delayed messages to their partitions when they are due. */
final class Promoter implements Worker {
  private static final int AT_ONCE = 1_000;
  private static final Duration ELSEWHERE = Duration.ofMillis(20);

  private final MessageStore messages;
  private final QueueStore queues;
  private final DirtyPartitions dirty;
  private final Duration atMost;

  /**
   * A promoter.
   *
   * @param atMost the longest time between two looks, as other processes enqueue as well
   */
  Promoter(MessageStore messages, QueueStore queues, DirtyPartitions dirty, Duration atMost) {
    this.messages = messages;
    this.queues = queues;
    this.dirty = dirty;
    this.atMost = atMost;
  }

  @Override
  public String name() {
    return "promoter";
  }

  @Override
  public Next runOnce() {
    Duration due = queues.untilNextDue().orElse(atMost);
    if (!due.isZero()) {
      return Next.sleep(due.compareTo(atMost) < 0 ? due : atMost);
    }
    Map<Long, Integer> promoted = messages.promote(AT_ONCE);
    dirty.mark(promoted.keySet());
    // If another process is at it, its commit will move the next due time.
    return promoted.isEmpty() ? Next.after(ELSEWHERE) : Next.now();
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.store.QueueStore;
import dev.waybill.internal.store.QueueStore.Backlog;
import java.time.Duration;

/**
 * Finds work that nobody announced: what was committed without a flush, by a process that died, or
 * by one that cannot reach this one. Two queries, whose cost does not depend on how much waits.
 *
 * <p>Where processes cannot wake one another it is also how work of the others is found: it looks
 * often while it finds something, and ever less often while it does not.
 */
final class Reconciler implements Worker {
  private static final Duration FASTEST = Duration.ofMillis(100);
  private static final Duration SLOWEST = Duration.ofSeconds(10);

  private final QueueStore store;
  private final Queues queues;
  private final DirtyPartitions dirty;
  private final ReadyPartitions ready;
  private final Processor processor;
  private final Duration safety;
  private volatile boolean polling;
  private Duration interval = FASTEST;

  /**
   * A reconciler.
   *
   * @param safety the longest time between two looks
   * @param polling whether it has to find the work of other processes
   */
  Reconciler(
      QueueStore store,
      Queues queues,
      DirtyPartitions dirty,
      ReadyPartitions ready,
      Processor processor,
      Duration safety,
      boolean polling) {
    this.store = store;
    this.queues = queues;
    this.dirty = dirty;
    this.ready = ready;
    this.processor = processor;
    this.safety = safety;
    this.polling = polling;
  }

  @Override
  public String name() {
    return "reconciler";
  }

  @Override
  public Next runOnce() {
    boolean unnumbered = dirty.mark(store.dirty()) > 0;
    boolean found = lookForUndelivered() || unnumbered;
    interval = found ? FASTEST : shorter(SLOWEST, interval.multipliedBy(2));
    return Next.whenRung(polling ? shorter(interval, safety) : safety);
  }

  /** Whether other processes can wake this one: if not, it has to find their work. */
  void polling(boolean value) {
    polling = value;
  }

  private boolean lookForUndelivered() {
    boolean found = false;
    for (Backlog backlog : store.backlog()) {
      Place place = queues.place(backlog.partitionId());
      if (place != null && processor.serves(place.queue().name())) {
        String queue = place.queue().name();
        found |=
            (backlog.reckoned()
                    ? ready.markReckoned(queue, backlog.partitionId(), backlog.dueIn())
                    : ready.mark(queue, backlog.partitionId(), backlog.dueIn()))
                > 0;
      }
    }
    return found;
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}

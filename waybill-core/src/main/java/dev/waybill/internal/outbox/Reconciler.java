package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.store.QueueStore;
import dev.waybill.internal.store.QueueStore.Backlog;
import java.time.Duration;
import java.util.List;

/**
 * Finds work that nobody announced: what was committed without a flush, by a process that died, or
 * by one that cannot reach this one. Two queries, whose cost does not depend on how much waits.
 *
 * <p>Where processes cannot wake one another it is also how work of the others is found: it looks
 * often while it finds something, and ever less often while it does not.
 */
final class Reconciler implements Worker {
  private final QueueStore store;
  private final Queues queues;
  private final DirtyPartitions dirty;
  private final ReadyPartitions ready;
  private final Processor processor;
  private final Duration shortest;
  private final Duration longest;
  private Duration interval;

  /**
   * A reconciler.
   *
   * @param shortest the time to the next look after it found something
   * @param longest the time to the next look when there was nothing for long
   */
  Reconciler(
      QueueStore store,
      Queues queues,
      DirtyPartitions dirty,
      ReadyPartitions ready,
      Processor processor,
      Duration shortest,
      Duration longest) {
    this.store = store;
    this.queues = queues;
    this.dirty = dirty;
    this.ready = ready;
    this.processor = processor;
    this.shortest = shortest;
    this.longest = longest;
    this.interval = shortest;
  }

  @Override
  public String name() {
    return "reconciler";
  }

  @Override
  public Next runOnce() {
    boolean unnumbered = lookForUnnumbered();
    boolean found = lookForUndelivered() || unnumbered;
    interval = found ? shortest : shorter(longest, interval.multipliedBy(2));
    return Next.whenRung(interval);
  }

  private boolean lookForUnnumbered() {
    List<Long> partitions = store.dirty();
    dirty.mark(partitions);
    return !partitions.isEmpty();
  }

  private boolean lookForUndelivered() {
    boolean found = false;
    for (Backlog backlog : store.backlog()) {
      Place place = queues.place(backlog.partitionId());
      if (place != null && processor.serves(place.queue().name())) {
        ready.mark(place.queue().name(), backlog.partitionId(), backlog.dueIn());
        found = true;
      }
    }
    return found;
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.notice.Notices;
import dev.waybill.internal.outbox.Queues.Place;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Who is to be woken when something happened: the next stage here, and other processes if this one
 * leaves work to them.
 */
final class Wakeups {
  /** There are messages without numbers. */
  private static final String DIRTY = "DIRTY";

  /** There are delayed messages, one of which may be due before the others. */
  private static final String DELAYED = "DELAYED";

  /** There are messages to deliver. */
  private static final String READY = "READY";

  private final Queues queues;
  private final Set<String> served;
  private final DirtyPartitions dirty;
  private final ReadyPartitions ready;
  private final Bell delayedBell;
  private final Bell lookBell;
  private final Notices notices;
  private final boolean sequencing;

  /**
   * The wake-ups of one process.
   *
   * @param served the queues it delivers
   * @param notices tells other processes, if that is possible
   * @param sequencing whether this process has sequencers
   */
  Wakeups(
      Queues queues,
      Set<String> served,
      DirtyPartitions dirty,
      ReadyPartitions ready,
      Bell delayedBell,
      Bell lookBell,
      Notices notices,
      boolean sequencing) {
    this.queues = queues;
    this.served = Set.copyOf(served);
    this.dirty = dirty;
    this.ready = ready;
    this.delayedBell = delayedBell;
    this.lookBell = lookBell;
    this.notices = notices;
    this.sequencing = sequencing;
  }

  /** Messages were committed; delayed ones among them, perhaps. */
  void committed(Collection<Long> partitions, boolean delayed) {
    if (!sequencing) {
      announce(DIRTY, partitions);
      if (delayed) {
        notices.announce(DELAYED, List.of());
      }
      return;
    }
    dirty.mark(partitions);
    if (delayed) {
      delayedBell.ring();
    }
  }

  /** Has them delivered here if that is possible soon, and tells others of the rest. */
  void numbered(List<Long> partitions) {
    announce(READY, markReady(partitions));
  }

  /** An operator let them go on. */
  void resumed(List<Long> partitions) {
    lookNow();
    announce(READY, partitions);
  }

  /** Another process has the partition, and may not know that there is more. */
  void elsewhere(long partition) {
    announce(READY, List.of(partition));
  }

  /** Does what other processes say, and looks when it can hear them and when it cannot any more. */
  void listen(Consumer<Boolean> canHear) {
    notices.subscribe(
        DIRTY,
        words -> dirty.mark(partitions(words)),
        hearing -> {
          canHear.accept(hearing);
          // Whatever was said while nobody listened.
          lookNow();
        });
    notices.subscribe(DELAYED, words -> delayedBell.ring(), hearing -> delayedBell.ring());
    notices.subscribe(READY, words -> markReady(partitions(words)), hearing -> {});
  }

  private static List<Long> partitions(List<String> words) {
    return words.stream().map(Long::valueOf).toList();
  }

  /** The reconciler looks at once. */
  void lookNow() {
    lookBell.ring();
  }

  private void announce(String topic, Collection<Long> partitions) {
    if (!partitions.isEmpty()) {
      notices.announce(topic, partitions.stream().map(String::valueOf).toList());
    }
  }

  /** Gives those that others had better deliver. */
  private List<Long> markReady(List<Long> partitions) {
    List<Long> left = new ArrayList<>();
    for (long partition : partitions) {
      Place place = queues.place(partition);
      String queue = place == null ? "" : place.queue().name();
      if (!served.contains(queue)) {
        left.add(partition);
        continue;
      }
      ready.mark(queue, List.of(partition));
      if (ready.isCrowded(queue)) {
        left.add(partition);
      }
    }
    return left;
  }
}

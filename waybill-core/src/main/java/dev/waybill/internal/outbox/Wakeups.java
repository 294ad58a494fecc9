package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.outbox.Announcement.Kind;
import dev.waybill.internal.outbox.Queues.Place;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Who is to be woken when something happened: the next stage here, and other processes if this one
 * leaves work to them.
 */
final class Wakeups {
  private final Queues queues;
  private final Set<String> served;
  private final DirtyPartitions dirty;
  private final ReadyPartitions ready;
  private final Bell delayedBell;
  private final Bell lookBell;
  private final Optional<Announcer> announcer;
  private final boolean sequencing;

  /**
   * The wake-ups of one process.
   *
   * @param served the queues it delivers
   * @param announcer tells other processes, if that is possible
   * @param sequencing whether this process has sequencers
   */
  Wakeups(
      Queues queues,
      Set<String> served,
      DirtyPartitions dirty,
      ReadyPartitions ready,
      Bell delayedBell,
      Bell lookBell,
      Optional<Announcer> announcer,
      boolean sequencing) {
    this.queues = queues;
    this.served = Set.copyOf(served);
    this.dirty = dirty;
    this.ready = ready;
    this.delayedBell = delayedBell;
    this.lookBell = lookBell;
    this.announcer = announcer;
    this.sequencing = sequencing;
  }

  /** Messages were committed; delayed ones among them, perhaps. */
  void committed(Collection<Long> partitions, boolean delayed) {
    if (!sequencing) {
      announce(Kind.DIRTY, partitions);
      return;
    }
    dirty.mark(partitions);
    if (delayed) {
      delayedBell.ring();
    }
  }

  /** Has them delivered here if that is possible soon, and tells others of the rest. */
  void numbered(List<Long> partitions) {
    announce(Kind.READY, markReady(partitions));
  }

  /** An operator let them go on. */
  void resumed(List<Long> partitions) {
    lookNow();
    announce(Kind.READY, partitions);
  }

  /** Another process has the partition, and may not know that there is more. */
  void elsewhere(long partition) {
    announce(Kind.READY, List.of(partition));
  }

  /** Another process said something. */
  void heard(Announcement announcement) {
    switch (announcement.kind()) {
      case DIRTY -> dirty.mark(announcement.partitions());
      case READY -> markReady(announcement.partitions());
      case PROBE -> {}
    }
  }

  /** The reconciler looks at once. */
  void lookNow() {
    lookBell.ring();
  }

  private void announce(Kind kind, Collection<Long> partitions) {
    announcer.ifPresent(worker -> worker.announce(kind, partitions));
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

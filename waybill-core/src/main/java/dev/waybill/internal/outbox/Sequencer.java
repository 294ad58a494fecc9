package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.store.MessageStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives committed messages their numbers. A visit takes all partitions that are dirty, oldest
 * first, and numbers in one step what is visible in them. It never waits for a producer or for
 * another sequencer: a partition in other hands comes back a little later, and so does one of a
 * backlog that has plenty of numbered messages to deliver.
 */
final class Sequencer implements Worker {
  /** More would make one transaction hold too many rows, and keep the others from helping. */
  private static final int MOST_PARTITIONS = 128;

  /** Of all partitions of a visit: statements and transactions have to stay of a bearable size. */
  static final int MOST_MESSAGES = 50_000;

  private final int number;
  private final DirtyPartitions dirty;
  private final MessageStore store;
  private final Express express;
  private final HeadStart headStart;
  private final Consumer<List<Long>> numbered;
  private final Events events;
  private final Time time;
  private final int smallest;
  private final int largest;
  private int messages;

  /** A partition of a visit that failed and was not followed by one that went well. */
  private @Nullable Long troubled;

  /**
   * A sequencer among several.
   *
   * @param numbered is told which partitions have new numbers and are not on their way yet
   * @param batchSize messages per partition and visit
   * @param growth how many times the batch size a visit may take while there is a backlog
   */
  Sequencer(
      int number,
      DirtyPartitions dirty,
      MessageStore store,
      Express express,
      HeadStart headStart,
      Consumer<List<Long>> numbered,
      Events events,
      Time time,
      int batchSize,
      int growth) {
    this.number = number;
    this.dirty = dirty;
    this.store = store;
    this.express = express;
    this.headStart = headStart;
    this.numbered = numbered;
    this.events = events;
    this.time = time;
    this.smallest = batchSize;
    this.largest = (int) Math.min(Integer.MAX_VALUE, (long) batchSize * growth);
    this.messages = batchSize;
  }

  @Override
  public String name() {
    return "sequencer-" + number;
  }

  @Override
  public Next runOnce() {
    try (DirtyPartitions.Claim claim = dirty.take(MOST_PARTITIONS)) {
      if (!claim.isEmpty()) {
        troubled = claim.ids().get(0);
        visit(claim);
      } else if (troubled != null) {
        // Others have what this one failed on. That it finds nothing to do proves nothing.
        store.state(troubled);
      }
    }
    troubled = null;
    return dirty.next();
  }

  /** How many of so many wanted messages each of these partitions gets in one visit. */
  static int share(int wanted, int partitions) {
    return Math.min(wanted, MOST_MESSAGES / partitions);
  }

  private void visit(DirtyPartitions.Claim claim) {
    long began = time.nanos();
    long[] ids = claim.ids().stream().mapToLong(Long::longValue).toArray();
    int each = share(messages, ids.length);
    List<Long> advanced = new ArrayList<>();
    List<Long> drained = new ArrayList<>();
    List<Long> saturated = new ArrayList<>();
    List<Long> skipped = new ArrayList<>();
    int total = 0;
    try (Express.Load load = express.number(ids, each)) {
      for (long id : ids) {
        Integer count = load.counts().get(id);
        if (count == null) {
          skipped.add(id);
          continue;
        }
        total += count;
        // A visit that failed may have numbered all the same.
        if ((count > 0 || claim.failedBefore(id)) && !load.taken().contains(id)) {
          advanced.add(id);
        }
        (count < each ? drained : saturated).add(id);
      }
      numbered.accept(advanced);
    }
    if (total > 0) {
      events.sequenced(total, Duration.ofNanos(time.nanos() - began));
    }
    if (saturated.isEmpty()) {
      claim.found(total);
    }
    drained.forEach(headStart::forget);
    claim.done(drained, true);
    claim.skipped(skipped);
    comeBack(claim, saturated, each);
    messages = saturated.isEmpty() ? smallest : Math.min(largest, messages * 2);
  }

  private void comeBack(DirtyPartitions.Claim claim, List<Long> saturated, int numbered) {
    if (saturated.isEmpty()) {
      return;
    }
    Map<Long, Long> waiting = store.waiting(saturated);
    for (Long id : saturated) {
      claim.later(id, headStart.rest(id, waiting.getOrDefault(id, 0L), numbered));
    }
  }
}

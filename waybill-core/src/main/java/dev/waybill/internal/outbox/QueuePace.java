package dev.waybill.internal.outbox;

import dev.waybill.internal.store.PaceStore.NewPace;
import dev.waybill.outbox.DeliveryTimes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/**
 * What this process did with a queue in the last half minute. Many threads may count; the rest is
 * for one.
 */
final class QueuePace {
  static final Duration WINDOW = Duration.ofSeconds(30);

  private final long queueId;
  private final AtomicLongArray times = new AtomicLongArray(DeliveryTimes.BUCKETS);
  private final LongAdder retried = new LongAdder();
  private final LongAdder rejected = new LongAdder();

  /** How far the counters were when they were written down; the window begins at the first. */
  private final Deque<Mark> marks = new ArrayDeque<>();

  private record Mark(long nanos, DeliveryTimes times, long retried, long rejected) {
    boolean countsLike(Mark other) {
      return retried == other.retried && rejected == other.rejected && times.equals(other.times);
    }
  }

  /**
   * Something to be written down.
   *
   * @param written to be told when it is
   */
  record News(NewPace pace, Runnable written) {}

  QueuePace(long queueId, long nanos) {
    this.queueId = queueId;
    marks.add(new Mark(nanos, DeliveryTimes.none(), 0, 0));
  }

  void delivered(int messages, Duration took) {
    times.addAndGet(DeliveryTimes.bucketOf(took), messages);
  }

  void retried() {
    retried.increment();
  }

  void rejected() {
    rejected.increment();
  }

  /** The last half minute, if something was counted since it was written down. */
  Optional<News> news(long nanos) {
    Mark now =
        new Mark(
            nanos,
            new DeliveryTimes(IntStream.range(0, times.length()).mapToObj(times::get).toList()),
            retried.sum(),
            rejected.sum());
    if (now.countsLike(marks.getLast())) {
      return Optional.empty();
    }
    Mark begin = marks.getFirst();
    for (Mark mark : marks) {
      begin = nanos - mark.nanos() >= WINDOW.toNanos() ? mark : begin;
    }
    Duration span = Duration.ofNanos(Math.min(nanos - begin.nanos(), WINDOW.toNanos()));
    NewPace pace =
        new NewPace(
            queueId,
            now.times().since(begin.times()),
            now.retried() - begin.retried(),
            now.rejected() - begin.rejected(),
            span);
    long first = begin.nanos();
    return Optional.of(
        new News(
            pace,
            () -> {
              marks.removeIf(mark -> mark.nanos() - first < 0);
              marks.addLast(now);
            }));
  }
}

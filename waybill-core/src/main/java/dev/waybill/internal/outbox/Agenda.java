package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Backoff;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions have work, who has which, and when the others are due.
 *
 * <p>A partition is idle (and not held here at all), waiting until it is due, or claimed by one
 * {@link Turn}. {@link #mark} makes an idle one wait; a waiting one stays as it is, so marks
 * coalesce and nothing shortens a wait; a claimed one is remembered as marked, and waits again when
 * its turn ends. {@link #take} hands out those that are due, the one that has been due for longest
 * first, over all queues whose limit of concurrent turns is not reached. A partition that comes
 * back (because there is more, it was skipped, or it failed) is due from then on, behind those that
 * were due before: nobody starves.
 *
 * <p>It has no timer and no thread: workers wait for what {@link #next} says. For that somebody
 * must always watch the clock, so it rings when the next due time moves nearer, and when a worker
 * takes something and leaves something, because that worker is busy now. An answer to a ring costs
 * a look in here, no more. Safe for use by many threads; every operation takes O(log n) per
 * partition.
 */
final class Agenda<Q> {
  private static final class Queue<Q> {
    final Q name;
    final TreeSet<Entry<Q>> waiting = new TreeSet<>(oldestFirst());
    int limit = Integer.MAX_VALUE;
    int claimed;
    @Nullable Entry<Q> offered;

    Queue(Q name) {
      this.name = name;
    }
  }

  /** What is known of one partition that is not idle. */
  static final class Entry<Q> {
    final long id;
    private final Queue<Q> queue;
    private long due;
    private boolean claimed;
    private boolean marked;
    private int failures;
    private int skips;

    private Entry(long id, Queue<Q> queue) {
      this.id = id;
      this.queue = queue;
    }

    Q queueName() {
      return queue.name;
    }
  }

  private final Time time;
  private final Runnable ring;
  private final Pauses pauses;
  private final long origin;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Q, Queue<Q>> queues = new HashMap<>();
  private final Map<Long, Entry<Q>> entries = new HashMap<>();

  /** Of each queue that has a free turn, the entry that is due first. */
  private final TreeSet<Entry<Q>> offers = new TreeSet<>(oldestFirst());

  /**
   * How long those who come back have to wait.
   *
   * @param skipped for somebody else who has the partition
   * @param failed after an error
   * @param random gives numbers from 0 (inclusive) to 1 (exclusive)
   */
  record Pauses(Backoff skipped, Backoff failed, DoubleSupplier random) {}

  Agenda(Time time, Runnable ring, Pauses pauses) {
    this.time = time;
    this.ring = ring;
    this.pauses = pauses;
    this.origin = time.nanos();
  }

  private static <Q> Comparator<Entry<Q>> oldestFirst() {
    return Comparator.<Entry<Q>>comparingLong(entry -> entry.due)
        .thenComparingLong(entry -> entry.id);
  }

  /** At most this many turns of the queue at a time; 0 pauses it. */
  void limit(Q name, int turns) {
    change(
        () -> {
          Queue<Q> queue = queue(name);
          queue.limit = turns;
          offer(queue);
        });
  }

  /** These partitions have work, to be touched after that time at the earliest. */
  void mark(Q name, Collection<Long> ids, Duration notBefore) {
    change(
        () -> {
          Queue<Q> queue = queue(name);
          for (long id : ids) {
            Entry<Q> entry = entries.computeIfAbsent(id, absent -> new Entry<>(absent, queue));
            if (entry.claimed) {
              entry.marked = true;
            } else if (!entry.queue.waiting.contains(entry)) {
              await(entry, notBefore);
            }
          }
        });
  }

  /** Claims the partitions that are due, up to so many, oldest first. */
  List<Turn<Q>> take(int max) {
    var turns = new ArrayList<Turn<Q>>();
    boolean leavesSome;
    lock.lock();
    try {
      long now = now();
      while (turns.size() < max && !offers.isEmpty() && offers.first().due <= now) {
        Entry<Q> entry = offers.first();
        entry.queue.waiting.remove(entry);
        entry.queue.claimed++;
        entry.claimed = true;
        entry.marked = false;
        offer(entry.queue);
        turns.add(new Turn<>(this, entry));
      }
      leavesSome = !turns.isEmpty() && !offers.isEmpty();
    } finally {
      lock.unlock();
    }
    if (leavesSome) {
      ring.run();
    }
    return turns;
  }

  void done(Entry<Q> entry, boolean more) {
    change(
        () -> {
          entry.failures = 0;
          entry.skips = 0;
          release(entry);
          if (more || entry.marked) {
            await(entry, Duration.ZERO);
          } else {
            entries.remove(entry.id);
          }
        });
  }

  void notBefore(Entry<Q> entry, Duration delay) {
    change(
        () -> {
          entry.failures = 0;
          entry.skips = 0;
          release(entry);
          await(entry, delay);
        });
  }

  void skipped(Entry<Q> entry) {
    change(
        () -> {
          entry.skips++;
          release(entry);
          await(entry, pauses.skipped.delay(entry.skips, pauses.random));
        });
  }

  void failed(Entry<Q> entry) {
    change(
        () -> {
          entry.failures++;
          release(entry);
          await(entry, pauses.failed.delay(entry.failures, pauses.random));
        });
  }

  /** The time until something can be taken: zero if it can now, empty if nothing waits. */
  Optional<Duration> untilNext() {
    lock.lock();
    try {
      return offers.isEmpty()
          ? Optional.empty()
          : Optional.of(Duration.ofNanos(Math.max(0, offers.first().due - now())));
    } finally {
      lock.unlock();
    }
  }

  /** When a worker that has settled all its turns is to look again. */
  Next next() {
    return untilNext()
        .map(wait -> wait.isZero() ? Next.now() : Next.sleep(wait))
        .orElseGet(Next::whenRung);
  }

  /** How many partitions are not idle. */
  int size() {
    lock.lock();
    try {
      return entries.size();
    } finally {
      lock.unlock();
    }
  }

  private void change(Runnable change) {
    boolean nearer;
    lock.lock();
    try {
      long before = nextDue();
      change.run();
      nearer = nextDue() < before;
    } finally {
      lock.unlock();
    }
    if (nearer) {
      ring.run();
    }
  }

  private long nextDue() {
    return offers.isEmpty() ? Time.FOREVER : offers.first().due;
  }

  private void release(Entry<Q> entry) {
    entry.claimed = false;
    entry.queue.claimed--;
    offer(entry.queue);
  }

  private void await(Entry<Q> entry, Duration delay) {
    long now = now();
    long nanos = Time.toNanos(delay);
    entry.due = nanos >= Time.FOREVER - now ? Time.FOREVER - 1 : now + nanos;
    entry.queue.waiting.add(entry);
    offer(entry.queue);
  }

  /** Brings the queue's place among the offers up to date. */
  private void offer(Queue<Q> queue) {
    if (queue.offered != null) {
      offers.remove(queue.offered);
    }
    boolean free = queue.claimed < queue.limit && !queue.waiting.isEmpty();
    queue.offered = free ? queue.waiting.first() : null;
    if (queue.offered != null) {
      offers.add(queue.offered);
    }
  }

  private Queue<Q> queue(Q name) {
    return queues.computeIfAbsent(name, Queue::new);
  }

  private long now() {
    return time.nanos() - origin;
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Backoff;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.outbox.Lineup.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions have work, who has which, and when the others are due.
 *
 * <p>A partition is idle (and not held here at all), waiting until it is due, or claimed by one
 * {@link Turn}. {@link #mark} makes an idle one wait; a waiting one stays as it is, so marks
 * coalesce and nothing shortens a wait; unless the wait was only reckoned, from a lease of somebody
 * who may be done early: then a later mark may shorten it. A claimed one is remembered as marked,
 * and waits again when its turn ends. {@link #take} hands out those that are due, the one that has
 * been due for longest first, over all queues whose limit of concurrent turns is not reached. A
 * partition that comes back (because there is more, it was skipped, or it failed) lines up behind
 * those that were due before it is due again: nobody starves.
 *
 * <p>It has no timer and no thread: workers wait for what {@link #next} says. For that somebody
 * must always watch the clock, so it rings when the next due time moves nearer, and when a worker
 * takes something and leaves something that is due, or that nobody was called to watch yet, because
 * that worker is busy now. An answer to a ring costs a look in here, no more. Safe for use by many
 * threads; every operation takes O(log n) per partition.
 */
final class Agenda<Q> {
  /**
   * How long those who come back have to wait.
   *
   * @param skipped while somebody else has the partition
   * @param failed after an error
   * @param random gives numbers from 0 (inclusive) to 1 (exclusive)
   */
  record Pauses(Backoff skipped, Backoff failed, DoubleSupplier random) {}

  private final Time time;
  private final Runnable ring;
  private final Pauses pauses;
  private final long origin;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Long, Entry<Q>> entries = new HashMap<>();
  private final Lineup<Q> lineup = new Lineup<>();

  /** The future due time that somebody was called to watch last. */
  private long watched = Time.FOREVER;

  /** Nothing is handed out before this time. */
  private long restsUntil;

  Agenda(Time time, Runnable ring, Pauses pauses) {
    this.time = time;
    this.ring = ring;
    this.pauses = pauses;
    this.origin = time.nanos();
  }

  /** At most this many turns of the queue at a time; 0 pauses it. */
  void limit(Q queue, int turns) {
    change(() -> lineup.limit(queue, turns));
  }

  /**
   * These partitions have work, to be touched after that time at the earliest. Says how many of
   * them were idle.
   */
  int mark(Q queue, Collection<Long> ids, Duration notBefore) {
    return mark(queue, ids, notBefore, false);
  }

  /**
   * The same for one partition, but the time is only reckoned: a mark that asks for an earlier one
   * shortens the wait.
   */
  int markReckoned(Q queue, long id, Duration atMost) {
    return mark(queue, List.of(id), atMost, true);
  }

  private int mark(Q queue, Collection<Long> ids, Duration notBefore, boolean reckoned) {
    var idle = new int[1];
    change(
        () -> {
          for (long id : ids) {
            Entry<Q> known = entries.get(id);
            if (known == null) {
              Entry<Q> entry = lineup.enter(queue, id);
              entries.put(id, entry);
              await(entry, notBefore);
              entry.reckoned = reckoned;
              idle[0]++;
            } else if (known.isClaimed()) {
              known.marked = true;
            } else if (known.reckoned && dueAfter(notBefore) < known.due()) {
              lineup.leaveLine(known);
              await(known, notBefore);
              known.reckoned = reckoned;
            }
          }
        });
    return idle[0];
  }

  /** Whether partitions of the queue wait for a turn though all turns of it are taken. */
  boolean isCrowded(Q queue) {
    lock.lock();
    try {
      return lineup.isCrowded(queue);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Claims a partition that is idle; null if it is not, or if others of its queue come before it.
   */
  @Nullable Turn<Q> takeIdle(Q queue, long id) {
    lock.lock();
    try {
      if (entries.containsKey(id) || restsUntil > now() || !lineup.hasRoom(queue, now())) {
        return null;
      }
      Entry<Q> entry = lineup.enter(queue, id);
      entries.put(id, entry);
      lineup.claim(entry);
      return new Turn<>(this, entry);
    } finally {
      lock.unlock();
    }
  }

  /** Claims the partitions that are due, up to so many, oldest first. */
  List<Turn<Q>> take(int max) {
    var turns = new ArrayList<Turn<Q>>();
    boolean call;
    lock.lock();
    try {
      long now = now();
      Entry<Q> first = lineup.first();
      while (turns.size() < max && first != null && dueOf(first) <= now) {
        lineup.claim(first);
        first.marked = false;
        turns.add(new Turn<>(this, first));
        first = lineup.first();
      }
      call = !turns.isEmpty() && first != null && (dueOf(first) <= now || dueOf(first) != watched);
      if (call) {
        watch();
      }
    } finally {
      lock.unlock();
    }
    if (call) {
      ring.run();
    }
    return turns;
  }

  void done(Entry<Q> entry, boolean more) {
    change(
        () -> {
          wentWell(entry);
          if (more || entry.marked) {
            await(entry, Duration.ZERO);
          } else {
            lineup.leave(entry);
            entries.remove(entry.id);
          }
        });
  }

  void notBefore(Entry<Q> entry, Duration delay) {
    change(
        () -> {
          wentWell(entry);
          await(entry, delay);
        });
  }

  /** Comes back after that time, or sooner if there is news of it. */
  void until(Entry<Q> entry, Duration atMost) {
    change(
        () -> {
          wentWell(entry);
          await(entry, entry.marked ? Duration.ZERO : atMost);
          entry.reckoned = true;
        });
  }

  /** Nothing is handed out for that time, whatever is due or comes. */
  void rest(Duration duration) {
    change(() -> restsUntil = dueAfter(duration));
  }

  /** Whether something is due, or one of these that are claimed was marked meanwhile. */
  boolean hasMore(Collection<Turn<Q>> claimed) {
    lock.lock();
    try {
      Entry<Q> first = lineup.first();
      return (first != null && first.due() <= now())
          || claimed.stream().anyMatch(turn -> turn.entry().marked);
    } finally {
      lock.unlock();
    }
  }

  /** How many times in a row somebody else had it. */
  int skips(Entry<Q> entry) {
    lock.lock();
    try {
      return entry.skips;
    } finally {
      lock.unlock();
    }
  }

  /** How many times in a row it went wrong. */
  int failures(Entry<Q> entry) {
    lock.lock();
    try {
      return entry.failures;
    } finally {
      lock.unlock();
    }
  }

  void skipped(Entry<Q> entry) {
    change(
        () -> {
          entry.skips++;
          await(entry, pauses.skipped.delay(entry.skips, pauses.random));
        });
  }

  void failed(Entry<Q> entry) {
    change(
        () -> {
          entry.failures++;
          await(entry, pauses.failed.delay(entry.failures, pauses.random));
        });
  }

  /** The time until something can be taken: zero if it can now, empty if nothing can. */
  Optional<Duration> untilNext() {
    lock.lock();
    try {
      Entry<Q> first = lineup.first();
      return first == null
          ? Optional.empty()
          : Optional.of(Duration.ofNanos(Math.max(0, dueOf(first) - now())));
    } finally {
      lock.unlock();
    }
  }

  /** When a worker is to look again. */
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
      if (nearer) {
        watch();
      }
    } finally {
      lock.unlock();
    }
    if (nearer) {
      ring.run();
    }
  }

  private void watch() {
    long next = nextDue();
    if (next > now()) {
      watched = next;
    }
  }

  private long nextDue() {
    Entry<Q> first = lineup.first();
    return first == null ? Time.FOREVER : dueOf(first);
  }

  private long dueOf(Entry<Q> first) {
    return Math.max(first.due(), restsUntil);
  }

  private static void wentWell(Entry<?> entry) {
    entry.failures = 0;
    entry.skips = 0;
  }

  private void await(Entry<Q> entry, Duration delay) {
    entry.reckoned = false;
    lineup.await(entry, dueAfter(delay));
  }

  private long dueAfter(Duration delay) {
    long now = now();
    // One less than forever, so that it still counts as nearer than nothing.
    return now + Math.min(Time.toNanos(delay), Time.FOREVER - 1 - now);
  }

  private long now() {
    return time.nanos() - origin;
  }
}

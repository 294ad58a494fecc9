package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Backoff;
import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.outbox.Agenda.Pauses;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * The partitions that may have messages without a number: producers mark them after their commit,
 * sequencers take them, and let them rest for a moment if that saves visits. See {@link Agenda} for
 * states, order and wake-ups, {@link Gathering} for the rests.
 *
 * <p>Safe for use by many threads.
 */
final class DirtyPartitions {
  /** A lock on a partition row is held for one statement's time, hence the short beginning. */
  private static final Backoff SKIPPED =
      new Backoff(Duration.ofMillis(5), 2, Duration.ofMillis(200), 0.3);

  private static final Backoff FAILED =
      new Backoff(Duration.ofMillis(200), 2, Duration.ofSeconds(30), 0.3);

  private static final String ALL = "all";

  private final Time time;
  private final Agenda<String> agenda;
  private final Gathering gathering;

  /** Nothing is dirty yet. The bell is the sequencers'. */
  DirtyPartitions(Time time, Bell bell, Gathering gathering) {
    this(time, bell::ring, () -> ThreadLocalRandom.current().nextDouble(), gathering);
  }

  DirtyPartitions(Time time, Runnable ring, DoubleSupplier random, Gathering gathering) {
    this.time = time;
    this.gathering = gathering;
    this.agenda = new Agenda<>(time, ring, new Pauses(SKIPPED, FAILED, random));
  }

  /** Messages were committed to these partitions. Says how many of them were not dirty before. */
  int mark(Collection<Long> partitions) {
    return agenda.mark(ALL, partitions, Duration.ZERO);
  }

  /** Claims partitions that are due, up to so many, oldest first; perhaps none. */
  Claim take(int max) {
    return new Claim(agenda.take(max));
  }

  /** The time until something can be taken: zero if it can now, empty if nothing waits. */
  Optional<Duration> untilNext() {
    return agenda.untilNext();
  }

  /** When a sequencer that has closed its claim is to look again. */
  Next next() {
    return agenda.next();
  }

  /** Whether so little comes that each message may see for itself how it gets on its way. */
  boolean isCalm() {
    return gathering.isCalm();
  }

  /** How many partitions are dirty or claimed. */
  int size() {
    return agenda.size();
  }

  /**
   * The partitions of one visit. Each is settled once, some together or each alone; what is left
   * when the claim is closed has failed. For one thread.
   */
  final class Claim implements AutoCloseable {
    private final long began = time.nanos();
    private final List<Long> ids;
    private final Map<Long, Turn<String>> open = new LinkedHashMap<>();

    private Claim(List<Turn<String>> turns) {
      turns.forEach(turn -> open.put(turn.partition(), turn));
      ids = List.copyOf(open.keySet());
    }

    /** All of them, oldest first. */
    List<Long> ids() {
      return ids;
    }

    boolean isEmpty() {
      return ids.isEmpty();
    }

    /** Whether the visit before this one went wrong. */
    boolean failedBefore(Long id) {
      Turn<String> turn = open.get(id);
      return turn != null && turn.failuresBefore() > 0;
    }

    /**
     * The visit found so many messages, and no backlog. Said before anything is settled: if the
     * visit was not worth it and there is more, all rest for a moment.
     */
    void found(int messages) {
      boolean more = agenda.hasMore(open.values());
      Duration rest = gathering.after(messages, Duration.ofNanos(time.nanos() - began), more);
      if (!rest.isZero()) {
        agenda.rest(rest);
      }
    }

    /** These were visited; drained means that nothing visible was left. */
    void done(Collection<Long> partitions, boolean drained) {
      partitions.forEach(id -> open(id).done(!drained));
    }

    /** There is more in it, for which there is that much time; or none. */
    void later(Long partition, Duration rest) {
      if (rest.isZero()) {
        open(partition).done(true);
      } else {
        open(partition).notBefore(rest);
      }
    }

    /** Somebody else has these. */
    void skipped(Collection<Long> partitions) {
      partitions.forEach(id -> open(id).skipped());
    }

    /** The visit of these went wrong. */
    void failed(Collection<Long> partitions) {
      partitions.forEach(id -> open(id).failed());
    }

    @Override
    public void close() {
      open.values().forEach(Turn::failed);
      open.clear();
    }

    private Turn<String> open(Long id) {
      Turn<String> turn = open.remove(id);
      if (turn == null) {
        throw new IllegalStateException("Partition " + id + " is not, or no longer, claimed here");
      }
      return turn;
    }
  }
}

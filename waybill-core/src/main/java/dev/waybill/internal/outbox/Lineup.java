package dev.waybill.internal.outbox;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The partitions that wait, in the order in which they are due, over all queues that have a free
 * turn. Not thread-safe: {@link Agenda} guards it.
 */
final class Lineup<Q> {
  /** A queue's limit and those of its partitions that wait. */
  private static final class Line<Q> {
    final Q queue;
    final TreeSet<Entry<Q>> waiting = new TreeSet<>(oldestFirst());
    int limit = Integer.MAX_VALUE;
    int claimed;
    @Nullable Entry<Q> offered;

    Line(Q queue) {
      this.queue = queue;
    }
  }

  /** A partition that is not idle: in its line, or claimed. */
  static final class Entry<Q> {
    final long id;
    private final Line<Q> line;
    private long due;
    private boolean claimed;

    /** Whether there was news of it while it was claimed. */
    boolean marked;

    /** Whether its wait is only a guess. */
    boolean reckoned;

    /** In a row, without a visit in between that went well. */
    int failures;

    /** In a row, without a visit in between that went well. */
    int skips;

    private Entry(long id, Line<Q> line) {
      this.id = id;
      this.line = line;
    }

    Q queue() {
      return line.queue;
    }

    long due() {
      return due;
    }

    boolean isClaimed() {
      return claimed;
    }
  }

  private final Map<Q, Line<Q>> lines = new HashMap<>();

  /** Of each line with a free turn, the one that is due first. */
  private final TreeSet<Entry<Q>> offers = new TreeSet<>(oldestFirst());

  private static <Q> Comparator<Entry<Q>> oldestFirst() {
    return Comparator.<Entry<Q>>comparingLong(entry -> entry.due)
        .thenComparingLong(entry -> entry.id);
  }

  void limit(Q queue, int turns) {
    Line<Q> line = line(queue);
    line.limit = turns;
    offer(line);
  }

  boolean isCrowded(Q queue) {
    Line<Q> line = line(queue);
    return line.claimed >= line.limit && !line.waiting.isEmpty();
  }

  /** Whether the queue has a free turn and nobody waits for it. */
  boolean hasRoom(Q queue, long now) {
    Line<Q> line = line(queue);
    return line.claimed < line.limit && (line.waiting.isEmpty() || line.waiting.first().due > now);
  }

  /** A new entry that is in no line yet. */
  Entry<Q> enter(Q queue, long id) {
    return new Entry<>(id, line(queue));
  }

  /** Puts an entry that is not in line there. */
  void await(Entry<Q> entry, long due) {
    if (entry.claimed) {
      entry.claimed = false;
      entry.line.claimed--;
    }
    entry.due = due;
    entry.line.waiting.add(entry);
    offer(entry.line);
  }

  /** The entry that is due first among those that could be claimed. */
  @Nullable Entry<Q> first() {
    return offers.isEmpty() ? null : offers.first();
  }

  /** Takes a waiting entry out of its line, to be put there again. */
  void leaveLine(Entry<Q> entry) {
    entry.line.waiting.remove(entry);
    offer(entry.line);
  }

  /** Takes the entry out of its line. */
  void claim(Entry<Q> entry) {
    entry.line.waiting.remove(entry);
    entry.line.claimed++;
    entry.claimed = true;
    offer(entry.line);
  }

  /** Gives a claim up without a return to the line. */
  void leave(Entry<Q> entry) {
    entry.claimed = false;
    entry.line.claimed--;
    offer(entry.line);
  }

  /** Brings the line's place among the offers up to date. */
  private void offer(Line<Q> line) {
    if (line.offered != null) {
      offers.remove(line.offered);
    }
    boolean free = line.claimed < line.limit && !line.waiting.isEmpty();
    line.offered = free ? line.waiting.first() : null;
    if (line.offered != null) {
      offers.add(line.offered);
    }
  }

  private Line<Q> line(Q queue) {
    return lines.computeIfAbsent(queue, Line::new);
  }
}

package dev.waybill.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Compares what was committed to an ordered queue with what was delivered from it. Notes are {@code
 * producer:n}; a producer commits its messages one after the other, n growing, so this is also the
 * order in which they must come.
 */
public final class HistoryChecker {
  /** What a handler was given under a lease, in the order in which one process was given it. */
  public record Given(int partition, long seq, long epoch, String note) {}

  /** That all up to this number are done was stored, under this lease. */
  public record Stored(int partition, long seq, long epoch) {}

  /** What a handler wrote, or refused, in the transaction that moved the cursor. */
  public record Effect(int partition, long seq, String note) {}

  /** What can be wrong. */
  public enum Kind {
    LOST("lost"),
    NOT_COMMITTED("from rolled-back transactions"),
    GAP("gaps"),
    OUT_OF_ORDER("out of order"),
    TWICE("twice in the database"),
    AGAIN("given again though done");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Something that is wrong. */
  public record Violation(Kind kind, String what) {
    @Override
    public String toString() {
      return kind + ": " + what;
    }
  }

  private final List<Violation> violations = new ArrayList<>();

  /** Empty if all is as it should be. */
  public List<Violation> violations() {
    return violations;
  }

  /**
   * Checks a leased queue.
   *
   * @param committed the notes that were committed
   * @param last the last number that each partition gave
   * @param given to all processes, each one's in its order
   * @param stored what must not be given again under a later lease
   */
  public void leased(
      Set<String> committed, Map<Integer, Long> last, List<Given> given, List<Stored> stored) {
    Map<Integer, SortedMap<Long, String>> numbers = new HashMap<>();
    Map<Integer, SortedMap<Long, List<Long>>> byEpoch = new HashMap<>();
    for (Given each : given) {
      number(numbers, each.partition, each.seq, each.note);
      byEpoch
          .computeIfAbsent(each.partition, p -> new TreeMap<>())
          .computeIfAbsent(each.epoch, e -> new ArrayList<>())
          .add(each.seq);
    }
    complete("leased", committed, last, numbers);
    Map<Integer, Map<Long, Long>> done = new HashMap<>();
    for (Stored each : stored) {
      done.computeIfAbsent(each.partition, p -> new HashMap<>())
          .merge(each.epoch, each.seq, Math::max);
    }
    byEpoch.forEach((p, epochs) -> epochs(p, epochs, done.getOrDefault(p, Map.of())));
  }

  /**
   * Within a lease one number after the other, each once; no lease begins beyond those before, and
   * none repeats what an earlier one has stored as done.
   */
  private void epochs(int partition, SortedMap<Long, List<Long>> epochs, Map<Long, Long> stored) {
    long furthest = 0;
    long done = 0;
    for (var epoch : epochs.entrySet()) {
      long before = -1;
      for (long seq : epoch.getValue()) {
        String place = "partition " + partition + ", lease " + epoch.getKey();
        if (before >= 0 && seq != before + 1) {
          violate(Kind.OUT_OF_ORDER, place + ": " + seq + " after " + before);
        }
        if (seq > furthest + 1) {
          violate(Kind.OUT_OF_ORDER, place + " skips to " + seq);
        }
        if (seq <= done) {
          violate(Kind.AGAIN, place + ": " + seq + " though " + done + " was stored");
        }
        before = seq;
        furthest = Math.max(furthest, seq);
      }
      done = Math.max(done, stored.getOrDefault(epoch.getKey(), 0L));
    }
  }

  /** Checks a transactional queue: effects exactly once. */
  public void transactional(Set<String> committed, Map<Integer, Long> last, List<Effect> effects) {
    Map<Integer, SortedMap<Long, String>> numbers = new HashMap<>();
    Set<String> seen = new HashSet<>();
    for (Effect each : effects) {
      number(numbers, each.partition, each.seq, each.note);
      if (!seen.add(each.note)) {
        violate(Kind.TWICE, each.toString());
      }
    }
    complete("transactional", committed, last, numbers);
  }

  /** A handler saw that a message of its key had been overtaken. */
  public void overtaken(String what) {
    violate(Kind.OUT_OF_ORDER, "overtaken: " + what);
  }

  private void number(
      Map<Integer, SortedMap<Long, String>> numbers, int partition, long seq, String note) {
    String before = numbers.computeIfAbsent(partition, p -> new TreeMap<>()).put(seq, note);
    if (before != null && !before.equals(note)) {
      violate(Kind.OUT_OF_ORDER, partition + "/" + seq + " was " + before + " and then " + note);
    }
  }

  private void complete(
      String kind,
      Set<String> committed,
      Map<Integer, Long> last,
      Map<Integer, SortedMap<Long, String>> numbers) {
    Set<String> delivered = new HashSet<>();
    numbers.forEach((partition, texts) -> inOrder(kind + "/" + partition, texts, delivered));
    last.forEach(
        (partition, number) -> {
          SortedMap<Long, String> texts = numbers.getOrDefault(partition, new TreeMap<>());
          if (number != (texts.isEmpty() ? 0 : texts.lastKey())) {
            violate(Kind.LOST, kind + "/" + partition + ": " + texts.size() + " came of " + number);
          }
        });
    difference(committed, delivered).forEach(note -> violate(Kind.LOST, kind + " " + note));
    difference(delivered, committed)
        .forEach(note -> violate(Kind.NOT_COMMITTED, kind + " " + note));
  }

  /** Numbers without gaps, each message under one number, those of a producer in its order. */
  private void inOrder(String place, SortedMap<Long, String> texts, Set<String> delivered) {
    Map<String, Long> producers = new HashMap<>();
    long expected = 1;
    for (var each : texts.entrySet()) {
      if (each.getKey() != expected) {
        violate(Kind.GAP, place + ": no number " + expected);
      }
      expected = each.getKey() + 1;
      String note = each.getValue();
      if (!delivered.add(note)) {
        violate(Kind.TWICE, place + ": two numbers for " + note);
      }
      int colon = note.lastIndexOf(':');
      long n = Long.parseLong(note.substring(colon + 1));
      Long before = producers.put(note.substring(0, colon), n);
      if (before != null && before >= n) {
        violate(Kind.OUT_OF_ORDER, place + ": " + note + " after " + before);
      }
    }
  }

  private static Set<String> difference(Set<String> all, Set<String> some) {
    Set<String> left = new HashSet<>(all);
    left.removeAll(some);
    return left;
  }

  private void violate(Kind kind, String what) {
    violations.add(new Violation(kind, what));
  }
}

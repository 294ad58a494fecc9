package dev.waybill.outbox;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Compares what was committed with what was delivered: guarantees G1 to G6 as far as a history
 * shows them. Notes are {@code producer:n}; a producer commits its messages one after the other, n
 * growing, so this is also the order in which they must come.
 */
public final class HistoryChecker {
  /** What a handler was given under a lease, in the order in which one process was given it. */
  public record Leased(int partition, long seq, long epoch, String note) {}

  /** What a handler wrote in the transaction that moved the cursor. */
  public record Effect(int partition, long seq, String note) {}

  private final List<String> violations = new ArrayList<>();

  /** Empty if all is as it should be. */
  public List<String> violations() {
    return violations;
  }

  /**
   * Checks a leased queue.
   *
   * @param committed the notes that were committed
   * @param last the last number that each partition gave
   */
  public void leased(Set<String> committed, Map<Integer, Long> last, List<Leased> history) {
    Map<Integer, SortedMap<Long, String>> numbers = new HashMap<>();
    for (Leased each : history) {
      number(numbers, each.partition, each.seq, each.note);
    }
    complete("leased", committed, last, numbers);
    Map<Integer, SortedMap<Long, List<Long>>> byEpoch = new HashMap<>();
    for (Leased each : history) {
      byEpoch
          .computeIfAbsent(each.partition, p -> new TreeMap<>())
          .computeIfAbsent(each.epoch, e -> new ArrayList<>())
          .add(each.seq);
    }
    byEpoch.forEach(this::epochs);
  }

  /** Within a lease one number after the other, each once; no lease begins beyond those before. */
  private void epochs(int partition, SortedMap<Long, List<Long>> epochs) {
    long furthest = 0;
    for (var epoch : epochs.entrySet()) {
      long before = -1;
      for (long seq : epoch.getValue()) {
        if (before >= 0 && seq != before + 1) {
          violate(
              String.format(
                  "partition %s, lease %s: %s after %s", partition, epoch.getKey(), seq, before));
        }
        if (seq > furthest + 1) {
          violate(
              String.format("partition %s, lease %s skips to %s", partition, epoch.getKey(), seq));
        }
        before = seq;
        furthest = Math.max(furthest, seq);
      }
    }
  }

  /** Checks a transactional queue: effects exactly once. */
  public void transactional(Set<String> committed, Map<Integer, Long> last, List<Effect> effects) {
    Map<Integer, SortedMap<Long, String>> numbers = new HashMap<>();
    Set<String> seen = new HashSet<>();
    for (Effect each : effects) {
      number(numbers, each.partition, each.seq, each.note);
      if (!seen.add(each.note)) {
        violate(String.format("twice in the database: %s", each));
      }
    }
    complete("transactional", committed, last, numbers);
  }

  private void number(
      Map<Integer, SortedMap<Long, String>> numbers, int partition, long seq, String note) {
    String before = numbers.computeIfAbsent(partition, p -> new TreeMap<>()).put(seq, note);
    if (before != null && !before.equals(note)) {
      violate(String.format("%s/%s was %s and %s", partition, seq, before, note));
    }
  }

  private void complete(
      String kind,
      Set<String> committed,
      Map<Integer, Long> last,
      Map<Integer, SortedMap<Long, String>> numbers) {
    Set<String> delivered = new HashSet<>();
    numbers.forEach(
        (partition, texts) -> {
          Map<String, Long> producers = new HashMap<>();
          long expected = 1;
          for (var each : texts.entrySet()) {
            if (each.getKey() != expected++) {
              violate(String.format("%s/%s: no number %s", kind, partition, expected - 1));
              expected = each.getKey() + 1;
            }
            if (!delivered.add(each.getValue())) {
              violate(String.format("%s: two numbers for %s", kind, each.getValue()));
            }
            String[] parts = each.getValue().split(":", -1);
            long n = Long.parseLong(parts[1]);
            Long before = producers.put(parts[0], n);
            if (before != null && before >= n) {
              violate(
                  String.format("%s/%s: %s after %s", kind, partition, each.getValue(), before));
            }
          }
        });
    last.forEach(
        (partition, number) -> {
          SortedMap<Long, String> texts = numbers.getOrDefault(partition, new TreeMap<>());
          if (number != (texts.isEmpty() ? 0 : texts.lastKey())) {
            violate(
                String.format("%s/%s: delivered %s of %s", kind, partition, texts.size(), number));
          }
        });
    difference(committed, delivered)
        .forEach(note -> violate(String.format("%s: lost %s", kind, note)));
    difference(delivered, committed)
        .forEach(note -> violate(String.format("%s: not committed %s", kind, note)));
  }

  private static Set<String> difference(Set<String> all, Set<String> some) {
    Set<String> left = new HashSet<>(all);
    left.removeAll(some);
    return left;
  }

  private void violate(String what) {
    violations.add(what);
  }
}

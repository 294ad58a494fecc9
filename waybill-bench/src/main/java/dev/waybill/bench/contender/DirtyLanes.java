package dev.waybill.bench.contender;

import java.util.LinkedHashSet;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Partitions that have work, the oldest first; one that is being visited can become dirty again.
 */
final class DirtyLanes {
  private final Set<Integer> waiting = new LinkedHashSet<>();
  private final Set<Integer> taken = new LinkedHashSet<>();
  private final Set<Integer> again = new LinkedHashSet<>();

  synchronized void mark(int lane) {
    if (taken.contains(lane)) {
      again.add(lane);
    } else {
      waiting.add(lane);
    }
  }

  synchronized OptionalInt take() {
    if (waiting.isEmpty()) {
      return OptionalInt.empty();
    }
    int lane = waiting.iterator().next();
    waiting.remove(lane);
    taken.add(lane);
    return OptionalInt.of(lane);
  }

  synchronized void done(int lane, boolean drained) {
    taken.remove(lane);
    if (again.remove(lane) || !drained) {
      waiting.add(lane);
    }
  }
}

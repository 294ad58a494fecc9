package dev.waybill.internal.store;

import java.util.stream.Stream;

/** While somebody holds a table, its lock is asked for ever less often: others wait behind us. */
final class Attempts {
  private static final int MOST_DOUBLINGS = 6;

  private int failures;
  private int skips;

  static Attempts[] of(int tables) {
    return Stream.generate(Attempts::new).limit(tables).toArray(Attempts[]::new);
  }

  boolean isDue() {
    return skips-- <= 0;
  }

  boolean ended(boolean success) {
    failures = success ? 0 : Math.min(failures + 1, MOST_DOUBLINGS);
    skips = (1 << failures) - 1;
    return success;
  }
}

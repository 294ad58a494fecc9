package dev.waybill.internal.job;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Whether jobs come so fast that they had better be claimed together. One that departs by itself
 * begins sooner, but costs its producer a statement and the database several times what its share
 * of a claim would.
 *
 * <p>Safe for use by many threads.
 */
final class DeparturePace {
  private static final int MOST = 16;
  private static final long WITHIN = Duration.ofMillis(10).toNanos();
  private static final long REST = Duration.ofMillis(50).toNanos();

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final long[] departed = new long[MOST];
  private int next;
  private long restsUntil;

  DeparturePace(long now) {
    Arrays.fill(departed, now - WITHIN);
    restsUntil = now;
  }

  /** Whether one may depart now; counts it if so. */
  boolean allows(long now) {
    lock.lock();
    try {
      if (now - restsUntil < 0) {
        return false;
      }
      if (now - departed[next] < WITHIN) {
        restsUntil = now + REST;
        return false;
      }
      departed[next] = now;
      next = (next + 1) % MOST;
      return true;
    } finally {
      lock.unlock();
    }
  }
}

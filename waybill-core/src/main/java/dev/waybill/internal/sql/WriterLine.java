package dev.waybill.internal.sql;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where this process stands in line to write to a database that has one writer. SQLite has no line
 * of its own: whoever finds the file locked sleeps for some milliseconds and tries again, while the
 * lock is free or others pass by.
 *
 * <p>A courtesy on which nothing relies: connections that are not ours do not stand here, and who
 * has waited long enough goes on without. Safe for use by many threads.
 */
final class WriterLine {
  /** As long as SQLite is told to wait for the lock itself. */
  private static final long MOST_MILLIS = SqliteTransactionControl.BUSY_MILLIS;

  private final ReentrantLock lock = new ReentrantLock(true);

  /**
   * Whether it is this thread's turn, which {@link #leave} ends; if not, it may try all the same.
   */
  boolean enter() {
    try {
      return lock.tryLock(MOST_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  void leave() {
    lock.unlock();
  }
}

package dev.waybill.testkit;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A lock over some state, with bounded waits for that state to become something. */
final class Monitor {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  <T> T read(Supplier<T> read) {
    lock.lock();
    try {
      return read.get();
    } finally {
      lock.unlock();
    }
  }

  /** Waits in real time; false when the time was up first. */
  boolean await(BooleanSupplier reached, Duration timeout) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = timeout.toNanos();
      while (!reached.getAsBoolean()) {
        if (left <= 0) {
          return false;
        }
        left = changed.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Waits like {@link #await}; a test that waited in vain fails with what it was waiting for. */
  void expect(BooleanSupplier reached, Duration timeout, Supplier<String> expectation)
      throws InterruptedException {
    if (!await(reached, timeout)) {
      throw new AssertionError("waited " + timeout + " in vain: " + read(expectation));
    }
  }
}

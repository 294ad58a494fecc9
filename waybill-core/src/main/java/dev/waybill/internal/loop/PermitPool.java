package dev.waybill.internal.loop;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A number of equal permits and the line of those who wait for one. A permit that comes back goes
 * straight to the head of the line, so nobody who came later can snatch it.
 *
 * <p>Lock order: a pool's lock, then a waiter's.
 */
final class PermitPool {
  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Waiter> line = new LinkedHashSet<>();
  private int free;

  PermitPool(int permits, Time time) {
    if (permits < 1) {
      throw new IllegalArgumentException("There must be at least one permit: " + permits);
    }
    this.free = permits;
    this.time = time;
  }

  Time time() {
    return time;
  }

  int available() {
    lock.lock();
    try {
      return free;
    } finally {
      lock.unlock();
    }
  }

  boolean tryTake() {
    lock.lock();
    try {
      if (free == 0) {
        return false;
      }
      free--;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Offers the waiter a permit, now if one is free, else when its turn has come. */
  void queue(Waiter waiter) {
    lock.lock();
    try {
      if (free == 0) {
        line.add(waiter);
      } else if (waiter.accepts(this)) {
        free--;
      }
    } finally {
      lock.unlock();
    }
  }

  void leave(Waiter waiter) {
    lock.lock();
    try {
      line.remove(waiter);
    } finally {
      lock.unlock();
    }
  }

  void put() {
    lock.lock();
    try {
      for (var head = line.iterator(); head.hasNext(); ) {
        Waiter waiter = head.next();
        head.remove();
        if (waiter.accepts(this)) {
          return;
        }
      }
      free++;
    } finally {
      lock.unlock();
    }
  }

  /** Somebody who waits for one permit, in the lines of several pools at once. */
  static final class Waiter {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition decided = lock.newCondition();
    private @Nullable PermitPool granted;
    private boolean gaveUp;

    /** Whether the waiter takes a permit of this pool: the first one, and only while it waits. */
    boolean accepts(PermitPool pool) {
      lock.lock();
      try {
        if (gaveUp || granted != null) {
          return false;
        }
        granted = pool;
        decided.signalAll();
        return true;
      } finally {
        lock.unlock();
      }
    }

    /** Takes no permit from now on; returns the pool of the one it was granted before. */
    @Nullable PermitPool giveUp() {
      lock.lock();
      try {
        gaveUp = true;
        decided.signalAll();
        return granted;
      } finally {
        lock.unlock();
      }
    }

    /** Returns where the permit comes from, null after giving up without one. */
    @Nullable PermitPool await(Time time) throws InterruptedException {
      lock.lock();
      try {
        while (granted == null && !gaveUp) {
          time.await(lock, decided, Time.FOREVER);
        }
        return granted;
      } finally {
        lock.unlock();
      }
    }
  }
}

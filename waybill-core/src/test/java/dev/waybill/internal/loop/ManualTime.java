package dev.waybill.internal.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Time that passes only when a test says so, and knows who waits in it. A test lets its threads
 * come to rest ({@link #awaitParked}), looks, advances, and lets them come to rest again.
 */
final class ManualTime implements Time {
  /** Identity matters: two threads may wait for the same. */
  private static final class Parked {
    final ReentrantLock lock;
    final Condition condition;
    final long until;

    Parked(ReentrantLock lock, Condition condition, long until) {
      this.lock = lock;
      this.condition = condition;
      this.until = until;
    }
  }

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<Parked> parked = new HashSet<>();
  private long changes;
  private long nanos;
  private Duration wallOffset = Duration.ZERO;

  @Override
  public Instant now() {
    lock.lock();
    try {
      return Instant.EPOCH.plus(wallOffset).plusNanos(nanos);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long nanos() {
    lock.lock();
    try {
      return nanos;
    } finally {
      lock.unlock();
    }
  }

  /** Milliseconds since the test began. */
  long millis() {
    return TimeUnit.NANOSECONDS.toMillis(nanos());
  }

  /** Moves the wall clock alone, as an operator or NTP does. */
  void jumpWall(Duration by) {
    lock.lock();
    try {
      wallOffset = wallOffset.plus(by);
    } finally {
      lock.unlock();
    }
  }

  /** Lets time pass and wakes those whose wait is over. */
  void advance(Duration by) {
    List<Parked> due;
    lock.lock();
    try {
      nanos += by.toNanos();
      due = parked.stream().filter(waiter -> waiter.until <= nanos).toList();
    } finally {
      lock.unlock();
    }
    for (Parked waiter : due) {
      waiter.lock.lock();
      try {
        waiter.condition.signalAll();
      } finally {
        waiter.lock.unlock();
      }
    }
  }

  @Override
  @SuppressWarnings("WaitNotInLoop") // The caller loops.
  public void await(Lock waitersLock, Condition condition, long waitNanos)
      throws InterruptedException {
    if (waitNanos <= 0) {
      return;
    }
    Parked waiter;
    lock.lock();
    try {
      long until = waitNanos > Long.MAX_VALUE - nanos ? Long.MAX_VALUE : nanos + waitNanos;
      waiter = new Parked((ReentrantLock) waitersLock, condition, until);
      parked.add(waiter);
      noteChange();
    } finally {
      lock.unlock();
    }
    try {
      condition.await();
    } finally {
      lock.lock();
      try {
        parked.remove(waiter);
        noteChange();
      } finally {
        lock.unlock();
      }
    }
  }

  private void noteChange() {
    changes++;
    changed.signalAll();
  }

  /** Waits until exactly this many threads wait in here and none of them is about to leave. */
  void awaitParked(int threads) throws InterruptedException {
    long giveUp = System.nanoTime() + PATIENCE;
    while (true) {
      List<Parked> seen;
      long changesSeen;
      lock.lock();
      try {
        seen = new ArrayList<>(parked);
        changesSeen = changes;
      } finally {
        lock.unlock();
      }
      boolean atRest = seen.size() == threads && seen.stream().allMatch(this::isAsleep);
      lock.lock();
      try {
        if (atRest && changes == changesSeen) {
          return;
        }
        while (changes == changesSeen) {
          long left = giveUp - System.nanoTime();
          if (left <= 0) {
            throw new AssertionError("Waiting: " + seen.size() + ", expected: " + threads);
          }
          changed.awaitNanos(left);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Whether nobody has signalled it: a signalled thread leaves the queue before it runs. */
  private boolean isAsleep(Parked waiter) {
    waiter.lock.lock();
    try {
      lock.lock();
      try {
        long here =
            parked.stream().filter(other -> other.condition.equals(waiter.condition)).count();
        return waiter.lock.getWaitQueueLength(waiter.condition) == here && waiter.until > nanos;
      } finally {
        lock.unlock();
      }
    } finally {
      waiter.lock.unlock();
    }
  }
}

package dev.waybill.internal.loop;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How one loop waits: for time, for several bells, and for the request to stop. It also keeps the
 * account of rings: heard, taken by a run, answered.
 *
 * <p>Lock order: a bell's lock, then the ear's; never the other way round.
 */
final class Ear {
  private final Time time;
  private final StopSignal stop;
  private final List<Bell> bells;
  private final Runnable alarm = this::wake;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition woken = lock.newCondition();

  /** Rings that no run has begun after. Guarded by the lock. */
  private final Set<Bell> heard = new HashSet<>();

  /** Rings that a run began after, but none has returned normally. The loop's thread only. */
  private final Set<Bell> taken = new HashSet<>();

  Ear(Time time, StopSignal stop, List<Bell> bells) {
    this.time = time;
    this.stop = stop;
    this.bells = bells;
  }

  void open() {
    stop.add(alarm);
    bells.forEach(bell -> bell.attach(this));
  }

  /** Ends listening; rings again what was not answered, for those who share the bell. */
  void close() {
    stop.remove(alarm);
    bells.forEach(bell -> bell.detach(this));
    takeHeard();
    taken.forEach(Bell::ring);
    taken.clear();
  }

  /** Called by a bell, under the bell's lock. */
  void hear(Bell bell) {
    lock.lock();
    try {
      heard.add(bell);
      woken.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until this many nanoseconds have passed since {@code from}, or for the stop. */
  void waitFor(long from, long nanos) throws InterruptedException {
    await(from, nanos, false);
  }

  /** Waits until rung or until the time has passed, or for the stop. */
  void waitForRing(long from, long nanos) throws InterruptedException {
    try {
      for (Bell bell : bells) {
        if (bell.takeOrListen(this)) {
          break;
        }
      }
      await(from, nanos, true);
    } finally {
      bells.forEach(bell -> bell.stopListening(this));
    }
  }

  private void await(long from, long nanos, boolean endsWhenRung) throws InterruptedException {
    lock.lock();
    try {
      while (!stop.requested() && !(endsWhenRung && !heard.isEmpty())) {
        long left = nanos - (time.nanos() - from);
        if (left <= 0) {
          return;
        }
        time.await(lock, woken, left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** A run begins: it answers every ring up to here. */
  void runBegins() {
    bells.forEach(bell -> bell.take(this));
    takeHeard();
  }

  /** The run returned normally. */
  void runAnswered() {
    taken.clear();
  }

  private void takeHeard() {
    lock.lock();
    try {
      taken.addAll(heard);
      heard.clear();
    } finally {
      lock.unlock();
    }
  }

  private void wake() {
    lock.lock();
    try {
      woken.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

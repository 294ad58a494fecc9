package dev.waybill.internal.loop;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Something that happens once, and those who wait for it. Safe for use by many threads. */
public final class OneShot {
  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition happened = lock.newCondition();
  private boolean done;

  /** It has not happened yet. */
  public OneShot(Time time) {
    this.time = time;
  }

  /** It has happened. */
  public void happen() {
    lock.lock();
    try {
      done = true;
      happened.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for it; returns false if the time is over first. */
  public boolean await(Duration timeout) throws InterruptedException {
    long from = time.nanos();
    long nanos = Time.toNanos(timeout);
    lock.lock();
    try {
      while (!done) {
        long left = nanos - (time.nanos() - from);
        if (left <= 0) {
          return false;
        }
        time.await(lock, happened, left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}

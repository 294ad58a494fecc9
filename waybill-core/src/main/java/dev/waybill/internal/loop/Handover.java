package dev.waybill.internal.loop;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A value that one thread gives, once, and others wait for. They wait for one who is at work, so an
 * interrupt is left for afterwards.
 */
public final class Handover<T> {
  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition given = lock.newCondition();

  /** Guarded by the lock. */
  private @Nullable T value;

  public Handover(Time time) {
    this.time = time;
  }

  /** Gives the value; whatever is given later counts for nothing. */
  public void give(T gift) {
    lock.lock();
    try {
      if (value == null) {
        value = gift;
        given.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the value, however long it takes. */
  public T take() {
    return take(Time.FOREVER).orElseThrow();
  }

  /** Waits for the value, but not longer than this. */
  public Optional<T> take(Duration atMost) {
    return take(Time.toNanos(atMost));
  }

  private Optional<T> take(long atMost) {
    long began = time.nanos();
    boolean interrupted = false;
    lock.lock();
    try {
      long left = atMost;
      while (value == null && left > 0) {
        try {
          time.await(lock, given, left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
        left = atMost == Time.FOREVER ? atMost : atMost - (time.nanos() - began);
      }
      return Optional.ofNullable(value);
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

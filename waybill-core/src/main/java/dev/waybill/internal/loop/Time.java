package dev.waybill.internal.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The clocks, and waiting. Wall and monotonic time are kept apart: what is shown or stored is
 * {@link #now}, what is measured or waited for is {@link #nanos}, which no clock adjustment moves.
 *
 * <p>Safe for use by many threads.
 */
public interface Time {
  /** Given to {@link #await}: until signalled. */
  long FOREVER = Long.MAX_VALUE;

  /** Wall time. May jump, also backwards. */
  Instant now();

  /** Monotonic time with an arbitrary origin; only differences mean something. */
  long nanos();

  /**
   * Waits until the condition is signalled or this many nanoseconds have passed, or less: the
   * caller holds the lock and waits in a loop over the state it waits for. Returns at once if
   * {@code nanos} is not positive.
   */
  void await(Lock lock, Condition condition, long nanos) throws InterruptedException;

  /** Waits until this much time has passed. */
  default void sleep(Duration duration) throws InterruptedException {
    Lock lock = new ReentrantLock();
    Condition never = lock.newCondition();
    long deadline = nanos() + toNanos(duration);
    lock.lock();
    try {
      for (long left = toNanos(duration); left > 0; left = deadline - nanos()) {
        await(lock, never, left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The clocks of this machine. */
  static Time system() {
    return SystemTime.INSTANCE;
  }

  /**
   * A validated duration in nanoseconds. What does not fit (292 years) becomes {@link #FOREVER}.
   */
  static long toNanos(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("A duration must not be negative: " + duration);
    }
    try {
      return duration.toNanos();
    } catch (ArithmeticException tooLong) {
      return FOREVER;
    }
  }
}

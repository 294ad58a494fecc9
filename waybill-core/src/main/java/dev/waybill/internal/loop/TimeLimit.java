package dev.waybill.internal.loop;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Interrupts threads whose time is up. A worker, as it needs somebody who watches the clock; an
 * idle one costs nothing.
 *
 * <p>Safe for use by many threads.
 */
public final class TimeLimit implements Worker {
  private final Time time;
  private final Bell bell = new Bell();
  private final AtomicLong counter = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();
  private final PriorityQueue<Watch> watches =
      new PriorityQueue<>(
          Comparator.comparingLong((Watch watch) -> watch.deadline - watch.origin)
              .thenComparingLong(watch -> watch.number));
  private final long origin;

  public TimeLimit(Time time) {
    this.time = time;
    this.origin = time.nanos();
  }

  /** What the crew is to drive this with. */
  public LoopOptions options() {
    return LoopOptions.defaults().withBells(bell);
  }

  @Override
  public String name() {
    return "time-limit";
  }

  /**
   * Interrupts the calling thread at that time, unless the watch is closed before. After {@code
   * close} no interrupt of this watch is pending any more.
   *
   * @param deadline in the nanoseconds of the time
   */
  public Watch interruptMeAt(long deadline) {
    var watch = new Watch(Thread.currentThread(), deadline, origin, counter.getAndIncrement());
    boolean nearest;
    lock.lock();
    try {
      watches.add(watch);
      nearest = watches.peek() == watch;
    } finally {
      lock.unlock();
    }
    if (nearest) {
      bell.ring();
    }
    return watch;
  }

  @Override
  public Next runOnce() {
    lock.lock();
    try {
      for (Watch first = watches.peek(); first != null; first = watches.peek()) {
        long left = first.deadline - time.nanos();
        if (left > 0) {
          return Next.sleep(Duration.ofNanos(left));
        }
        watches.remove();
        first.fire();
      }
      return Next.whenRung();
    } finally {
      lock.unlock();
    }
  }

  /** A limit on what a thread does until it closes this. */
  public final class Watch implements AutoCloseable {
    private final Thread thread;
    private final long origin;
    private final long number;
    private volatile long deadline;
    private boolean open = true;
    private boolean fired;

    private Watch(Thread thread, long deadline, long origin, long number) {
      this.thread = thread;
      this.deadline = deadline;
      this.origin = origin;
      this.number = number;
    }

    /** Moves the limit. */
    public void moveTo(long newDeadline) {
      lock.lock();
      try {
        if (watches.remove(this)) {
          deadline = newDeadline;
          watches.add(this);
        }
      } finally {
        lock.unlock();
      }
      bell.ring();
    }

    private void fire() {
      if (open) {
        fired = true;
        thread.interrupt();
      }
    }

    /** Whether the time was up. */
    public boolean isOver() {
      lock.lock();
      try {
        return fired;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      boolean interrupted;
      lock.lock();
      try {
        open = false;
        watches.remove(this);
        interrupted = fired;
      } finally {
        lock.unlock();
      }
      if (interrupted) {
        // Ours, and nobody's business any more.
        Thread.interrupted();
      }
    }
  }
}

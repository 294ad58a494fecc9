package dev.waybill.testkit;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Time that moves only when a test says so, for the clock as well as for waiting.
 *
 * <p>The code under test reads {@link #now} and {@link #nanos} and waits in {@link #await}. The
 * test lets it run until it waits, moves time, and lets it run until it waits again:
 *
 * <pre>{@code
 * time.awaitParked(1, ofSeconds(10));        // the worker has nothing to do and waits
 * time.advance(ofMinutes(5));                // its deadline passes: it wakes
 * time.awaitParked(1, ofSeconds(10));        // it has done its round and waits again
 * assertThat(rounds).hasValue(2);
 * time.advanceToNextDeadline();              // whatever it decided to wait for
 * }</pre>
 *
 * <p>That is deterministic because a thread which has been signalled, interrupted or reached by its
 * deadline does not count as parked, even before it got the processor. Name in {@link #awaitParked}
 * every thread that takes part: one that is busy elsewhere is not seen.
 *
 * <p>The lock is a {@link ReentrantLock} because only that tells who really waits on its condition.
 * Thread-safe.
 */
public final class ManualTime {
  // A signal on somebody else's condition cannot be observed, only looked for.
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private final ReentrantLock guard = new ReentrantLock();
  private final Condition waitersChanged = guard.newCondition();
  private final Set<Waiter> waiters = new LinkedHashSet<>();
  private long changes;
  private Instant wall;
  private long nanos;

  /** Starts on the first day of 2030, a round moment that is not the real one. */
  public ManualTime() {
    this(Instant.parse("2030-01-01T00:00:00Z"));
  }

  /** Starts at the given wall time. */
  public ManualTime(Instant start) {
    this.wall = start;
  }

  /** The wall clock. */
  public Instant now() {
    guard.lock();
    try {
      return wall;
    } finally {
      guard.unlock();
    }
  }

  /** The monotonic clock, like {@link System#nanoTime}. */
  public long nanos() {
    guard.lock();
    try {
      return nanos;
    } finally {
      guard.unlock();
    }
  }

  /** Moves both clocks on and wakes everyone whose deadline that reaches. */
  public void advance(Duration by) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("monotonic time cannot go back by " + by);
    }
    List<Waiter> due;
    guard.lock();
    try {
      wall = wall.plus(by);
      nanos += by.toNanos();
      due = waiters.stream().filter(waiter -> waiter.deadline <= nanos).toList();
    } finally {
      guard.unlock();
    }
    // Not under the guard: a waiter takes the guard while holding its own lock.
    due.forEach(Waiter::wake);
  }

  /** Moves the wall clock alone, forwards or backwards, as an administrator or NTP would. */
  public void jumpWall(Duration by) {
    guard.lock();
    try {
      wall = wall.plus(by);
    } finally {
      guard.unlock();
    }
  }

  /**
   * Waits until the condition is signalled or time has been advanced by that many nanoseconds;
   * negative or {@link Long#MAX_VALUE} means no deadline. Like every condition it may return early,
   * here when another waiter of the same condition has reached its deadline.
   *
   * @param lock held by the caller, and the one the condition belongs to
   * @throws InterruptedException when the thread was interrupted before or while waiting
   */
  @SuppressWarnings("WaitNotInLoop") // The loop is the caller's, as with every condition.
  public void await(ReentrantLock lock, Condition condition, long nanosToWait)
      throws InterruptedException {
    if (!lock.isHeldByCurrentThread()) {
      throw new IllegalMonitorStateException("wait only while holding the lock");
    }
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (nanosToWait == 0) {
      return;
    }
    var waiter = enter(lock, condition, nanosToWait);
    try {
      condition.await();
    } finally {
      leave(waiter);
    }
  }

  /**
   * Blocks, in real time, until exactly so many threads wait in {@link #await} and none of them is
   * about to return; fails the test when that does not happen.
   */
  public void awaitParked(int threads, Duration realTimeout) throws InterruptedException {
    long end = System.nanoTime() + realTimeout.toNanos();
    while (true) {
      Set<Waiter> seen;
      long changesSeen;
      guard.lockInterruptibly();
      try {
        seen = new LinkedHashSet<>(waiters);
        changesSeen = changes;
      } finally {
        guard.unlock();
      }
      boolean parked = seen.size() == threads && allParked(seen, end);
      guard.lockInterruptibly();
      try {
        if (changes == changesSeen) {
          if (parked) {
            return;
          }
          waitersChanged.awaitNanos(Math.min(LOOK_AGAIN_NANOS, end - System.nanoTime()));
        }
        if (System.nanoTime() - end >= 0) {
          throw new AssertionError(
              "waited %s in vain for %d parked threads, saw %s"
                  .formatted(realTimeout, threads, waiters));
        }
      } finally {
        guard.unlock();
      }
    }
  }

  /** How far the nearest deadline is away, if anyone waits for one. */
  public OptionalLong nanosToNextDeadline() {
    guard.lock();
    try {
      long current = nanos;
      return waiters.stream()
          .mapToLong(waiter -> waiter.deadline)
          .filter(deadline -> deadline != Long.MAX_VALUE)
          .map(deadline -> Math.max(0, deadline - current))
          .min();
    } finally {
      guard.unlock();
    }
  }

  /** Advances exactly to the nearest deadline. */
  public void advanceToNextDeadline() {
    var next = nanosToNextDeadline();
    if (next.isEmpty()) {
      throw new IllegalStateException("nobody waits for a deadline");
    }
    advance(Duration.ofNanos(next.getAsLong()));
  }

  private Waiter enter(ReentrantLock lock, Condition condition, long nanosToWait) {
    guard.lock();
    try {
      boolean forever = nanosToWait < 0 || nanosToWait >= Long.MAX_VALUE - nanos;
      long deadline = forever ? Long.MAX_VALUE : nanos + nanosToWait;
      var waiter = new Waiter(Thread.currentThread(), lock, condition, deadline);
      waiters.add(waiter);
      changes++;
      waitersChanged.signalAll();
      return waiter;
    } finally {
      guard.unlock();
    }
  }

  private void leave(Waiter waiter) {
    guard.lock();
    try {
      waiters.remove(waiter);
      changes++;
      waitersChanged.signalAll();
    } finally {
      guard.unlock();
    }
  }

  private boolean allParked(Set<Waiter> seen, long end) throws InterruptedException {
    long current = nanos();
    for (var waiter : seen) {
      long sharing =
          seen.stream().filter(other -> other.condition.equals(waiter.condition)).count();
      if (waiter.deadline <= current || !waiter.parkedAmong(sharing, end)) {
        return false;
      }
    }
    return true;
  }

  /** One thread inside {@link #await}. Identity matters: a record would compare by value. */
  private static final class Waiter {
    private final Thread thread;
    private final ReentrantLock lock;
    private final Condition condition;
    private final long deadline;

    Waiter(Thread thread, ReentrantLock lock, Condition condition, long deadline) {
      this.thread = thread;
      this.lock = lock;
      this.condition = condition;
      this.deadline = deadline;
    }

    void wake() {
      lock.lock();
      try {
        condition.signalAll();
      } finally {
        lock.unlock();
      }
    }

    /**
     * A signal takes a thread out of the condition's queue at once; an interrupt wakes it first.
     */
    boolean parkedAmong(long sharing, long end) throws InterruptedException {
      if (!lock.tryLock(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)) {
        return false;
      }
      try {
        return lock.getWaitQueueLength(condition) == sharing
            && thread.getState() == Thread.State.WAITING
            && !thread.isInterrupted();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public String toString() {
      return thread.getName() + (deadline == Long.MAX_VALUE ? "" : " until " + deadline);
    }
  }
}

package dev.waybill.internal.job;

import dev.waybill.internal.loop.Time;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An attempt in this process: which job, how long it may take, how long the lease is ours for sure,
 * and whether it is to stop. All times are monotonic and counted from before the database was
 * asked, so that this process gives up before the database does.
 *
 * <p>Safe for use by many threads.
 */
final class JobRun {
  /** Why an attempt is to stop. */
  enum Stop {
    TIMEOUT,
    LEASE_LOST,
    SHUTDOWN
  }

  private static final Logger log = LoggerFactory.getLogger(JobRun.class);

  /** When to look again for a handler that has not begun yet, and was asked to stop before. */
  private static final Duration SOON = Duration.ofMillis(10);

  private final Claim claim;
  private final Fence fence;
  private final long deadline;
  private final Consumer<Runnable> aside;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final List<Runnable> actions = new ArrayList<>();
  private long leaseEnd;
  private @Nullable Thread thread;
  private @Nullable Stop stop;
  private @Nullable String reason;
  private long stoppedAt;
  private boolean done;

  /**
   * An attempt that has just been leased.
   *
   * @param leasedAt monotonic, before the database was asked
   * @param aside where the user's actions on a stop run
   */
  JobRun(Claim claim, String worker, long leasedAt, Duration lease, Consumer<Runnable> aside) {
    this.aside = aside;
    this.claim = claim;
    this.fence = new Fence(claim.id(), claim.run(), claim.attempt(), worker);
    this.deadline = leasedAt + claim.timeoutMicros() * 1000;
    this.leaseEnd = leasedAt + Time.toNanos(lease);
  }

  Claim claim() {
    return claim;
  }

  Fence fence() {
    return fence;
  }

  long deadline() {
    return deadline;
  }

  Duration timeout() {
    return Duration.ofNanos(claim.timeoutMicros() * 1000);
  }

  /** Until when the lease is ours for sure. */
  long leaseEnd() {
    lock.lock();
    try {
      return leaseEnd;
    } finally {
      lock.unlock();
    }
  }

  void renewed(long end) {
    lock.lock();
    try {
      leaseEnd = Math.max(leaseEnd, end);
    } finally {
      lock.unlock();
    }
  }

  /** The handler begins, on this thread. */
  void begin() {
    lock.lock();
    try {
      thread = Thread.currentThread();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The handler has ended: from here on no interrupt of ours comes, and nothing of what it wanted
   * done on a stop, which would meet whoever has its connection or its thread by then.
   */
  void end() {
    lock.lock();
    try {
      thread = null;
      done = true;
      actions.clear();
    } finally {
      lock.unlock();
    }
  }

  @Nullable Stop stop() {
    lock.lock();
    try {
      return stop;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the handler has ended. */
  boolean isDone() {
    lock.lock();
    try {
      return done;
    } finally {
      lock.unlock();
    }
  }

  /** Why somebody canceled the job. */
  @Nullable String reason() {
    lock.lock();
    try {
      return reason;
    } finally {
      lock.unlock();
    }
  }

  /** Somebody canceled the job; the handler is asked to stop. */
  void canceled(String because, long now) {
    lock.lock();
    try {
      reason = because;
    } finally {
      lock.unlock();
    }
    stop(Stop.LEASE_LOST, now);
  }

  /** Asks the handler to stop; the first reason counts. */
  void stop(Stop why, long now) {
    List<Runnable> due = List.of();
    lock.lock();
    try {
      if (stop == null) {
        stop = why;
        stoppedAt = now;
        due = List.copyOf(actions);
        actions.clear();
      }
    } finally {
      lock.unlock();
    }
    due.forEach(this::call);
  }

  /** Interrupts a handler that was asked to stop and had its time; returns when to ask again. */
  long insist(Duration grace, long now) {
    lock.lock();
    try {
      if (stop == null || done) {
        return Time.FOREVER;
      }
      long left = stoppedAt + Time.toNanos(grace) - now;
      if (left <= 0) {
        if (thread == null) {
          return Time.toNanos(SOON);
        }
        thread.interrupt();
        // Again later: whoever swallowed it may be in the next blocking call by then.
        return Duration.ofSeconds(1).toNanos();
      }
      return left;
    } finally {
      lock.unlock();
    }
  }

  void onStop(Runnable action) {
    boolean now;
    lock.lock();
    try {
      now = stop != null;
      if (!now) {
        actions.add(action);
      }
    } finally {
      lock.unlock();
    }
    if (now) {
      call(action);
    }
  }

  /** On a thread of its own: whoever stops a handler has others to look after. */
  private void call(Runnable action) {
    aside.accept(
        () -> {
          try {
            action.run();
          } catch (RuntimeException | Error e) {
            log.warn("Job {}: what should run when it is canceled failed", fence.id(), e);
          }
        });
  }

  @Override
  public String toString() {
    return "job " + fence.id() + " run " + fence.run() + " attempt " + fence.attempt();
  }
}

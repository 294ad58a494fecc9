package dev.waybill.internal.job;

import dev.waybill.internal.job.JobRun.Stop;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.job.JobOptions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of this process, all with the same few statements, and learns whether they are
 * still its own: a job that was canceled anywhere stops here at the next look. While something runs
 * it keeps one connection for itself, which it gets before the first handler begins, so that
 * handlers cannot starve it.
 */
final class JobHeart implements Worker {
  private static final Logger log = LoggerFactory.getLogger(JobHeart.class);

  private static final Duration LOOK = Duration.ofMillis(500);
  private static final Duration STEP = Duration.ofMillis(10);

  private final Database database;
  private final Time time;
  private final JobOptions options;
  private final RunningJobs running;
  private final ReentrantLock beating = new ReentrantLock();
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean closed;

  // Guarded by the lock.
  private @Nullable Session session;
  private boolean fresh;

  JobHeart(Database database, Time time, JobOptions options, RunningJobs running) {
    this.database = database;
    this.time = time;
    this.options = options;
    this.running = running;
  }

  @Override
  public String name() {
    return "job-heart";
  }

  /** Makes sure that there is a connection for leases that were just added and not begun yet. */
  void prepare() {
    lock.lock();
    try {
      // One that was closed has nobody any more who gives a connection back.
      if (session == null && !closed) {
        session = database.session();
        fresh = true;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Goes on until the last handler has ended: the crew that stops does not call any more, and
   * whoever may still go on needs its lease.
   */
  void beatToTheEnd() {
    try {
      boolean well = true;
      while (isNeeded()) {
        well = beatOnce(well);
        // In short steps: whoever stops waits for the handlers and not for this.
        long next = time.nanos() + Time.toNanos(look());
        while (isNeeded() && time.nanos() - next < 0) {
          time.sleep(STEP);
        }
      }
    } catch (InterruptedException over) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isNeeded() {
    return !closed && running.all().stream().anyMatch(run -> !run.isDone());
  }

  /** Says whether it did; of several times in a row that it did not, the first is told. */
  private boolean beatOnce(boolean well) {
    try {
      runOnce();
      return true;
    } catch (RuntimeException e) {
      if (well) {
        log.warn("Leases could not be renewed while their handlers end; trying on", e);
      }
      return false;
    }
  }

  @Override
  public Next runOnce() {
    // By its loop, and for a moment by whoever takes over from it.
    beating.lock();
    try {
      return beat();
    } finally {
      beating.unlock();
    }
  }

  private Next beat() {
    Session current = current();
    if (current == null) {
      return Next.whenRung();
    }
    if (isFresh()) {
      // What was claimed just now is ours, and most jobs are done before anybody has to look.
      return Next.after(look());
    }
    boolean beaten = false;
    try {
      beat(current, running.all());
      beaten = true;
    } finally {
      if (!beaten) {
        rest();
      }
    }
    return Next.after(look());
  }

  /** The connection to use now; null if nothing runs. */
  private @Nullable Session current() {
    lock.lock();
    try {
      if (closed || running.all().isEmpty()) {
        rest();
        return null;
      }
      if (session == null) {
        session = database.session();
      }
      return session;
    } finally {
      lock.unlock();
    }
  }

  /** Once after it was prepared. */
  private boolean isFresh() {
    lock.lock();
    try {
      boolean was = fresh;
      fresh = false;
      return was;
    } finally {
      lock.unlock();
    }
  }

  private Duration look() {
    Duration third = options.lease().dividedBy(6);
    return third.compareTo(LOOK) < 0 ? third : LOOK;
  }

  private void beat(Session current, List<JobRun> runs) {
    long now = time.nanos();
    List<Fence> due =
        runs.stream().filter(run -> deservesRenewal(run, now)).map(JobRun::fence).toList();
    Set<UUID> renewed =
        due.isEmpty()
            ? Set.of()
            : Set.copyOf(current.transact(tx -> JobLeaseStore.in(tx).renew(due, options.lease())));
    List<Fence> all = runs.stream().map(JobRun::fence).toList();
    Set<UUID> live = new HashSet<>(current.transact(tx -> JobLeaseStore.in(tx).live(all)));
    List<UUID> lost = all.stream().map(Fence::id).filter(id -> !live.contains(id)).toList();
    Map<UUID, String> canceled =
        lost.isEmpty()
            ? Map.of()
            : current.transact(tx -> JobLeaseStore.in(tx).cancelReasons(lost));
    for (JobRun run : runs) {
      if (!live.contains(run.fence().id())) {
        String reason = canceled.get(run.fence().id());
        if (reason == null) {
          run.stop(Stop.LEASE_LOST, time.nanos());
        } else {
          run.canceled(reason, time.nanos());
        }
        // The timekeeper counts the grace from here.
        running.watched().ringAll();
      } else if (renewed.contains(run.fence().id())) {
        run.renewed(now + Time.toNanos(options.lease()));
      }
    }
  }

  /**
   * When a third of the lease is over. Not for a handler that ignores its deadline: the lease ends,
   * and another process may try.
   */
  private boolean deservesRenewal(JobRun run, long now) {
    long lease = Time.toNanos(options.lease());
    boolean overdue =
        !run.isDone() && now - run.deadline() > 2 * Time.toNanos(options.cancelGrace());
    return !overdue && run.leaseEnd() - now < lease - lease / 3;
  }

  private void rest() {
    lock.lock();
    try {
      Session current = session;
      session = null;
      if (current != null) {
        current.close();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Gives the connection back. */
  void close() {
    closed = true;
    rest();
  }
}

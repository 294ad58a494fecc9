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
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of this process, all with the same few statements, and learns whether they are
 * still its own: a job that was canceled anywhere stops here at the next look. While something runs
 * it keeps one connection for itself, so that handlers cannot starve it.
 */
final class JobHeart implements Worker {
  private static final Duration LOOK = Duration.ofMillis(500);

  private final Database database;
  private final Time time;
  private final JobOptions options;
  private final RunningJobs running;
  private @Nullable Session session;
  private boolean failed;

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

  @Override
  public Next runOnce() {
    List<JobRun> runs = running.all();
    if (runs.isEmpty()) {
      rest();
      return Next.whenRung();
    }
    Session current = session;
    if (current == null) {
      current = database.session();
      session = current;
      if (!failed) {
        // What was claimed just now is ours, and most jobs are done before anybody has to look.
        return Next.after(look());
      }
    }
    failed = true;
    try {
      beat(current, runs);
      failed = false;
    } finally {
      if (failed) {
        rest();
      }
    }
    return Next.after(look());
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
    Session current = session;
    session = null;
    if (current != null) {
      current.close();
    }
  }

  /** Gives the connection back. */
  void close() {
    rest();
  }
}

package dev.waybill.internal.job;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobHistoryStore;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.ExpiredStep;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.internal.store.JobLeaseStore.Settled;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobOptions;
import dev.waybill.job.RetryPolicy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the attempts of the dead: a lease that nobody renewed is a failure under the type's retry
 * policy. Goes on without a pause while there are more.
 */
final class JobReaper implements Worker {
  private static final Logger log = LoggerFactory.getLogger(JobReaper.class);

  private final Database database;
  private final JobOptions options;
  private final RetryPolicies policies;
  private final Verdict verdict;
  private final StepEnds steps;
  private final JobWakeups wakeups;
  private final JobNews news;

  JobReaper(
      Database database,
      JobOptions options,
      RetryPolicies policies,
      Verdict verdict,
      StepEnds steps,
      JobWakeups wakeups,
      JobNews news) {
    this.database = database;
    this.options = options;
    this.policies = policies;
    this.verdict = verdict;
    this.steps = steps;
    this.wakeups = wakeups;
    this.news = news;
  }

  @Override
  public String name() {
    return "job-reaper";
  }

  @Override
  public Next runOnce() {
    int reaped = reap();
    int ofWorkflows = reapSteps();
    if (reaped + ofWorkflows > 0) {
      log.info("Reaped {} jobs whose lease had ended", reaped + ofWorkflows);
      wakeups.ready();
    }
    if (ofWorkflows > 0) {
      wakeups.timers();
    }
    boolean more = reaped == options.batch() || ofWorkflows >= options.batch();
    return more ? Next.now() : Next.after(options.reap());
  }

  private int reap() {
    try {
      return told(
          database.transact(
              tx -> {
                JobLeaseStore store = JobLeaseStore.in(tx);
                store.unhold();
                List<Settled> settled =
                    store.lockExpired(options.batch()).stream()
                        .map(lease -> judge(tx, lease))
                        .toList();
                if (!settled.isEmpty()) {
                  store.settle(settled);
                }
                return settled;
              }));
    } catch (DatabaseException e) {
      if (e.kind() == Kind.CONTENTION || e.kind() == Kind.DISCONNECTED) {
        throw e;
      }
      return oneByOne(e);
    }
  }

  private int told(List<Settled> settled) {
    news.ended(settled);
    return settled.size();
  }

  /** Those of runs that somebody holds come later; what expired behind them does not wait. */
  private int reapSteps() {
    int batch = options.batch();
    int reaped = 0;
    List<ExpiredStep> expired =
        database.transact(tx -> JobLeaseStore.in(tx).expiredSteps(batch, null));
    while (!expired.isEmpty()) {
      int here = reapSteps(expired);
      reaped += here;
      ExpiredStep last = expired.get(expired.size() - 1);
      expired =
          here < expired.size() && expired.size() == batch
              ? database.transact(tx -> JobLeaseStore.in(tx).expiredSteps(batch, last))
              : List.of();
    }
    return reaped;
  }

  /** Steps of workflows: their runs are locked first. One that cannot go on holds up no other. */
  private int reapSteps(List<ExpiredStep> expired) {
    try {
      return told(database.transact(tx -> reapSteps(tx, expired)));
    } catch (RuntimeException e) {
      if (JobSettler.isPassing(e)) {
        throw e;
      }
      log.warn("A batch of {} expired steps was refused; trying each", expired.size(), e);
    }
    int reaped = 0;
    for (ExpiredStep step : expired) {
      try {
        reaped += told(database.transact(tx -> reapSteps(tx, List.of(step))));
      } catch (RuntimeException e) {
        if (JobSettler.isPassing(e)) {
          throw e;
        }
        log.error("Step {} cannot be ended; it is tried again", step.fence().id(), e);
      }
    }
    return reaped;
  }

  private List<Settled> reapSteps(Tx tx, List<ExpiredStep> expired) {
    Set<UUID> runs = new HashSet<>();
    expired.forEach(step -> runs.add(step.workflow()));
    StepEnds.Held held = steps.lock(tx, runs, false);
    Set<UUID> locked = held.runs();
    List<Fence> fences =
        expired.stream()
            .filter(step -> locked.contains(step.workflow()))
            .map(ExpiredStep::fence)
            .toList();
    if (fences.isEmpty()) {
      return List.of();
    }
    JobLeaseStore store = JobLeaseStore.in(tx);
    List<Settled> settled =
        store.lockUnheld(fences).stream()
            .filter(lease -> !lease.isLive())
            .map(lease -> judge(tx, lease))
            .toList();
    if (!settled.isEmpty()) {
      store.settle(settled);
      held.settled(settled);
    }
    return settled;
  }

  private Settled judge(Tx tx, Lease lease) {
    return verdict.on(lease, Ending.leaseExpired(), policies.of(tx, lease.type()));
  }

  /** One of them spoils the batch: it is put aside, the others go their way. */
  private int oneByOne(DatabaseException because) {
    List<Lease> expired =
        database.transact(tx -> JobLeaseStore.in(tx).lockExpired(options.batch()));
    log.warn("A batch of {} expired leases was refused; trying each", expired.size(), because);
    int settled = 0;
    for (Lease lease : expired) {
      settled += isSettled(lease, false) || isSettled(lease, true) ? 1 : 0;
    }
    return settled;
  }

  /** Not if the database refuses it: then there are others to look after. */
  private boolean isSettled(Lease lease, boolean quarantine) {
    try {
      settleExpired(lease, quarantine);
      return true;
    } catch (DatabaseException e) {
      if (e.kind() == Kind.CONTENTION || e.kind() == Kind.DISCONNECTED) {
        throw e;
      }
      log.error(
          quarantine
              ? "Job {} cannot be put aside either; it is tried again"
              : "Job {} is put aside: its attempt cannot be recorded",
          lease.fence().id(),
          e);
      return false;
    }
  }

  private void settleExpired(Lease seen, boolean quarantine) {
    told(
        database.transact(
            tx -> {
              JobLeaseStore store = JobLeaseStore.in(tx);
              List<Settled> settled = new ArrayList<>();
              for (Lease lease : store.lockUnheld(List.of(seen.fence()))) {
                if (lease.isLive()) {
                  continue;
                }
                if (quarantine) {
                  settled.add(putAside(tx, store, lease));
                } else {
                  Settled end = judge(tx, lease);
                  store.settle(List.of(end));
                  settled.add(end);
                }
              }
              return settled;
            }));
  }

  /** Ends the job without a record of the attempt; nobody owns it afterwards. */
  private Settled putAside(Tx tx, JobLeaseStore store, Lease lease) {
    Settled end =
        verdict.on(
            lease,
            Ending.of(AttemptOutcome.TERMINAL, "job.quarantined", "the attempt cannot be recorded"),
            RetryPolicy.standard());
    store.moveOnly(List.of(end));
    JobHistoryStore.in(tx)
        .event(
            lease.fence().id(),
            lease.fence().run(),
            lease.fence().attempt(),
            JobEvent.Kind.QUARANTINED,
            "the attempt cannot be recorded");
    return end;
  }
}

package dev.waybill.internal.job;

import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobHistoryStore;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.internal.store.JobStore;
import dev.waybill.internal.store.JobStore.KeyedJob;
import dev.waybill.internal.store.JobStore.LockedJob;
import dev.waybill.internal.store.JobStore.Unended;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.JobException.InvalidTransition;
import dev.waybill.job.JobException.JobNotFound;
import dev.waybill.job.JobException.ReplayConflict;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Replay;
import dev.waybill.job.Requeue;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Scope;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** What operators do to jobs. Each locks the row, looks, and only then writes. */
public final class JobOperations {
  private static final String REPLAY_KEY = "replay:";

  private final JobIds ids;
  private final StepEnds steps;

  JobOperations(JobIds ids, StepEnds steps) {
    this.ids = ids;
    this.steps = steps;
  }

  JobInfo cancel(Tx tx, Scope scope, UUID id, String reason) {
    if (Wording.isBlank(reason)) {
      throw new InvalidArgument("job.cancel_reason", "Say why the job is canceled.");
    }
    UUID workflow =
        JobStore.in(tx)
            .get(id)
            .filter(job -> isIn(scope, job))
            .orElseThrow(() -> new JobNotFound(id))
            .workflow();
    StepEnds.Held held =
        workflow == null ? StepEnds.Held.NOTHING : steps.lock(tx, List.of(workflow), true);
    LockedJob locked = JobStore.in(tx).lock(id).orElseThrow(() -> new JobNotFound(id));
    JobInfo job = locked.job();
    if (job.status().isTerminal()) {
      throw new InvalidTransition(id, "canceled", job.status());
    }
    String why = Wording.code(reason);
    if (job.status() == JobStatus.LEASED) {
      recordCanceledAttempt(tx, locked);
    }
    JobStore.in(tx).cancel(id, why);
    JobHistoryStore.in(tx)
        .event(id, job.run(), job.attempt(), JobEvent.Kind.CANCELED, Wording.of(reason));
    if (workflow != null) {
      held.ended(
          List.of(new StepEnds.End(workflow, id, JobStatus.CANCELED, null, null, null, why)));
    }
    return JobStore.in(tx).get(id).orElseThrow(() -> new JobNotFound(id));
  }

  private static void recordCanceledAttempt(Tx tx, LockedJob locked) {
    JobInfo job = locked.job();
    Instant now = locked.now();
    Lease lease =
        new Lease(
            new Fence(
                job.id(), job.run(), job.attempt(), Objects.requireNonNullElse(job.worker(), "?")),
            job.type(),
            job.maxAttempts(),
            job.priority(),
            Objects.requireNonNullElse(job.leasedAt(), now),
            Objects.requireNonNullElse(job.leaseUntil(), now),
            job.workflow(),
            null,
            null,
            now);
    recordCanceled(tx, List.of(lease));
  }

  private static void recordCanceled(Tx tx, List<Lease> leases) {
    Ending canceled = Ending.of(AttemptOutcome.CANCELED, null, null);
    Verdict verdict = new Verdict(() -> 0);
    JobLeaseStore.in(tx)
        .record(
            leases.stream()
                .map(lease -> verdict.on(lease, canceled, RetryPolicy.standard()))
                .toList());
  }

  /**
   * Ends those of these jobs that have not ended, with as many statements as for one. Returns until
   * when a handler may still be at one of them; empty if none is.
   */
  public static Optional<Instant> cancelAll(Tx tx, Collection<UUID> ids, String reason) {
    if (ids.isEmpty()) {
      return Optional.empty();
    }
    List<Unended> jobs = JobStore.in(tx).lockUnended(ids);
    if (jobs.isEmpty()) {
      return Optional.empty();
    }
    List<Lease> leases = jobs.stream().flatMap(job -> job.lease().stream()).toList();
    recordCanceled(tx, leases);
    List<UUID> all = jobs.stream().map(Unended::id).toList();
    JobStore.in(tx).cancelAll(all, Wording.code(reason));
    JobHistoryStore.in(tx).eventOfAll(all, JobEvent.Kind.CANCELED, Wording.of(reason));
    return leases.stream()
        .filter(Lease::isLive)
        .map(Lease::leaseUntil)
        .max(Comparator.naturalOrder());
  }

  static boolean isIn(Scope scope, JobInfo job) {
    return scope instanceof Scope.Admin || scope.equals(job.scope());
  }

  Requeue.Outcome requeue(Tx tx, Requeue order) {
    JobStore store = JobStore.in(tx);
    Optional<JobInfo> seen = store.get(order.id()).filter(job -> isIn(order.scope(), job));
    if (seen.isEmpty()) {
      return new Requeue.Outcome.NotFound();
    }
    refuseStep(seen.get());
    if (!isExpected(seen.get(), order)) {
      // Without a lock: somebody may be working on it.
      return new Requeue.Outcome.Mismatch(seen.get().status(), seen.get().run());
    }
    LockedJob locked = store.lock(order.id()).orElse(null);
    if (locked == null) {
      return new Requeue.Outcome.NotFound();
    }
    JobInfo job = locked.job();
    if (!isExpected(job, order)) {
      return new Requeue.Outcome.Mismatch(job.status(), job.run());
    }
    Instant quietAt = job.leaseUntil();
    if (quietAt != null && quietAt.isAfter(locked.now())) {
      return new Requeue.Outcome.NotQuiesced(quietAt);
    }
    Optional<UUID> holder = store.uniqueHolder(job.id());
    if (holder.isPresent()) {
      return new Requeue.Outcome.Occupied(holder.get());
    }
    store.requeue(job.id(), locked.now(), order.keepState(), Wording.code(order.reason()));
    JobHistoryStore.in(tx)
        .event(
            job.id(), job.run(), job.attempt(), JobEvent.Kind.REQUEUED, Wording.of(order.reason()));
    return new Requeue.Outcome.Requeued(job.run() + 1);
  }

  /** Its run has to know: a step is run again by its workflow. */
  private static void refuseStep(JobInfo job) {
    if (job.workflow() != null) {
      throw new InvalidArgument(
          "job.workflow_requeue_not_supported",
          "Job "
              + job.id()
              + " is a step of workflow run "
              + job.workflow()
              + ": it cannot be run"
              + " again by itself.");
    }
  }

  private static boolean isExpected(JobInfo job, Requeue order) {
    return job.status() == order.status() && job.run() == order.run();
  }

  Replay.Outcome replay(Tx tx, Replay order) {
    JobStore store = JobStore.in(tx);
    JobInfo source = store.get(order.source()).filter(job -> isIn(order.scope(), job)).orElse(null);
    if (source == null) {
      return new Replay.Outcome.NotFound();
    }
    refuseStep(source);
    String key = REPLAY_KEY + source.id() + ":" + order.key();
    String hash = JobKeys.idempotency(source.type(), JobEnqueuer.tenant(source.scope()), key);
    String request =
        Json.write(java.util.Map.of("reason", order.reason(), "run", "" + order.run()));
    Optional<KeyedJob> before = store.byIdempotency(List.of(hash)).stream().findFirst();
    if (before.isPresent()) {
      return existing(order, before.get(), request);
    }
    LockedJob locked = store.lock(source.id()).orElse(null);
    if (locked == null) {
      return new Replay.Outcome.NotFound();
    }
    JobInfo job = locked.job();
    if (job.status() != JobStatus.SUCCEEDED || job.run() != order.run()) {
      return new Replay.Outcome.Mismatch(job.status(), job.run());
    }
    // Whoever was faster has committed by now, for the lock on the source was his.
    Optional<KeyedJob> meanwhile = store.byIdempotency(List.of(hash)).stream().findFirst();
    if (meanwhile.isPresent()) {
      return existing(order, meanwhile.get(), request);
    }
    UUID id = ids.next();
    store.copy(source.id(), id, locked.now(), key, hash, request);
    JobHistoryStore.in(tx).event(id, 1, 0, JobEvent.Kind.REPLAYED, source.id().toString());
    return new Replay.Outcome.Replayed(
        new Enqueued(id, JobStatus.PENDING, 1, Enqueued.Outcome.INSERTED));
  }

  private static Replay.Outcome existing(Replay order, KeyedJob found, String request) {
    if (!request.equals(found.request())) {
      throw new ReplayConflict(order.source(), found.id());
    }
    return new Replay.Outcome.Replayed(
        new Enqueued(found.id(), found.status(), found.run(), Enqueued.Outcome.EXISTING));
  }
}

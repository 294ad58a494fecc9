package dev.waybill.internal.store;

import dev.waybill.internal.sql.Micros;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Jobs as workers see them: claim, keep, settle, reap; in one transaction. */
public final class JobLeaseStore {
  /** A type that somebody waits for, whether it has limits, and the ends of its tenants' row. */
  public record Head(String type, boolean limited, String firstTenant, String lastTenant) {}

  /** A tenant that waits for a type, and the turn of its first job. */
  public record Waiting(String tenant, long turn) {}

  /**
   * A job that a claim has got.
   *
   * @param epoch how often the job was leased, this time included; also what was no attempt in the
   *     end counts
   * @param permits while fewer than so many hold its resource it may begin
   * @param permit which of them it gets
   * @param step the key of the step that it is, if it is one of a workflow
   */
  public record Claim(
      UUID id,
      String type,
      String tenant,
      long turn,
      int run,
      int attempt,
      long epoch,
      int maxAttempts,
      long timeoutMicros,
      @Nullable String resourceHash,
      int permits,
      @Nullable Integer permit,
      @Nullable UUID workflow,
      @Nullable String step,
      @Nullable Long progressDone,
      @Nullable Long progressTotal,
      String payload,
      @Nullable String checkpoint) {
    static Claim read(Row row) throws SQLException {
      return read(row, row.text("payload"));
    }

    static Claim read(Row row, String payload) throws SQLException {
      return new Claim(
          row.uuid("id"),
          row.text("type"),
          row.text("tenant"),
          row.number("turn"),
          (int) row.number("run"),
          (int) row.number("attempt") + 1,
          row.number("lease_epoch") + 1,
          (int) row.number("max_attempts"),
          row.number("timeout_micros"),
          row.textOrNull("resource_hash"),
          (int) row.number("resource_permits"),
          null,
          row.uuidOrNull("workflow_id"),
          row.textOrNull("step_key"),
          row.numberOrNull("progress_done"),
          row.numberOrNull("progress_total"),
          payload,
          row.textOrNull("checkpoint"));
    }

    /** The same with a permit. */
    public Claim with(int number) {
      return copy(id, number, payload);
    }

    /** Another of the same freight. */
    Claim at(UUID job, String body) {
      return copy(job, permit, body);
    }

    private Claim copy(UUID newId, @Nullable Integer newPermit, String newPayload) {
      return new Claim(
          newId,
          type,
          tenant,
          turn,
          run,
          attempt,
          epoch,
          maxAttempts,
          timeoutMicros,
          resourceHash,
          permits,
          newPermit,
          workflow,
          step,
          progressDone,
          progressTotal,
          newPayload,
          checkpoint);
    }

    private Map<String, @Nullable Object> leaseFields() {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("id", id);
      fields.put("permit", permit);
      return fields;
    }
  }

  /** Exactly which attempt owns a job. */
  public record Fence(UUID id, int run, int attempt, String worker) {
    Map<String, @Nullable Object> fields() {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("id", id);
      fields.put("run", run);
      fields.put("attempt", attempt);
      fields.put("worker", worker);
      return fields;
    }
  }

  /** A leased job whose row is locked, and the time at which it was. */
  public record Lease(
      Fence fence,
      String type,
      int maxAttempts,
      int priority,
      Instant leasedAt,
      Instant leaseUntil,
      @Nullable UUID workflow,
      @Nullable Long progressDone,
      @Nullable Long progressTotal,
      Instant now) {
    static Lease read(Row row) throws SQLException {
      return new Lease(
          new Fence(
              row.uuid("id"),
              (int) row.number("run"),
              (int) row.number("attempt"),
              row.text("worker")),
          row.text("type"),
          (int) row.number("max_attempts"),
          (int) row.number("priority"),
          row.time("leased_at"),
          row.time("lease_until"),
          row.uuidOrNull("workflow_id"),
          row.numberOrNull("progress_done"),
          row.numberOrNull("progress_total"),
          row.time("now"));
    }

    /** Whether it had not ended when the row was locked. */
    public boolean isLive() {
      return leaseUntil.isAfter(now);
    }
  }

  /** What a job becomes when its attempt has ended. */
  public record Settled(
      Lease lease,
      AttemptOutcome outcome,
      JobStatus status,
      int run,
      int attempt,
      @Nullable Instant dueAt,
      String stage,
      @Nullable String reason,
      @Nullable String errorCode,
      @Nullable String errorMessage,
      @Nullable String output,
      @Nullable String checkpoint,
      @Nullable Duration policyDelay,
      @Nullable Instant notBefore) {
    private Map<String, @Nullable Object> jobFields() {
      Instant due = dueAt;
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("id", lease.fence().id());
      fields.put("status", JobCodes.STATUS.number(status));
      fields.put("run", run);
      fields.put("attempt", attempt);
      if (due != null) {
        fields.put("due", micros(due));
        fields.put("turn", micros(due) - lease.priority() * JobStore.AGEING);
      }
      fields.put("finished_at", status.isTerminal() ? micros(lease.now()) : null);
      fields.put("stage", stage);
      fields.put("reason", reason);
      fields.put("code", errorCode);
      fields.put("message", errorMessage);
      fields.put("output", output);
      fields.put("checkpoint", checkpoint);
      return fields;
    }

    private Map<String, @Nullable Object> attemptFields() {
      Map<String, @Nullable Object> fields = lease.fence().fields();
      fields.put("leased_at", micros(lease.leasedAt()));
      fields.put("finished_at", micros(lease.now()));
      fields.put("outcome", JobCodes.OUTCOME.number(outcome));
      fields.put("code", errorCode);
      fields.put("message", errorMessage);
      fields.put("policy", policyDelay == null ? null : policyDelay.toNanos() / 1000);
      fields.put("not_before", notBefore == null ? null : micros(notBefore));
      fields.put("next_due", dueAt == null ? null : micros(dueAt));
      return fields;
    }
  }

  private final Tx tx;

  private JobLeaseStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static JobLeaseStore in(Tx tx) {
    return new JobLeaseStore(tx);
  }

  private static long micros(Instant time) {
    return Micros.of(time);
  }

  /** So many at the front of the lines of these types stand there in rows. */
  public void unloadFront(Collection<String> types, int jobs) {
    freights().unloadFront(types, jobs);
  }

  /** Those of these types that somebody waits for and that may be claimed. */
  public List<Head> heads(Collection<String> types) {
    return tx.sql("job_heads")
        .set("types", JsonRows.texts(types))
        .list(
            row ->
                new Head(
                    row.text("type"),
                    row.flag("limited"),
                    row.text("first_tenant"),
                    row.text("last_tenant")));
  }

  /** So many of the tenants that wait for a type, in the order of their names, from one on. */
  public List<Waiting> tenants(String type, String since, int limit) {
    return tx.sql("job_tenants")
        .set("type", type)
        .set("since", since)
        .set("limit", limit)
        .list(row -> new Waiting(row.text("tenant"), row.number("turn")));
  }

  /** What limited types may start. */
  public JobLimitStore limits() {
    return JobLimitStore.in(tx);
  }

  /** The turns at the front of a line. */
  public List<Long> line(String type, String tenant, int limit) {
    return tx.sql("job_line")
        .set("type", type)
        .set("tenant", tenant)
        .set("limit", limit)
        .list(row -> row.number("turn"));
  }

  /** Locks jobs of a line up to a turn, in their order. */
  public List<Claim> lockForClaim(String type, String tenant, long bound, int limit) {
    return tx.sql("job_claim_lock")
        .set("type", type)
        .set("tenant", tenant)
        .set("bound", bound)
        .set("limit", limit)
        .list(Claim::read);
  }

  /** Which permits of these resources are in use. */
  public Map<String, Set<Integer>> held(Collection<String> resources) {
    Map<String, Set<Integer>> held = new LinkedHashMap<>();
    tx.sql("job_held")
        .set("hashes", JsonRows.texts(resources))
        .list(
            row ->
                held.computeIfAbsent(row.text("held_hash"), hash -> new HashSet<>())
                    .add((int) row.number("held_permit")));
    return held;
  }

  /** Leases jobs that are locked. */
  public void lease(List<Claim> claims, String worker, Duration lease) {
    tx.sql("job_lease")
        .set("batch", JsonRows.objects(claims, Claim::leaseFields))
        .set("worker", worker)
        .set("ttl", lease.toNanos() / 1000)
        .update();
  }

  /** Scheduled jobs whose time has come wait for a worker now. */
  public int stage(int limit) {
    return tx.sql("job_stage").set("limit", limit).update();
  }

  /** How long until the next scheduled job is due; not positive if one is. */
  public Optional<Duration> untilNextDue() {
    return tx.sql("job_next_due")
        .one(row -> Optional.ofNullable(row.numberOrNull("micros")))
        .map(micros -> Duration.of(micros, ChronoUnit.MICROS));
  }

  /** Renews the live ones among these, except those that somebody has locked; says which. */
  public List<UUID> renew(List<Fence> fences, Duration lease) {
    freights().unloadFree(ids(fences));
    List<UUID> live =
        tx
            .sql("job_renew_lock")
            .set("batch", JsonRows.objects(fences, Fence::fields))
            .list(
                row ->
                    row.number("left_micros") > 0
                        ? Optional.of(row.uuid("id"))
                        : Optional.<UUID>empty())
            .stream()
            .flatMap(Optional::stream)
            .toList();
    if (!live.isEmpty()) {
      tx.sql("job_renew")
          .set("ids", JsonRows.texts(live))
          .set("ttl", lease.toNanos() / 1000)
          .update();
    }
    return live;
  }

  /** Which of these still own their job. */
  public List<UUID> live(List<Fence> fences) {
    // First: what is in no freight any more is a row by the time rows are looked at.
    List<UUID> live = new ArrayList<>(freights().live(fences));
    live.addAll(
        tx.sql("job_watch")
            .set("batch", JsonRows.objects(fences, Fence::fields))
            .list(row -> row.uuid("id")));
    return live;
  }

  private JobFreightStore freights() {
    return JobFreightStore.in(tx);
  }

  private static List<UUID> ids(List<Fence> fences) {
    return fences.stream().map(Fence::id).toList();
  }

  /** Why those of these that were canceled were. */
  public Map<UUID, String> cancelReasons(Collection<UUID> ids) {
    Map<UUID, String> reasons = new LinkedHashMap<>();
    tx.sql("job_cancel_reasons")
        .set("ids", JsonRows.ids(ids))
        .list(row -> reasons.put(row.uuid("id"), row.text("reason")) == null);
    return reasons;
  }

  /** Locks the jobs that these still hold, whether their lease has ended or not. */
  public List<Lease> lockForSettling(List<Fence> fences) {
    freights().unload(ids(fences));
    // In the order in which rows are locked.
    List<Fence> ordered =
        fences.stream().sorted(Comparator.comparing(fence -> fence.id().toString())).toList();
    return tx.sql("job_settle_lock")
        .set("batch", JsonRows.objects(ordered, Fence::fields))
        .list(Lease::read);
  }

  /** The same without those whose row somebody else has locked: nobody is waited for. */
  public List<Lease> lockUnheld(List<Fence> fences) {
    Set<UUID> free =
        Set.copyOf(
            tx.sql("job_renew_lock")
                .set("batch", JsonRows.objects(fences, Fence::fields))
                .list(row -> row.uuid("id")));
    List<Fence> ours = fences.stream().filter(fence -> free.contains(fence.id())).toList();
    return ours.isEmpty() ? List.of() : lockForSettling(ours);
  }

  /** Locks what a worker has leased. */
  public List<Lease> lockOwned(String worker) {
    return tx.sql("job_owned_lock").set("worker", worker).list(Lease::read);
  }

  /** Locks jobs whose lease has ended, longest ago first. */
  public List<Lease> lockExpired(int limit) {
    freights().unloadExpired(limit);
    return tx.sql("job_reap_lock").set("limit", limit).list(Lease::read);
  }

  /**
   * An expired lease of a step, not locked yet, and the run that has to be locked first.
   *
   * @param until when it ended, in microseconds
   */
  public record ExpiredStep(Fence fence, UUID workflow, long until) {}

  /** Steps whose lease has ended, longest ago first, behind one of them; without a lock. */
  public List<ExpiredStep> expiredSteps(int limit, @Nullable ExpiredStep behind) {
    return (behind == null
            ? tx.sql("job_reap_steps", Set.of("limit"))
            : tx.sql("job_reap_steps", Set.of("limit", "since", "after"))
                .set("since", behind.until())
                .set("after", behind.fence().id()))
        .set("limit", limit)
        .list(
            row ->
                new ExpiredStep(
                    new Fence(
                        row.uuid("id"),
                        (int) row.number("run"),
                        (int) row.number("attempt"),
                        row.text("worker")),
                    row.uuid("workflow_id"),
                    row.number("lease_until")));
  }

  /**
   * Writes what became of jobs that are locked, and records their attempts. One that was released
   * has an event instead: its number is that of the next attempt. One that succeeded is the last of
   * its job, whose row says all about it.
   */
  public void settle(List<Settled> all) {
    Map<Boolean, List<Settled>> byRelease =
        all.stream()
            .collect(Collectors.partitioningBy(each -> each.outcome() == AttemptOutcome.RELEASED));
    record(
        byRelease.getOrDefault(false, List.of()).stream()
            .filter(each -> each.outcome() != AttemptOutcome.SUCCEEDED)
            .toList());
    List<Settled> released = byRelease.getOrDefault(true, List.of());
    if (!released.isEmpty()) {
      JobHistoryStore.in(tx)
          .eventOfAll(
              released.stream().map(each -> each.lease().fence().id()).toList(),
              JobEvent.Kind.RELEASED,
              "by " + released.get(0).lease().fence().worker());
    }
    moveOnly(all);
  }

  /** Writes what became of jobs that are locked, without a record. */
  public void moveOnly(List<Settled> all) {
    tx.sql("job_settle").set("batch", JsonRows.objects(all, Settled::jobFields)).update();
  }

  /** Records attempts. */
  public void record(List<Settled> attempts) {
    if (!attempts.isEmpty()) {
      tx.sql("job_attempt_insert")
          .set("batch", JsonRows.objects(attempts, Settled::attemptFields))
          .update();
    }
  }

  /** Writes the progress of a job that is locked. */
  public void progress(
      UUID id,
      @Nullable Long done,
      @Nullable Long total,
      @Nullable String checkpoint,
      @Nullable String stage) {
    tx.sql("job_progress")
        .set("id", id)
        .set("done", done)
        .set("total", total)
        .set("checkpoint", checkpoint)
        .set("stage", stage)
        .update();
  }

  /** Frees the resources of canceled jobs whose handlers cannot run any more. */
  public int unhold() {
    return tx.sql("job_unhold").update();
  }
}

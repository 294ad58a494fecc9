package dev.waybill.internal.store;

import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs as producers, operators and readers see them, in one transaction. */
public final class JobStore {
  /** How much waiting a point of priority is worth, in microseconds. */
  public static final long AGEING = 60_000_000L;

  /** A job to be. */
  public record NewJob(
      UUID id,
      String type,
      String tenant,
      @Nullable Long delay,
      @Nullable Long due,
      @Nullable Integer priority,
      @Nullable Integer maxAttempts,
      @Nullable Long timeout,
      String stage,
      @Nullable String resourceKey,
      @Nullable String resourceHash,
      int permits,
      @Nullable String idempotencyKey,
      @Nullable String idempotencyHash,
      @Nullable String activeHash,
      @Nullable String request,
      String payload) {
    /** Due at once, without keys, and like this one but for id and payload. */
    private boolean differsInBodyOnly(NewJob other) {
      return other.due == null
          && other.delay == null
          && other.resourceKey == null
          && other.idempotencyHash == null
          && other.activeHash == null
          && other.type.equals(type)
          && other.tenant.equals(tenant)
          && other.stage.equals(stage)
          && Objects.equals(other.priority, priority)
          && Objects.equals(other.maxAttempts, maxAttempts)
          && Objects.equals(other.timeout, timeout);
    }

    private Map<String, @Nullable Object> fields() {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("id", id);
      fields.put("type", type);
      fields.put("tenant", tenant);
      fields.put("delay", delay);
      fields.put("due", due);
      fields.put("priority", priority);
      fields.put("max_attempts", maxAttempts);
      fields.put("timeout", timeout);
      fields.put("stage", stage);
      fields.put("resource_key", resourceKey);
      fields.put("resource_hash", resourceHash);
      fields.put("resource_permits", permits);
      fields.put("idempotency_key", idempotencyKey);
      fields.put("idempotency_hash", idempotencyHash);
      fields.put("active_hash", activeHash);
      fields.put("request", request);
      fields.put("payload", payload);
      return fields;
    }
  }

  /** A job that has a key already. */
  public record KeyedJob(
      UUID id,
      JobStatus status,
      int run,
      @Nullable String idempotencyHash,
      @Nullable String activeHash,
      @Nullable String request) {
    static KeyedJob read(Row row) throws SQLException {
      return new KeyedJob(
          row.uuid("id"),
          readStatus(row),
          (int) row.number("run"),
          row.textOrNull("idempotency_hash"),
          row.textOrNull("active_hash"),
          row.textOrNull("request"));
    }
  }

  /** A job and the time at which its row was locked. */
  public record LockedJob(JobInfo job, Instant now) {}

  private final Tx tx;

  private JobStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static JobStore in(Tx tx) {
    return new JobStore(tx);
  }

  private static JobStatus readStatus(Row row) throws SQLException {
    return JobCodes.STATUS.word(row.number("status"));
  }

  /** Inserts those whose type is enabled and whose keys are free. Says how many, or about. */
  public int insert(List<NewJob> jobs) {
    if (tx.dialect() == Dialect.POSTGRES
        && jobs.stream().allMatch(jobs.get(0)::differsInBodyOnly)) {
      return insertAlike(jobs);
    }
    return tx.sql("job_insert")
        .set("batch", JsonRows.objects(jobs, NewJob::fields))
        .set("ageing", AGEING)
        .update();
  }

  private int insertAlike(List<NewJob> jobs) {
    NewJob any = jobs.get(0);
    return tx.sql("job_insert_alike")
        .uuids("ids", jobs.stream().map(NewJob::id).toList())
        .texts("payloads", jobs.stream().map(NewJob::payload).toList())
        .set("type", any.type())
        .set("tenant", any.tenant())
        .set("priority", any.priority())
        .set("max_attempts", any.maxAttempts())
        .set("timeout", any.timeout())
        .set("stage", any.stage())
        .set("ageing", AGEING)
        .update();
  }

  /** Which of these exist, and how they are. */
  public Map<UUID, JobStatus> present(Collection<UUID> ids) {
    Map<UUID, JobStatus> found = new LinkedHashMap<>();
    tx.sql("job_present")
        .set("ids", JsonRows.texts(ids))
        .list(row -> found.put(row.uuid("id"), readStatus(row)) == null);
    return found;
  }

  /** Those that have these keys for good. */
  public List<KeyedJob> byIdempotency(Collection<String> hashes) {
    return tx.sql("job_by_idempotency").set("hashes", JsonRows.texts(hashes)).list(KeyedJob::read);
  }

  /** What has this key for good. */
  public Optional<JobInfo> withKey(String hash) {
    return tx.sql("job_find_key").set("hash", hash).first(row -> row.uuid("id")).flatMap(this::get);
  }

  /** Those that have these keys while they are active; those that wait are locked. */
  public List<KeyedJob> byActive(Collection<String> hashes) {
    List<KeyedJob> found = new ArrayList<>(byActive("job_by_active", hashes));
    Set<String> others = new TreeSet<>(hashes);
    found.forEach(job -> others.remove(String.valueOf(job.activeHash())));
    if (!others.isEmpty()) {
      found.addAll(byActive("job_by_active_begun", others));
    }
    return found;
  }

  private List<KeyedJob> byActive(String statement, Collection<String> hashes) {
    return tx.sql(statement).set("hashes", JsonRows.texts(hashes)).list(KeyedJob::read);
  }

  /** Deletes jobs. */
  public int discard(Collection<UUID> ids) {
    return tx.sql("job_discard").set("ids", JsonRows.texts(ids)).update();
  }

  /** A job that waits gets another payload and time; returns false if it does not wait. */
  public boolean replace(
      UUID id, String payload, @Nullable Instant dueAt, @Nullable Duration delay) {
    return tx.sql("job_replace")
            .set("id", id)
            .set("payload", payload)
            .time("due", dueAt)
            .set("delay", delay == null ? 0 : delay.toNanos() / 1000)
            .set("ageing", AGEING)
            .update()
        > 0;
  }

  /** Locks a job. */
  public Optional<LockedJob> lock(UUID id) {
    JobFreightStore.in(tx).unload(List.of(id));
    return tx.sql("job_lock")
        .set("id", id)
        .first(row -> new LockedJob(readInfo(row), row.time("now")));
  }

  /** Reads a job. */
  public Optional<JobInfo> get(UUID id) {
    return tx.sql("job_get").set("id", id).first(JobStore::readInfo);
  }

  /** Reads the JSON of a job. */
  public Optional<JobInfo.Body> body(UUID id) {
    return tx.sql("job_body")
        .set("id", id)
        .first(
            row ->
                new JobInfo.Body(
                    row.text("payload"), row.textOrNull("checkpoint"), row.textOrNull("output")));
  }

  /** How a scope is stored with a job; null for all of them. */
  public static @Nullable String tenantOrAny(Scope scope) {
    if (scope instanceof Scope.Tenant tenant) {
      return tenant.id();
    }
    return scope instanceof Scope.Global ? "" : null;
  }

  static JobInfo readInfo(Row row) throws SQLException {
    String tenant = row.text("tenant");
    JobStatus status = readStatus(row);
    // Of a job that succeeded, the row keeps who had it: that is its last attempt, not a lease.
    boolean leased = status != JobStatus.SUCCEEDED;
    return new JobInfo(
        row.uuid("id"),
        row.text("type"),
        tenant.isEmpty() ? Scope.global() : Scope.tenant(tenant),
        status,
        (int) row.number("run"),
        (int) row.number("attempt"),
        (int) row.number("max_attempts"),
        Duration.of(row.number("timeout_micros"), ChronoUnit.MICROS),
        (int) row.number("priority"),
        row.text("stage"),
        row.time("created_at"),
        row.time("due_at"),
        row.timeOrNull("started_at"),
        row.timeOrNull("finished_at"),
        leased ? row.textOrNull("worker") : null,
        leased ? row.timeOrNull("leased_at") : null,
        leased ? row.timeOrNull("lease_until") : null,
        row.numberOrNull("progress_done"),
        row.numberOrNull("progress_total"),
        row.textOrNull("resource_key"),
        row.textOrNull("idempotency_key"),
        row.textOrNull("reason"),
        row.textOrNull("error_code"),
        row.textOrNull("error_message"),
        row.uuidOrNull("workflow_id"));
  }

  /** Ends a job that is locked. */
  public void cancel(UUID id, String reason) {
    tx.sql("job_cancel").set("id", id).set("reason", reason).update();
  }

  /** A job that has not ended, its row locked: the lease if somebody is at it. */
  public record Unended(UUID id, Optional<Lease> lease) {}

  /** Locks those of these that have not ended. */
  public List<Unended> lockUnended(Collection<UUID> ids) {
    return tx.sql("job_cancel_lock")
        .set("ids", JsonRows.ids(ids))
        .list(
            row ->
                new Unended(
                    row.uuid("id"),
                    readStatus(row) == JobStatus.LEASED
                        ? Optional.of(Lease.read(row))
                        : Optional.empty()));
  }

  /** Ends jobs that are locked. */
  public void cancelAll(Collection<UUID> ids, String reason) {
    tx.sql("job_cancel_all").set("ids", JsonRows.ids(ids)).set("reason", reason).update();
  }

  /** Who waits or runs with the key that a job had while it did; empty if that has none. */
  public Optional<UUID> uniqueHolder(UUID id) {
    return tx.sql("job_unique_holder").set("id", id).first(row -> row.uuid("id"));
  }

  /** Begins a new run of a job that is locked. */
  public void requeue(UUID id, Instant now, boolean keepState, String reason) {
    tx.sql("job_requeue")
        .set("id", id)
        .time("now", now)
        .set("ageing", AGEING)
        .set("keep", keepState)
        .set("reason", reason)
        .update();
  }

  /** A new job with the payload and settings of another. */
  public void copy(UUID source, UUID id, Instant now, String key, String hash, String request) {
    tx.sql("job_copy")
        .set("source", source)
        .set("id", id)
        .time("now", now)
        .set("ageing", AGEING)
        .set("key", key)
        .set("hash", hash)
        .set("request", request)
        .update();
  }

  /** Deletes ended jobs and all about them; of what is in a freight there is nothing else. */
  public int purge(JobStatus status, long ageMicros, int atMost) {
    int freight =
        status == JobStatus.SUCCEEDED ? JobFreightStore.in(tx).purge(ageMicros, atMost) : 0;
    return freight == atMost ? freight : freight + purgeRows(status, ageMicros, atMost - freight);
  }

  private int purgeRows(JobStatus status, long ageMicros, int atMost) {
    List<UUID> ids =
        tx.sql("job_purge_pick")
            .set("status", JobCodes.STATUS.number(status))
            .set("age", ageMicros)
            .set("limit", atMost)
            .list(row -> row.uuid("id"));
    if (ids.isEmpty()) {
      return 0;
    }
    for (String part : List.of("job_purge_attempt", "job_purge_event", "job_purge_log")) {
      tx.sql(part).set("ids", JsonRows.texts(ids)).update();
    }
    return discard(ids);
  }
}

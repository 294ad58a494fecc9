package dev.waybill.internal.store;

import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Tx;
import dev.waybill.job.JobFilter;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Lists and counts of jobs, in one transaction. Each status has an index, and a list of it is in
 * the order of that index, so however much else there is, no more rows are read than are shown or
 * left out by other filters.
 */
public final class JobListStore {
  /** Beyond all others. */
  private static final UUID LAST = new UUID(-1, -1);

  /**
   * Where a job stands among others.
   *
   * @param finishedAt null if it has not ended
   */
  private record Place(
      String type, String tenant, long turn, long dueAt, @Nullable Long finishedAt) {}

  private final Tx tx;

  private JobListStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static JobListStore in(Tx tx) {
    return new JobListStore(tx);
  }

  /** A page in the order that {@link JobFilter} tells. */
  public List<JobInfo> page(JobFilter filter) {
    JobStatus status = filter.status();
    UUID after = filter.after();
    if (status == null || status == JobStatus.LEASED) {
      String statement = status == null ? "job_page" : "job_page_leased";
      return list(statement, filter, Map.of("after", after == null ? LAST : after));
    }
    Optional<Place> place = after == null ? Optional.empty() : place(after);
    if (after != null && place.isEmpty()) {
      return List.of();
    }
    return switch (status) {
      case SCHEDULED -> scheduled(filter, place, after);
      case PENDING -> pending(filter, place, after);
      default -> ended(filter, status, place, after);
    };
  }

  private Optional<Place> place(UUID id) {
    return tx.sql("job_place")
        .set("id", id)
        .first(
            row ->
                new Place(
                    row.text("type"),
                    row.text("tenant"),
                    row.number("turn"),
                    row.number("due_at"),
                    row.numberOrNull("finished_at")));
  }

  private List<JobInfo> scheduled(JobFilter filter, Optional<Place> place, @Nullable UUID after) {
    Map<String, Object> from = new HashMap<>();
    if (after != null && place.isPresent()) {
      from.put("from_due", place.get().dueAt());
      from.put("after", after);
    }
    return list("job_page_scheduled", filter, from);
  }

  private List<JobInfo> pending(JobFilter filter, Optional<Place> place, @Nullable UUID after) {
    Map<String, Object> from = new HashMap<>();
    if (after != null && place.isPresent()) {
      Place last = place.get();
      // With a type the line begins there: a comparison of both would read the type from its start.
      boolean within = last.type().equals(filter.type());
      from.put(within ? "of_type" : "from_type", last.type());
      from.put(within ? "of_tenant" : "from_tenant", last.tenant());
      from.put(within ? "of_turn" : "from_turn", last.turn());
      from.put(within ? "of_after" : "after", after);
    }
    return list("job_page_pending", filter, from);
  }

  private List<JobInfo> ended(
      JobFilter filter, JobStatus status, Optional<Place> place, @Nullable UUID after) {
    Map<String, Object> from = new HashMap<>();
    from.put("status", JobCodes.STATUS.number(status));
    if (after != null && place.isPresent()) {
      Long end = place.get().finishedAt();
      // One that was requeued meanwhile says nothing about where to go on.
      if (end == null) {
        return List.of();
      }
      from.put("until", end);
      from.put("after", after);
    }
    return list("job_page_ended", filter, from);
  }

  private List<JobInfo> list(String statement, JobFilter filter, Map<String, Object> from) {
    Map<String, Object> values = new HashMap<>(from);
    put(values, "tenant", JobStore.tenantOrAny(filter.scope()));
    put(values, "type", filter.type());
    put(values, "code", filter.errorCode());
    put(values, "since", filter.createdSince());
    put(values, "before", filter.createdBefore());
    values.put("limit", filter.limit());
    Query query = tx.sql(statement, values.keySet());
    values.forEach(query::set);
    return query.list(JobStore::readInfo);
  }

  private static void put(Map<String, Object> values, String name, @Nullable Object value) {
    if (value != null) {
      values.put(name, value);
    }
  }

  /** Looks at so many at most; where no index tells the type, at 10,000. */
  public long count(String type, JobStatus status, int atMost) {
    return tx.sql("job_count")
        .set("type", type)
        .set("status", JobCodes.STATUS.number(status))
        .set("limit", atMost)
        .one(row -> row.number("found"));
  }
}

package dev.waybill.internal.store;

import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobContext;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobLogEntry;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** What happened to jobs, in one transaction. */
public final class JobHistoryStore {
  private final Tx tx;

  private JobHistoryStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static JobHistoryStore in(Tx tx) {
    return new JobHistoryStore(tx);
  }

  /** The ended attempts, oldest first. */
  public List<JobAttempt> attempts(UUID id) {
    return tx.sql("job_attempt_rows")
        .set("id", id)
        .list(
            row -> {
              Long policy = row.numberOrNull("policy_micros");
              return new JobAttempt(
                  (int) row.number("run"),
                  (int) row.number("attempt"),
                  row.text("worker"),
                  row.time("leased_at"),
                  row.time("finished_at"),
                  JobCodes.OUTCOME.word(row.number("outcome")),
                  row.textOrNull("error_code"),
                  row.textOrNull("error_message"),
                  policy == null ? null : Duration.of(policy, ChronoUnit.MICROS),
                  row.timeOrNull("not_before"),
                  row.timeOrNull("next_due_at"));
            });
  }

  /** Records an event. */
  public void event(UUID id, int run, int attempt, JobEvent.Kind kind, String detail) {
    tx.sql("job_event_insert")
        .set("id", id)
        .set("run", run)
        .set("attempt", attempt)
        .set("kind", JobCodes.EVENT.number(kind))
        .set("detail", detail)
        .update();
  }

  /** Records the same event of many jobs. */
  public void eventOfAll(Collection<UUID> ids, JobEvent.Kind kind, String detail) {
    tx.sql("job_event_all")
        .set("ids", JsonRows.ids(ids))
        .set("kind", JobCodes.EVENT.number(kind))
        .set("detail", detail)
        .update();
  }

  /** Events after a number. */
  public List<JobEvent> events(UUID id, long after, int limit) {
    return tx.sql("job_event_rows")
        .set("job", id)
        .set("after", after)
        .set("limit", limit)
        .list(
            row ->
                new JobEvent(
                    row.number("id"),
                    (int) row.number("run"),
                    (int) row.number("attempt"),
                    JobCodes.EVENT.word(row.number("kind")),
                    row.time("occurred_at"),
                    row.text("detail")));
  }

  /** Stores a line of a handler's log. */
  public void log(UUID id, int run, int attempt, JobContext.Level level, String message) {
    tx.sql("job_log_insert")
        .set("id", id)
        .set("run", run)
        .set("attempt", attempt)
        .set("level", JobCodes.LEVEL.number(level))
        .set("message", message)
        .update();
  }

  /** Lines after a number. */
  public List<JobLogEntry> logs(UUID id, long after, int limit) {
    return tx.sql("job_log_rows")
        .set("job", id)
        .set("after", after)
        .set("limit", limit)
        .list(JobHistoryStore::line);
  }

  /** The latest lines before a number, the newest first. */
  public List<JobLogEntry> latestLogs(UUID id, long before, int limit) {
    return tx.sql("job_log_latest")
        .set("job", id)
        .set("before", before)
        .set("limit", limit)
        .list(JobHistoryStore::line);
  }

  private static JobLogEntry line(Row row) throws SQLException {
    return new JobLogEntry(
        row.number("id"),
        (int) row.number("run"),
        (int) row.number("attempt"),
        JobCodes.LEVEL.word(row.number("level")),
        row.text("message"),
        row.time("occurred_at"));
  }
}

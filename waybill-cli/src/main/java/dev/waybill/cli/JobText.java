package dev.waybill.cli;

import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobLogEntry;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Jobs for people and for programs. */
final class JobText {
  private JobText() {}

  static String table(List<JobInfo> jobs) {
    Table table = new Table("id", "type", "status", "created", "due", "ended", "attempt", "error");
    for (JobInfo job : jobs) {
      table.row(
          job.id(),
          job.type(),
          lower(job.status()),
          job.createdAt(),
          job.status() == JobStatus.SCHEDULED ? job.dueAt() : null,
          job.finishedAt(),
          job.attempt() + "/" + job.maxAttempts(),
          job.errorCode());
    }
    return table.text();
  }

  static String whole(
      JobInfo job, List<JobAttempt> attempts, List<JobEvent> events, JobInfo.@Nullable Body body) {
    List<String> lines = new ArrayList<>();
    lines.add("Job " + job.id() + ", " + job.type() + ", " + lower(job.status()));
    line(lines, "scope", scope(job.scope()));
    line(lines, "stage", job.stage());
    line(lines, "created", job.createdAt());
    line(lines, "due", job.dueAt());
    line(lines, "run", job.run() + ", attempt " + job.attempt() + " of " + job.maxAttempts());
    line(lines, "worker", job.worker());
    line(lines, "lease until", job.leaseUntil());
    line(lines, "progress", progress(job));
    line(lines, "resource", job.resourceKey());
    line(lines, "key", job.idempotencyKey());
    line(lines, "workflow", job.workflow());
    line(lines, "finished", job.finishedAt());
    line(lines, "reason", job.reason());
    line(lines, "error", error(job.errorCode(), job.errorMessage()));
    for (JobAttempt each : attempts) {
      line(
          lines,
          "attempt " + each.run() + "." + each.attempt(),
          each.finishedAt()
              + " "
              + lower(each.outcome())
              + " "
              + suffix(error(each.errorCode(), each.errorMessage())));
    }
    for (JobEvent each : events) {
      line(lines, lower(each.kind()), each.occurredAt() + " " + each.detail());
    }
    if (body != null) {
      body(lines, "payload", body.payload());
      body(lines, "checkpoint", body.checkpoint());
      body(lines, "output", body.output());
    }
    return String.join(System.lineSeparator(), lines);
  }

  static String logs(List<JobLogEntry> entries) {
    Table table = new Table("time", "level", "attempt", "message");
    for (JobLogEntry each : entries) {
      table.row(
          each.occurredAt(),
          lower(each.level()),
          each.run() + "." + each.attempt(),
          each.message());
    }
    return table.text();
  }

  static Map<String, Object> document(JobInfo job) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", job.id());
    document.put("type", job.type());
    document.put("scope", scope(job.scope()));
    document.put("status", lower(job.status()));
    document.put("run", job.run());
    document.put("attempt", job.attempt());
    document.put("max_attempts", job.maxAttempts());
    document.put("priority", job.priority());
    document.put("stage", job.stage());
    document.put("created_at", job.createdAt());
    document.put("due_at", job.dueAt());
    put(document, "started_at", job.startedAt());
    put(document, "finished_at", job.finishedAt());
    put(document, "worker", job.worker());
    put(document, "lease_until", job.leaseUntil());
    put(document, "progress_done", job.progressDone());
    put(document, "progress_total", job.progressTotal());
    put(document, "resource_key", job.resourceKey());
    put(document, "idempotency_key", job.idempotencyKey());
    put(document, "workflow", job.workflow());
    put(document, "reason", job.reason());
    put(document, "error_code", job.errorCode());
    put(document, "error_message", job.errorMessage());
    return document;
  }

  static Map<String, Object> document(JobAttempt attempt) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("run", attempt.run());
    document.put("attempt", attempt.attempt());
    document.put("worker", attempt.worker());
    document.put("leased_at", attempt.leasedAt());
    document.put("finished_at", attempt.finishedAt());
    document.put("outcome", lower(attempt.outcome()));
    put(document, "error_code", attempt.errorCode());
    put(document, "error_message", attempt.errorMessage());
    put(document, "next_due_at", attempt.nextDueAt());
    return document;
  }

  static Map<String, Object> document(JobEvent event) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("number", event.number());
    document.put("run", event.run());
    document.put("attempt", event.attempt());
    document.put("kind", lower(event.kind()));
    document.put("occurred_at", event.occurredAt());
    document.put("detail", event.detail());
    return document;
  }

  static Map<String, Object> document(JobLogEntry entry) {
    return Map.of(
        "number", entry.number(),
        "run", entry.run(),
        "attempt", entry.attempt(),
        "level", lower(entry.level()),
        "occurred_at", entry.occurredAt(),
        "message", entry.message());
  }

  static void put(Map<String, Object> document, String name, @Nullable Object value) {
    if (value != null) {
      document.put(name, value);
    }
  }

  static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  static String scope(Scope scope) {
    return scope instanceof Scope.Tenant tenant ? "tenant " + tenant.id() : "global";
  }

  static void line(List<String> lines, String name, @Nullable Object value) {
    if (value != null) {
      add(lines, name, Visible.line(value.toString()));
    }
  }

  /** What may have lines of its own. */
  static void body(List<String> lines, String name, @Nullable String value) {
    if (value != null) {
      add(lines, name, Visible.block(value));
    }
  }

  private static void add(List<String> lines, String name, String value) {
    lines.add(String.format(Locale.ROOT, "%-12s %s", name, value).stripTrailing());
  }

  private static @Nullable String progress(JobInfo job) {
    Long done = job.progressDone();
    Long total = job.progressTotal();
    return done == null ? null : done + (total == null ? "" : " of " + total);
  }

  static @Nullable String error(@Nullable String code, @Nullable String message) {
    return code == null ? null : code + ": " + message;
  }

  private static String suffix(@Nullable String text) {
    return text == null ? "" : text;
  }
}

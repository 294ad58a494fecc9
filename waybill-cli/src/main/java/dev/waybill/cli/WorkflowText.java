package dev.waybill.cli;

import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.WorkflowInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs and steps for people and for programs. */
final class WorkflowText {
  private static final int MOST_NAMED = 5;

  private WorkflowText() {}

  static String table(List<WorkflowInfo> runs) {
    Table table = new Table("id", "type", "status", "created", "ended", "done");
    for (WorkflowInfo run : runs) {
      table.row(
          run.id(),
          run.type(),
          JobText.lower(run.status()),
          run.createdAt(),
          run.finishedAt(),
          run.steps() - run.openSteps() + "/" + run.steps());
    }
    return table.text();
  }

  static String whole(
      WorkflowInfo run,
      Map<String, String> attributes,
      List<StepInfo> steps,
      WorkflowInfo.@Nullable Body body) {
    List<String> lines = new ArrayList<>();
    lines.add("Run " + run.id() + ", " + run.type() + ", " + JobText.lower(run.status()));
    JobText.line(lines, "scope", JobText.scope(run.scope()));
    JobText.line(lines, "created", run.createdAt());
    JobText.line(lines, "finished", run.finishedAt());
    JobText.line(lines, "key", run.idempotencyKey());
    JobText.line(lines, "active key", run.activeKey());
    JobText.line(lines, "rerun of", run.source());
    JobText.line(lines, "from step", run.sourceStep());
    JobText.line(lines, "started by", run.parent());
    JobText.line(lines, "as its step", run.parentStep());
    JobText.line(lines, "reason", run.reason());
    attributes.forEach((name, value) -> JobText.line(lines, "attribute", name + ": " + value));
    if (body != null) {
      JobText.body(lines, "input", body.input());
      JobText.body(lines, "result", body.result());
    }
    Table table = new Table("step", "kind", "status", "attempt", "started", "finished", "why");
    for (StepInfo step : steps) {
      table.row(
          step.key(),
          JobText.lower(step.kind()),
          JobText.lower(step.status()),
          step.attempt() == 0 ? "" : step.attempt(),
          step.startedAt(),
          step.finishedAt(),
          why(step));
    }
    lines.add("");
    lines.add(table.text());
    return String.join(System.lineSeparator(), lines);
  }

  private static String why(StepInfo step) {
    String error = JobText.error(step.errorCode(), step.errorMessage());
    if (error != null) {
      return error;
    }
    if (!step.blockedBy().isEmpty()) {
      List<String> all = step.blockedBy();
      List<String> some = all.subList(0, Math.min(MOST_NAMED, all.size()));
      return "waits for "
          + String.join(", ", some)
          + (some.size() < all.size() ? " and " + (all.size() - some.size()) + " more" : "");
    }
    if (step.worker() != null) {
      return "at " + step.worker();
    }
    if (step.timerAt() != null) {
      return "until " + step.timerAt();
    }
    String reason = step.reason();
    return reason == null ? "" : reason;
  }

  static Map<String, Object> document(WorkflowInfo run) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", run.id());
    document.put("type", run.type());
    document.put("scope", JobText.scope(run.scope()));
    document.put("status", JobText.lower(run.status()));
    document.put("steps", run.steps());
    document.put("open_steps", run.openSteps());
    document.put("created_at", run.createdAt());
    JobText.put(document, "finished_at", run.finishedAt());
    JobText.put(document, "idempotency_key", run.idempotencyKey());
    JobText.put(document, "active_key", run.activeKey());
    JobText.put(document, "source", run.source());
    JobText.put(document, "source_step", run.sourceStep());
    JobText.put(document, "parent", run.parent());
    JobText.put(document, "parent_step", run.parentStep());
    JobText.put(document, "reason", run.reason());
    return document;
  }

  static Map<String, Object> document(StepInfo step) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("key", step.key());
    document.put("kind", JobText.lower(step.kind()));
    document.put("status", JobText.lower(step.status()));
    JobText.put(document, "type", step.type());
    JobText.put(document, "map", step.map());
    JobText.put(document, "child", step.child());
    document.put("blocked_by", step.blockedBy());
    document.put("attempt", step.attempt());
    JobText.put(document, "released_at", step.releasedAt());
    JobText.put(document, "started_at", step.startedAt());
    JobText.put(document, "finished_at", step.finishedAt());
    JobText.put(document, "timer_at", step.timerAt());
    JobText.put(document, "worker", step.worker());
    JobText.put(document, "error_code", step.errorCode());
    JobText.put(document, "error_message", step.errorMessage());
    JobText.put(document, "reason", step.reason());
    return document;
  }
}

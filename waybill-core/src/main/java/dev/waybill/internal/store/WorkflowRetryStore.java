package dev.waybill.internal.store;

import dev.waybill.internal.sql.Micros;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.WorkflowStore.NewStep;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Runs that begin again where they failed, in one transaction. They are locked. */
public final class WorkflowRetryStore {
  /**
   * A step of a run that has ended; times in microseconds.
   *
   * @param parent the map step that it is an element of
   * @param isTakenOver whether it succeeded in the run that this one is a rerun of
   */
  public record EndedStep(
      UUID id,
      String key,
      @Nullable UUID parent,
      Step.Kind kind,
      StepState state,
      int needed,
      @Nullable Long delay,
      @Nullable Long deadline,
      @Nullable Long remind,
      boolean hasJob,
      @Nullable Instant leaseUntil,
      @Nullable String output,
      boolean isTakenOver) {
    /** What was taken over was never released where it is. */
    static boolean isTakenOver(Row row) throws SQLException {
      return WorkflowCodes.STATE.word(row.number("status")) == StepState.SUCCEEDED
          && row.numberOrNull("released_at") == null;
    }
  }

  /** An edge of a run that has ended. */
  public record EndedEdge(
      UUID prerequisite, UUID dependent, Dependency.Mode mode, @Nullable String wanted) {}

  /** How a step begins again. */
  public record Reset(
      UUID id,
      StepState state,
      int pending,
      int satisfied,
      @Nullable Instant releasedAt,
      @Nullable Instant finishedAt,
      @Nullable Instant wakeAt,
      @Nullable String reason) {
    private Map<String, @Nullable Object> fields() {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("id", id);
      fields.put("status", WorkflowCodes.STATE.number(state));
      fields.put("pending", pending);
      fields.put("satisfied", satisfied);
      fields.put("released_at", micros(releasedAt));
      fields.put("finished_at", micros(finishedAt));
      fields.put("wake_at", micros(wakeAt));
      fields.put("reason", reason);
      return fields;
    }

    private static @Nullable Long micros(@Nullable Instant time) {
      return time == null ? null : Micros.of(time);
    }
  }

  /** A run as the source of another. */
  public record Source(
      String type,
      String tenant,
      @Nullable String resultStep,
      @Nullable String activeKey,
      String input) {}

  /** A step with all that a copy of it needs, as it ended. */
  public record SourceStep(EndedStep ended, NewStep copy) {}

  private final Tx tx;

  private WorkflowRetryStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static WorkflowRetryStore in(Tx tx) {
    return new WorkflowRetryStore(tx);
  }

  /** All steps of a run. */
  public List<EndedStep> steps(UUID workflow) {
    return tx.sql("workflow_retry_steps")
        .set("workflow", workflow)
        .list(
            row ->
                new EndedStep(
                    row.uuid("id"),
                    row.text("step_key"),
                    row.uuidOrNull("parent_id"),
                    WorkflowCodes.KIND.word(row.number("kind")),
                    WorkflowCodes.STATE.word(row.number("status")),
                    (int) row.number("needed"),
                    row.numberOrNull("delay_micros"),
                    row.numberOrNull("deadline_micros"),
                    row.numberOrNull("remind_micros"),
                    row.uuidOrNull("job_id") != null,
                    row.timeOrNull("lease_until"),
                    row.textOrNull("output"),
                    EndedStep.isTakenOver(row)));
  }

  /** All edges of a run. */
  public List<EndedEdge> edges(UUID workflow) {
    return tx.sql("workflow_retry_edges")
        .set("workflow", workflow)
        .list(
            row ->
                new EndedEdge(
                    row.uuid("prerequisite_id"),
                    row.uuid("dependent_id"),
                    WorkflowCodes.MODE.word(row.number("mode")),
                    row.textOrNull("wanted")));
  }

  /** A run as the source of another. */
  public Source source(UUID workflow) {
    return tx.sql("workflow_copy_run")
        .set("workflow", workflow)
        .one(
            row ->
                new Source(
                    row.text("type"),
                    row.text("tenant"),
                    row.textOrNull("result_step"),
                    row.textOrNull("active_key"),
                    row.text("input")));
  }

  /** By what a run can be found, to be copied. */
  public Map<String, String> attributes(UUID workflow) {
    Map<String, String> attributes = new LinkedHashMap<>();
    tx.sql("workflow_copy_attributes")
        .set("workflow", workflow)
        .list(row -> attributes.put(row.text("name"), row.text("value")) == null);
    return attributes;
  }

  /** All steps of a run, to be copied. */
  public List<SourceStep> sourceSteps(UUID workflow) {
    return tx.sql("workflow_copy_steps")
        .set("workflow", workflow)
        .list(
            row -> {
              NewStep copy = copy(row);
              return new SourceStep(
                  new EndedStep(
                      copy.id(),
                      copy.key(),
                      copy.parent(),
                      copy.kind(),
                      copy.state(),
                      copy.needed(),
                      copy.delay(),
                      copy.deadline(),
                      copy.remind(),
                      false,
                      null,
                      copy.output(),
                      EndedStep.isTakenOver(row)),
                  copy);
            });
  }

  private static NewStep copy(Row row) throws SQLException {
    return new NewStep(
        row.uuid("id"),
        row.text("step_key"),
        (int) row.number("place"),
        WorkflowCodes.KIND.word(row.number("kind")),
        WorkflowCodes.STATE.word(row.number("status")),
        (int) row.number("needed"),
        0,
        0,
        row.number("may_fail") > 0,
        row.textOrNull("type"),
        intOrNull(row, "priority"),
        intOrNull(row, "max_attempts"),
        row.numberOrNull("timeout_micros"),
        row.text("stage"),
        row.numberOrNull("delay_micros"),
        row.textOrNull("resource_key"),
        row.textOrNull("resource_hash"),
        row.textOrNull("token_hash"),
        row.numberOrNull("deadline_micros"),
        row.numberOrNull("remind_micros"),
        row.textOrNull("remind_type"),
        null,
        row.numberOrNull("finished_at"),
        row.text("payload"),
        row.textOrNull("output"),
        row.textOrNull("error_code"),
        row.textOrNull("error_message"),
        row.uuidOrNull("parent_id"),
        row.textOrNull("over_step"),
        row.textOrNull("over_at"));
  }

  static @Nullable Integer intOrNull(Row row, String column) throws SQLException {
    Long value = row.numberOrNull(column);
    return value == null ? null : value.intValue();
  }

  /** Begins steps again. */
  public void reset(List<Reset> steps) {
    tx.sql("workflow_step_reset").set("batch", JsonRows.objects(steps, Reset::fields)).update();
  }

  /** A new run of jobs that have ended. */
  public void requeue(Collection<UUID> jobs, String reason) {
    if (!jobs.isEmpty()) {
      String ids = JsonRows.ids(jobs);
      tx.sql("job_attempt_keep").set("ids", ids).update();
      tx.sql("workflow_job_requeue")
          .set("ids", ids)
          .set("ageing", JobStore.AGEING)
          .set("reason", reason)
          .update();
    }
  }

  /** A run that has ended has not any more. */
  public void reopen(
      UUID id, WorkflowStatus status, int open, int active, @Nullable String activeHash) {
    tx.sql("workflow_reopen")
        .set("id", id)
        .set("status", WorkflowCodes.STATUS.number(status))
        .set("open", open)
        .set("active", active)
        .set("hash", activeHash)
        .update();
  }
}

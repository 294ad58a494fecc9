package dev.waybill.internal.store;

import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Runs as readers see them, in one transaction. */
public final class WorkflowReadStore {
  /**
   * A step's row with what its job says.
   *
   * @param map of an element: the key of its map step
   * @param child of a sub-workflow: the run it started
   */
  public record StepRow(
      UUID id,
      String key,
      Step.Kind kind,
      StepStatus status,
      @Nullable String type,
      boolean mayFail,
      int needed,
      int satisfied,
      int run,
      int attempt,
      @Nullable Instant releasedAt,
      @Nullable Instant startedAt,
      @Nullable Instant finishedAt,
      @Nullable Instant timerAt,
      @Nullable String worker,
      @Nullable String errorCode,
      @Nullable String errorMessage,
      @Nullable String reason,
      @Nullable String map,
      @Nullable UUID child) {}

  /** An edge by the keys of its steps. */
  public record EdgeRow(
      String prerequisite, String dependent, Dependency.Mode mode, @Nullable String wanted) {}

  /** What a prerequisite left behind. */
  public record Input(String key, StepState state, @Nullable String output) {}

  private final Tx tx;

  private WorkflowReadStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static WorkflowReadStore in(Tx tx) {
    return new WorkflowReadStore(tx);
  }

  /** A run. */
  public Optional<WorkflowInfo> get(UUID id) {
    return tx.sql("workflow_get").set("id", id).first(WorkflowReadStore::info);
  }

  /** A run that is locked, as it is now. */
  public Optional<WorkflowInfo> getNow(UUID id) {
    return tx.sql("workflow_get_now").set("id", id).first(WorkflowReadStore::info);
  }

  /** Who has this key for good. */
  public Optional<WorkflowInfo> withKey(String hash) {
    return tx.sql("workflow_find_key")
        .set("hash", hash)
        .first(row -> row.uuid("id"))
        .flatMap(this::get);
  }

  /** Who has this key while it is active. */
  public Optional<WorkflowInfo> withActiveKey(String hash) {
    return tx.sql("workflow_find_active")
        .set("hash", hash)
        .first(row -> row.uuid("id"))
        .flatMap(this::get);
  }

  static Scope scope(Row row) throws SQLException {
    String tenant = row.text("tenant");
    return tenant.isEmpty() ? Scope.global() : Scope.tenant(tenant);
  }

  static WorkflowInfo info(Row row) throws SQLException {
    return new WorkflowInfo(
        row.uuid("id"),
        row.text("type"),
        scope(row),
        WorkflowCodes.STATUS.word(row.number("status")),
        (int) row.number("step_count"),
        (int) row.number("open_steps"),
        row.textOrNull("result_step"),
        row.textOrNull("idempotency_key"),
        row.textOrNull("active_key"),
        row.uuidOrNull("source_id"),
        row.textOrNull("source_step"),
        row.uuidOrNull("parent_id"),
        row.textOrNull("parent_step"),
        row.textOrNull("reason"),
        row.time("created_at"),
        row.timeOrNull("finished_at"));
  }

  /** The input and the result of a run. */
  public Optional<WorkflowInfo.Body> body(UUID id) {
    return tx.sql("workflow_body")
        .set("id", id)
        .first(row -> new WorkflowInfo.Body(row.text("input"), row.textOrNull("result")));
  }

  /** By what a run can be found. */
  public Map<String, String> attributes(UUID id) {
    Map<String, String> attributes = new LinkedHashMap<>();
    tx.sql("workflow_attributes")
        .set("id", id)
        .list(row -> attributes.put(row.text("name"), row.text("value")) == null);
    return attributes;
  }

  /** The steps of a run, in their order. */
  public List<StepRow> steps(UUID id) {
    return tx.sql("workflow_steps").set("id", id).list(WorkflowReadStore::step);
  }

  private static StepRow step(Row row) throws SQLException {
    Long run = row.numberOrNull("run");
    Long attempt = row.numberOrNull("attempt");
    return new StepRow(
        row.uuid("id"),
        row.text("step_key"),
        WorkflowCodes.KIND.word(row.number("kind")),
        status(row),
        row.textOrNull("type"),
        row.number("may_fail") > 0,
        (int) row.number("needed"),
        (int) row.number("satisfied"),
        run == null ? 0 : run.intValue(),
        attempt == null ? 0 : attempt.intValue(),
        row.timeOrNull("released_at"),
        row.timeOrNull("started_at"),
        row.timeOrNull("finished_at"),
        row.timeOrNull("wake_at"),
        row.textOrNull("worker"),
        row.textOrNull("error_code"),
        row.textOrNull("error_message"),
        row.textOrNull("reason"),
        row.textOrNull("map_key"),
        row.uuidOrNull("child_id"));
  }

  private static StepStatus status(Row row) throws SQLException {
    StepState state = WorkflowCodes.STATE.word(row.number("status"));
    if (state != StepState.RELEASED) {
      return StepStatus.valueOf(state.name());
    }
    Step.Kind kind = WorkflowCodes.KIND.word(row.number("kind"));
    if (kind == Step.Kind.MAP || kind == Step.Kind.WORKFLOW) {
      return StepStatus.RUNNING;
    }
    Long job = row.numberOrNull("job_status");
    return job != null && JobCodes.STATUS.word(job) == JobStatus.LEASED
        ? StepStatus.RUNNING
        : StepStatus.ENQUEUED;
  }

  /** The edges of a run. */
  public List<EdgeRow> edges(UUID id) {
    return tx.sql("workflow_edges")
        .set("id", id)
        .list(
            row ->
                new EdgeRow(
                    row.text("prerequisite"),
                    row.text("dependent"),
                    WorkflowCodes.MODE.word(row.number("mode")),
                    row.textOrNull("wanted")));
  }

  /** The payload and the output of a step. */
  public Optional<StepInfo.Body> stepBody(UUID workflow, String key) {
    return tx.sql("workflow_step_body")
        .set("workflow", workflow)
        .set("key", key)
        .first(row -> new StepInfo.Body(row.text("payload"), row.textOrNull("output")));
  }

  /** What the prerequisites of a step left behind. */
  public List<Input> inputs(UUID step) {
    return tx.sql("workflow_inputs").set("step", step).list(WorkflowReadStore::input);
  }

  /** What one prerequisite of a step left behind, or one of its elements. */
  public Optional<Input> input(UUID step, String key) {
    return tx.sql("workflow_input")
        .set("step", step)
        .set("key", key)
        .first(WorkflowReadStore::input);
  }

  private static Input input(Row row) throws SQLException {
    return new Input(
        row.text("step_key"),
        WorkflowCodes.STATE.word(row.number("status")),
        row.textOrNull("output"));
  }

  /** What a run was started with. */
  public String runInput(UUID run) {
    return tx.sql("workflow_run_input").set("workflow", run).one(row -> row.text("input"));
  }

  /** How these runs are. */
  public Map<UUID, WorkflowStatus> statuses(Collection<UUID> ids) {
    Map<UUID, WorkflowStatus> statuses = new LinkedHashMap<>();
    tx.sql("workflow_statuses")
        .set("ids", JsonRows.ids(ids))
        .list(
            row ->
                statuses.put(row.uuid("id"), WorkflowCodes.STATUS.word(row.number("status")))
                    == null);
    return statuses;
  }

  /** Deletes ended runs and all about them. */
  public int purge(WorkflowStatus status, long ageMicros, int atMost) {
    // On MySQL and MariaDB a run that has ended stays until its key's entry is cleared.
    WorkflowRunStore.in(tx).unhold();
    List<UUID> ids =
        tx.sql("workflow_purge_pick")
            .set("status", WorkflowCodes.STATUS.number(status))
            .set("age", ageMicros)
            .set("limit", atMost)
            .list(row -> row.uuid("id"));
    if (ids.isEmpty()) {
      return 0;
    }
    List<String> parts =
        List.of(
            "workflow_purge_job_attempt",
            "workflow_purge_job_event",
            "workflow_purge_job_log",
            "workflow_purge_job",
            "workflow_purge_edge",
            "workflow_purge_attribute",
            "workflow_purge_change",
            "workflow_purge_step",
            "workflow_purge");
    for (String part : parts) {
      tx.sql(part).set("ids", JsonRows.ids(ids)).update();
    }
    return ids.size();
  }
}

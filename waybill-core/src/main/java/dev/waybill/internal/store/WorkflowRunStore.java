package dev.waybill.internal.store;

import dev.waybill.internal.sql.Micros;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.WorkflowStore.Counts;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Runs as they go on, in one transaction. Whoever changes anything has locked the run first. */
public final class WorkflowRunStore {
  /**
   * A run whose row is locked, and the time at which it was.
   *
   * @param parent the run whose step started it
   */
  public record LockedRun(
      UUID id,
      String type,
      String tenant,
      @Nullable String activeKey,
      WorkflowStatus status,
      Counts counts,
      @Nullable UUID parent,
      Instant now) {
    static LockedRun read(Row row) throws SQLException {
      return new LockedRun(
          row.uuid("id"),
          row.text("type"),
          row.text("tenant"),
          row.textOrNull("active_key"),
          WorkflowCodes.STATUS.word(row.number("status")),
          new Counts(
              (int) row.number("open_steps"),
              (int) row.number("active_steps"),
              (int) row.number("failed_steps"),
              (int) row.number("step_count"),
              (int) row.number("edge_count")),
          row.uuidOrNull("parent_id"),
          row.time("now"));
    }
  }

  /** A step that waits for prerequisites; times in microseconds. */
  public record Blocked(
      UUID workflow,
      UUID id,
      Step.Kind kind,
      int needed,
      int pending,
      int satisfied,
      @Nullable Long delay,
      @Nullable Long deadline,
      @Nullable Long remind) {
    /** Whether it, or what it begins, may begin or end at some time. */
    public boolean isTimed() {
      return delay != null || deadline != null || remind != null || kind == Step.Kind.WORKFLOW;
    }

    static Blocked read(Row row) throws SQLException {
      return new Blocked(
          row.uuid("workflow_id"),
          row.uuid("dependent_id"),
          WorkflowCodes.KIND.word(row.number("kind")),
          (int) row.number("needed"),
          (int) row.number("pending"),
          (int) row.number("satisfied"),
          row.numberOrNull("delay_micros"),
          row.numberOrNull("deadline_micros"),
          row.numberOrNull("remind_micros"));
    }
  }

  /** An edge to a step that waits. */
  public record Edge(
      UUID prerequisite, Dependency.Mode mode, @Nullable String wanted, Blocked dependent) {
    static Edge read(Row row) throws SQLException {
      return new Edge(
          row.uuid("prerequisite_id"),
          WorkflowCodes.MODE.word(row.number("mode")),
          row.textOrNull("wanted"),
          Blocked.read(row));
    }
  }

  /**
   * A step that ends, as it was before, and an edge that leads away from it if there is one.
   *
   * @param map of an element: its map step, which waits for it
   */
  public record Leaving(
      UUID step, StepState before, boolean mayFail, Optional<Edge> edge, Optional<OpenMap> map) {}

  /** A map step and how many of its elements have not ended. */
  public record OpenMap(UUID id, int pending) {
    static Optional<OpenMap> read(Row row) throws SQLException {
      UUID id = row.uuidOrNull("map_id");
      return id == null
          ? Optional.empty()
          : Optional.of(new OpenMap(id, (int) row.number("map_pending")));
    }
  }

  /** What becomes of a step; what is null stays as it was, except the timer. */
  public record StepChange(
      UUID id,
      StepState state,
      @Nullable Integer pending,
      @Nullable Integer satisfied,
      @Nullable Instant releasedAt,
      @Nullable Instant finishedAt,
      @Nullable Instant wakeAt,
      @Nullable String output,
      @Nullable String code,
      @Nullable String message,
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
      fields.put("output", output);
      fields.put("code", code);
      fields.put("message", message);
      fields.put("reason", reason);
      return fields;
    }
  }

  /**
   * What becomes of a run.
   *
   * @param keyHeldUntil a handler may still be at it until then
   */
  public record RunChange(
      UUID id,
      WorkflowStatus status,
      Counts counts,
      @Nullable Instant finishedAt,
      @Nullable Instant keyHeldUntil,
      @Nullable String reason) {
    private Map<String, @Nullable Object> fields() {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("id", id);
      fields.put("status", WorkflowCodes.STATUS.number(status));
      fields.put("open", counts.open());
      fields.put("active", counts.active());
      fields.put("failed", counts.failed());
      fields.put("steps", counts.steps());
      fields.put("edges", counts.edges());
      fields.put("finished_at", micros(finishedAt));
      fields.put("held", micros(keyHeldUntil));
      fields.put("reason", reason);
      return fields;
    }
  }

  /** A gate, or what was taken for one. */
  public record GateRow(
      UUID id,
      Step.Kind kind,
      StepState state,
      @Nullable String tokenHash,
      @Nullable String output,
      @Nullable String code,
      @Nullable String message,
      @Nullable String reason) {}

  /** A step that has not ended. */
  public record OpenStep(UUID id, Step.Kind kind, StepState state) {}

  /** A step as a prerequisite of new ones. */
  public record KnownStep(
      UUID id, String key, StepState state, int place, @Nullable String output) {}

  /** A timer that may have run out, at a time in microseconds. */
  public record Due(UUID step, UUID workflow, long at) {}

  /** A timer of a run that is locked; times in microseconds. */
  public record Timer(
      UUID step,
      UUID workflow,
      String key,
      Step.Kind kind,
      String tenant,
      String type,
      Instant releasedAt,
      Instant wakeAt,
      @Nullable Long deadline,
      @Nullable Long remind,
      @Nullable String remindType) {}

  private final Tx tx;

  private WorkflowRunStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static WorkflowRunStore in(Tx tx) {
    return new WorkflowRunStore(tx);
  }

  private static @Nullable Long micros(@Nullable Instant time) {
    return time == null ? null : Micros.of(time);
  }

  /** Locks runs in the order of their ids; waits for them, or leaves out those somebody holds. */
  public List<LockedRun> lock(Collection<UUID> ids, boolean wait) {
    return tx.sql(wait ? "workflow_lock" : "workflow_lock_free")
        .set("ids", JsonRows.ids(ids))
        .list(LockedRun::read);
  }

  /** Steps that end, each with the edges that lead from it to steps that still wait. */
  public List<Leaving> leaving(Collection<UUID> steps) {
    return tx.sql("workflow_dependents")
        .set("ids", JsonRows.ids(steps))
        .list(
            row ->
                new Leaving(
                    row.uuid("prerequisite_id"),
                    WorkflowCodes.STATE.word(row.number("ended_status")),
                    row.number("ended_may_fail") > 0,
                    row.uuidOrNull("dependent_id") == null
                        ? Optional.empty()
                        : Optional.of(Edge.read(row)),
                    OpenMap.read(row)));
  }

  /** All edges of these runs that lead to steps that still wait. */
  public List<Edge> blocked(Collection<UUID> workflows) {
    return tx.sql("workflow_blocked").set("ids", JsonRows.ids(workflows)).list(Edge::read);
  }

  /** Changes steps and runs, and makes jobs of steps that are stored. */
  public void goOn(List<StepChange> steps, Collection<UUID> jobs, List<RunChange> runs) {
    if (tx.has("workflow_go_on")) {
      goOnAtOnce(steps, jobs, runs);
      return;
    }
    change(steps);
    WorkflowStore.in(tx).enqueue(jobs);
    changeRuns(runs);
  }

  private void goOnAtOnce(List<StepChange> steps, Collection<UUID> jobs, List<RunChange> runs) {
    if (!steps.isEmpty() || !jobs.isEmpty() || !runs.isEmpty()) {
      tx.sql("workflow_go_on")
          .set("steps", JsonRows.objects(steps, StepChange::fields))
          .set("begun", JsonRows.ids(jobs))
          .set("ageing", JobStore.AGEING)
          .set("runs", JsonRows.objects(runs, RunChange::fields))
          .update();
    }
  }

  /** Changes steps. */
  public void change(List<StepChange> steps) {
    if (!steps.isEmpty()) {
      tx.sql("workflow_step_update")
          .set("batch", JsonRows.objects(steps, StepChange::fields))
          .update();
    }
  }

  /** Changes runs. */
  public void changeRuns(List<RunChange> runs) {
    if (!runs.isEmpty()) {
      tx.sql("workflow_update").set("batch", JsonRows.objects(runs, RunChange::fields)).update();
    }
  }

  /** A gate by its key. */
  public Optional<GateRow> gate(UUID workflow, String key) {
    return tx.sql("workflow_gate")
        .set("workflow", workflow)
        .set("key", key)
        .first(
            row ->
                new GateRow(
                    row.uuid("id"),
                    WorkflowCodes.KIND.word(row.number("kind")),
                    WorkflowCodes.STATE.word(row.number("status")),
                    row.textOrNull("token_hash"),
                    row.textOrNull("output"),
                    row.textOrNull("error_code"),
                    row.textOrNull("error_message"),
                    row.textOrNull("reason")));
  }

  /** Steps that have not ended. */
  public List<OpenStep> openSteps(Collection<UUID> workflows) {
    return tx.sql("workflow_open_steps")
        .set("ids", JsonRows.ids(workflows))
        .list(
            row ->
                new OpenStep(
                    row.uuid("id"),
                    WorkflowCodes.KIND.word(row.number("kind")),
                    WorkflowCodes.STATE.word(row.number("status"))));
  }

  /** All steps, as prerequisites of new ones. */
  public List<KnownStep> steps(UUID workflow) {
    return tx.sql("workflow_step_states")
        .set("workflow", workflow)
        .list(
            row ->
                new KnownStep(
                    row.uuid("id"),
                    row.text("step_key"),
                    WorkflowCodes.STATE.word(row.number("status")),
                    (int) row.number("place"),
                    row.textOrNull("output")));
  }

  /** Timers that have run out, longest ago first, behind one of them; without a lock. */
  public List<Due> due(int limit, @Nullable Due behind) {
    return (behind == null
            ? tx.sql("workflow_due", Set.of("limit"))
            : tx.sql("workflow_due", Set.of("limit", "since", "after"))
                .set("since", behind.at())
                .set("after", behind.step()))
        .set("limit", limit)
        .list(row -> new Due(row.uuid("id"), row.uuid("workflow_id"), row.number("wake_at")));
  }

  /** How long until the next timer runs out; not positive if one has. */
  public Optional<Duration> untilNextTimer() {
    return tx.sql("workflow_next_wake")
        .one(row -> Optional.ofNullable(row.numberOrNull("micros")))
        .map(micros -> Duration.of(micros, ChronoUnit.MICROS));
  }

  /** The timers of these steps, as far as they still have one. */
  public List<Timer> timers(Collection<UUID> steps) {
    return tx.sql("workflow_timers")
        .set("ids", JsonRows.ids(steps))
        .list(
            row ->
                new Timer(
                    row.uuid("id"),
                    row.uuid("workflow_id"),
                    row.text("step_key"),
                    WorkflowCodes.KIND.word(row.number("kind")),
                    row.text("tenant"),
                    row.text("type"),
                    row.time("released_at"),
                    row.time("wake_at"),
                    row.numberOrNull("deadline_micros"),
                    row.numberOrNull("remind_micros"),
                    row.textOrNull("remind_type")));
  }

  /** Frees the active keys of those who do not need them any more. */
  public int unhold() {
    return WorkflowStore.in(tx)
        .free(tx.sql("workflow_active_over").list(row -> row.text("active_hash")));
  }
}

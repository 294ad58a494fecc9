package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.JobOperations;
import dev.waybill.internal.job.Wording;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowChildStore;
import dev.waybill.internal.store.WorkflowRunStore;
import dev.waybill.internal.store.WorkflowRunStore.LockedRun;
import dev.waybill.internal.store.WorkflowRunStore.OpenStep;
import dev.waybill.internal.store.WorkflowRunStore.RunChange;
import dev.waybill.internal.store.WorkflowRunStore.StepChange;
import dev.waybill.internal.store.WorkflowStore.Counts;
import dev.waybill.job.Scope;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.WorkflowException.InvalidArgument;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Ends a run with all its steps, and the runs that these started: what waits never runs, what runs
 * learns that it should stop.
 */
final class WorkflowCanceler {
  private final JobIds ids;

  WorkflowCanceler(JobIds ids) {
    this.ids = ids;
  }

  void cancel(Tx tx, Scope scope, UUID id, String reason) {
    if (reason.isBlank()) {
      throw new InvalidArgument("workflow.cancel_reason", "Say why the workflow is canceled.");
    }
    LockedRun run = Runs.lock(tx, scope, id);
    if (run.status().isTerminal()) {
      return;
    }
    WorkflowRunStore store = WorkflowRunStore.in(tx);
    List<LockedRun> runs = new ArrayList<>(List.of(run));
    List<OpenStep> open = new ArrayList<>();
    for (List<LockedRun> level = List.of(run); !level.isEmpty(); runs.addAll(level)) {
      List<UUID> of = level.stream().map(LockedRun::id).toList();
      List<OpenStep> steps = store.openSteps(of);
      open.addAll(steps);
      level = steps.stream().anyMatch(WorkflowCanceler::hasRun) ? children(tx, of) : List.of();
    }
    List<UUID> jobs =
        open.stream()
            .filter(step -> step.kind() == Step.Kind.JOB && step.state() == StepState.RELEASED)
            .map(OpenStep::id)
            .toList();
    Instant busyUntil = JobOperations.cancelAll(tx, jobs, reason).orElse(null);
    String why = Wording.code(reason);
    store.change(open.stream().map(step -> canceled(step, run.now(), why)).toList());
    store.changeRuns(runs.stream().map(each -> canceled(each, run.now(), busyUntil, why)).toList());
    UUID parent = run.parent();
    if (parent != null) {
      Parents.tell(tx, ids, Map.of(id, parent));
    }
    // The others' parents are canceled with them.
    WorkflowChildStore.in(tx).told(runs.stream().skip(1).map(LockedRun::id).toList());
  }

  private static boolean hasRun(OpenStep step) {
    return step.kind() == Step.Kind.WORKFLOW && step.state() == StepState.RELEASED;
  }

  /** A run is locked before those that its steps started. */
  private static List<LockedRun> children(Tx tx, List<UUID> of) {
    List<UUID> children =
        WorkflowChildStore.in(tx).children(of).stream()
            .filter(child -> !child.status().isTerminal())
            .map(WorkflowChildStore.Child::id)
            .toList();
    return children.isEmpty()
        ? List.of()
        : WorkflowRunStore.in(tx).lock(children, true).stream()
            .filter(child -> !child.status().isTerminal())
            .toList();
  }

  private static StepChange canceled(OpenStep step, Instant now, String why) {
    return new StepChange(
        step.id(), StepState.CANCELED, null, null, null, now, null, null, null, null, why);
  }

  private static RunChange canceled(
      LockedRun run, Instant now, @Nullable Instant busyUntil, String why) {
    Counts before = run.counts();
    return new RunChange(
        run.id(),
        WorkflowStatus.CANCELED,
        new Counts(0, 0, before.failed(), before.steps(), before.edges()),
        now,
        busyUntil,
        why);
  }
}

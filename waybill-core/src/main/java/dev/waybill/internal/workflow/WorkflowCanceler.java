package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobOperations;
import dev.waybill.internal.job.Wording;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.StepState;
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
import java.util.List;
import java.util.UUID;

/** Ends a run with all its steps: what waits never runs, what runs learns that it should stop. */
final class WorkflowCanceler {
  void cancel(Tx tx, Scope scope, UUID id, String reason) {
    if (reason.isBlank()) {
      throw new InvalidArgument("workflow.cancel_reason", "Say why the workflow is canceled.");
    }
    LockedRun run = Runs.lock(tx, scope, id);
    if (run.status().isTerminal()) {
      return;
    }
    WorkflowRunStore store = WorkflowRunStore.in(tx);
    List<OpenStep> open = store.openSteps(id);
    List<UUID> jobs =
        open.stream()
            .filter(step -> step.kind() == Step.Kind.JOB && step.state() == StepState.RELEASED)
            .map(OpenStep::id)
            .toList();
    Instant busyUntil = JobOperations.cancelAll(tx, jobs, reason).orElse(null);
    String why = Wording.code(reason);
    store.change(
        open.stream()
            .map(
                step ->
                    new StepChange(
                        step.id(),
                        StepState.CANCELED,
                        null,
                        null,
                        null,
                        run.now(),
                        null,
                        null,
                        null,
                        null,
                        why))
            .toList());
    Counts before = run.counts();
    store.changeRuns(
        List.of(
            new RunChange(
                id,
                WorkflowStatus.CANCELED,
                new Counts(0, 0, before.failed(), before.steps(), before.edges()),
                run.now(),
                busyUntil,
                why)));
  }
}

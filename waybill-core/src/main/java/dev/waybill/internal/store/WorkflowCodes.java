package dev.waybill.internal.store;

import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.WorkflowStatus;
import java.util.List;

/** The numbers that stand for words in the tables of workflows. */
final class WorkflowCodes {
  static final JobCodes<WorkflowStatus> STATUS =
      new JobCodes<>(
          List.of(
              WorkflowStatus.RUNNING,
              WorkflowStatus.WAITING,
              WorkflowStatus.SUCCEEDED,
              WorkflowStatus.FAILED,
              WorkflowStatus.CANCELED));

  static final JobCodes<StepState> STATE =
      new JobCodes<>(
          List.of(
              StepState.BLOCKED,
              StepState.RELEASED,
              StepState.WAITING,
              StepState.SUCCEEDED,
              StepState.FAILED,
              StepState.CANCELED,
              StepState.SKIPPED));

  static final JobCodes<Step.Kind> KIND =
      new JobCodes<>(
          List.of(
              Step.Kind.JOB, Step.Kind.GATE, Step.Kind.DELAY, Step.Kind.MAP, Step.Kind.WORKFLOW));

  static final JobCodes<Dependency.Mode> MODE =
      new JobCodes<>(List.of(Dependency.Mode.ON_SUCCESS, Dependency.Mode.ON_TERMINAL));

  private WorkflowCodes() {}
}

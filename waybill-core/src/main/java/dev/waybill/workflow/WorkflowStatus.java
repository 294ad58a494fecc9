package dev.waybill.workflow;

/** How a run of a workflow is. */
public enum WorkflowStatus {
  /** Something waits for a worker, for its time, or runs. */
  RUNNING,
  /** Nothing but gates can make it go on. */
  WAITING,
  /** All steps have ended, and none of those that may not fail did. */
  SUCCEEDED,
  /** All steps have ended, and one that may not fail failed or was canceled. */
  FAILED,
  /** Somebody ended it. */
  CANCELED;

  /** Whether it has ended. */
  public boolean isTerminal() {
    return switch (this) {
      case RUNNING, WAITING -> false;
      case SUCCEEDED, FAILED, CANCELED -> true;
    };
  }
}

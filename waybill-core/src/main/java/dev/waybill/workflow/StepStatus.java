package dev.waybill.workflow;

/** How a step is. */
public enum StepStatus {
  /** Waits for prerequisites. */
  BLOCKED,
  /** Its job waits for a worker, for its time, or for the next attempt; or it is a delay. */
  ENQUEUED,
  /** A worker is at it; or it is a map or a sub-workflow, and what it began has not ended. */
  RUNNING,
  /** A gate that somebody has to complete. */
  WAITING,
  SUCCEEDED,
  /** Its job is a dead letter, or the gate was completed as failed or reached its deadline. */
  FAILED,
  /** Ended by somebody, alone or with its run. */
  CANCELED,
  /** Will not run: its prerequisites did not end as it demands. */
  SKIPPED;

  /** Whether it has ended. */
  public boolean isTerminal() {
    return switch (this) {
      case BLOCKED, ENQUEUED, RUNNING, WAITING -> false;
      case SUCCEEDED, FAILED, CANCELED, SKIPPED -> true;
    };
  }
}

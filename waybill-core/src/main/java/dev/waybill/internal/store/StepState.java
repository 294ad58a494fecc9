package dev.waybill.internal.store;

/** How a step is stored: what its job says is not repeated here. */
public enum StepState {
  BLOCKED,
  /** It is a job, a delay that has not passed, or a step that waits for what it began. */
  RELEASED,
  /** An open gate. */
  WAITING,
  SUCCEEDED,
  FAILED,
  CANCELED,
  SKIPPED;

  /** Whether it has ended. */
  public boolean isTerminal() {
    return switch (this) {
      case BLOCKED, RELEASED, WAITING -> false;
      case SUCCEEDED, FAILED, CANCELED, SKIPPED -> true;
    };
  }
}

package dev.waybill.job;

/** Where a job is on its way. */
public enum JobStatus {
  /** Waits for its due time. */
  SCHEDULED,
  /** Due; waits for a worker. */
  PENDING,
  /** A worker has it. */
  LEASED,
  /** Its handler succeeded. */
  SUCCEEDED,
  /** It failed for good, or its attempts are used up. */
  DEAD_LETTERED,
  /** Somebody canceled it. */
  CANCELED;

  /** Whether nothing moves it any more but a requeue. */
  public boolean isTerminal() {
    return compareTo(LEASED) > 0;
  }
}

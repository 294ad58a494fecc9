package dev.waybill.job;

import java.util.UUID;

/**
 * An order to run a job again, if it is still what whoever orders has seen.
 *
 * @param status canceled or dead-lettered
 * @param run the run that was seen
 * @param keepState whether the new run sees progress and checkpoint of the old one
 * @param reason for the record
 */
public record Requeue(
    Scope scope, UUID id, JobStatus status, int run, boolean keepState, String reason) {
  public Requeue {
    if (status != JobStatus.CANCELED && status != JobStatus.DEAD_LETTERED) {
      throw new JobException.InvalidArgument(
          "job.requeue_status",
          "Only canceled and dead-lettered jobs are requeued, not " + status + ".");
    }
    if (JobNames.complaintAbout(reason, 512) != null) {
      throw new JobException.InvalidArgument(
          "job.requeue_reason", "The reason " + JobNames.complaintAbout(reason, 512) + ".");
    }
  }

  /** For a job as it was read. */
  public static Requeue of(JobInfo seen, String reason) {
    return new Requeue(seen.scope(), seen.id(), seen.status(), seen.run(), true, reason);
  }

  /** The new run begins from nothing. */
  public Requeue fromScratch() {
    return new Requeue(scope, id, status, run, false, reason);
  }

  /** What came of it. */
  public sealed interface Outcome {
    /** It runs again. */
    record Requeued(int run) implements Outcome {}

    /** There is no such job in this scope. */
    record NotFound() implements Outcome {}

    /** It is not what was expected. */
    record Mismatch(JobStatus status, int run) implements Outcome {}

    /** Its key is unique while active, and another job that waits or runs has it now. */
    record Occupied(UUID by) implements Outcome {}

    /** It was canceled while it ran, and its handler may still be at it until then. */
    record NotQuiesced(java.time.Instant retryAfter) implements Outcome {}
  }
}

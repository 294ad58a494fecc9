package dev.waybill.job;

import java.util.UUID;

/**
 * What became of a request.
 *
 * @param id the job
 * @param status where it is; what the database knows while the transaction is open
 * @param run its run
 * @param outcome whether the job is new
 */
public record Enqueued(UUID id, JobStatus status, int run, Outcome outcome) {
  /** Whether the job is new. */
  public enum Outcome {
    /** It is new. */
    INSERTED,
    /** An earlier request with the same key made it. */
    EXISTING,
    /** It waited, and took over this request's payload and time. */
    REPLACED
  }
}

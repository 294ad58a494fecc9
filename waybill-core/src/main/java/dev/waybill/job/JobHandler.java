package dev.waybill.job;

/** Does the work of one type of job. Called by many threads at the same time. */
@FunctionalInterface
public interface JobHandler {
  /**
   * Runs one attempt outside any transaction and says how it ended. It may run more than once for
   * the same job, so its effects elsewhere must bear repetition; {@link JobContext#leaseEpoch()}
   * helps others to refuse a late one. Whatever it throws is a failure that the type's {@link
   * RetryPolicy} judges.
   */
  JobResult run(JobContext context) throws Exception;
}

package dev.waybill.workflow;

import dev.waybill.job.JobResult;

/** Does the work of a step. Must bear to be called more than once for the same step. */
@FunctionalInterface
public interface StepHandler {
  /** Works; what it throws counts as a failure. */
  JobResult run(StepContext context) throws Exception;
}

package dev.waybill.internal.job;

import dev.waybill.job.JobContext;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An attempt that may be one of a step: the claim says which, so nobody has to ask. */
public interface StepAttempt extends JobContext {
  /** The run of a workflow; null if the job is no step. */
  @Nullable UUID workflow();

  /** The step's key; null if the job is no step. */
  @Nullable String step();
}

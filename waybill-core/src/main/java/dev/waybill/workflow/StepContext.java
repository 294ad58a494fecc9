package dev.waybill.workflow;

import dev.waybill.job.JobContext;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * What a handler knows about its step, besides what it knows about its job. Outputs are read from
 * the database when they are asked for.
 */
public interface StepContext extends JobContext {
  /** The run of the workflow. */
  UUID workflow();

  /** The step's key. */
  String step();

  /** The workflow's input. */
  String workflowInput();

  /** The output of a prerequisite that succeeded with one. */
  Optional<String> input(String step);

  /** The outputs of all prerequisites that succeeded with one, by their keys. */
  Map<String, String> inputs();
}

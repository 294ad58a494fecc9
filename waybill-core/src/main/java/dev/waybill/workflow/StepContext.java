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

  /**
   * The output of a prerequisite that succeeded with one. Of a map step that is the array of its
   * elements' outputs; each of them can be asked for by its own key, such as {@code pick[3]}. An
   * element has the prerequisites of its map step.
   */
  Optional<String> input(String step);

  /** The outputs of all prerequisites that succeeded with one, by their keys. */
  Map<String, String> inputs();
}

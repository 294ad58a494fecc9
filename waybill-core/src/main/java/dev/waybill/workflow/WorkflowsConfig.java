package dev.waybill.workflow;

import dev.waybill.job.JobDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Which steps a process runs; {@link WorkflowsBuilder} explains each part.
 *
 * @param definitions synchronised with the database at the start
 * @param handlers by job type
 * @param retention how long ended runs are kept, where anything was said about it
 */
public record WorkflowsConfig(
    List<JobDefinition> definitions,
    Map<String, StepHandler> handlers,
    Map<WorkflowStatus, Duration> retention) {
  /** Copies. */
  public WorkflowsConfig {
    definitions = List.copyOf(definitions);
    handlers = Map.copyOf(handlers);
    retention = Map.copyOf(retention);
  }
}

package dev.waybill.workflow;

import dev.waybill.job.JobDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Says which steps a process runs. {@code Waybill.builder} gives you one. */
public final class WorkflowsBuilder {
  private final List<JobDefinition> definitions = new ArrayList<>();
  private final Map<String, StepHandler> handlers = new TreeMap<>();

  /** Without any steps. */
  public WorkflowsBuilder() {}

  /**
   * Defines a job type that this process runs as steps. Handlers of plain jobs can be steps, too;
   * this one also sees what its prerequisites left behind.
   */
  public WorkflowsBuilder step(JobDefinition definition, StepHandler handler) {
    definitions.add(definition);
    handlers.put(definition.type(), handler);
    return this;
  }

  /** What was said. */
  public WorkflowsConfig build() {
    return new WorkflowsConfig(definitions, handlers);
  }
}

package dev.waybill.workflow;

import dev.waybill.job.JobDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Says which steps a process runs. {@code Waybill.builder} gives you one. */
public final class WorkflowsBuilder {
  private static final long LONGEST_DAYS = 36_500;

  private final List<JobDefinition> definitions = new ArrayList<>();
  private final Map<String, StepHandler> handlers = new TreeMap<>();

  private final Map<WorkflowStatus, Duration> retention = new EnumMap<>(WorkflowStatus.class);

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

  /**
   * Keeps ended runs of this status for so long; then they are deleted with their steps and jobs.
   * Those of a status that nothing is said about stay for ever. What names a deleted run as its
   * origin goes on doing so.
   *
   * @throws WorkflowException.InvalidArgument if the status is not one that a run ends in
   */
  public WorkflowsBuilder keep(WorkflowStatus status, Duration age) {
    if (!status.isTerminal() || age.isNegative() || age.toDays() > LONGEST_DAYS) {
      throw new WorkflowException.InvalidArgument(
          "workflow.retention",
          "Ended runs are kept for up to 100 years; not " + status + " ones for " + age + ".");
    }
    retention.put(status, age);
    return this;
  }

  /** What was said. */
  public WorkflowsConfig build() {
    return new WorkflowsConfig(definitions, handlers, retention);
  }
}

package dev.waybill.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Says which jobs a process defines and runs. {@code Waybill.builder} gives you one. */
public final class JobsBuilder {
  private static final long LONGEST_DAYS = 36_500;

  private final List<JobDefinition> definitions = new ArrayList<>();
  private final Map<String, JobHandler> handlers = new TreeMap<>();
  private final List<Schedule> schedules = new ArrayList<>();
  private final Map<JobStatus, Duration> retention = new EnumMap<>(JobStatus.class);
  private UnaryOperator<JobOptions> options = UnaryOperator.identity();
  private boolean workers = true;

  /** Without any jobs. */
  public JobsBuilder() {}

  /** Changes the options, which begin with {@link JobOptions#of}. */
  public JobsBuilder options(UnaryOperator<JobOptions> change) {
    options = change;
    return this;
  }

  /** Defines a type that another process runs. */
  public JobsBuilder define(JobDefinition definition) {
    definitions.add(definition);
    return this;
  }

  /** Defines a type that this process runs. */
  public JobsBuilder define(JobDefinition definition, JobHandler handler) {
    definitions.add(definition);
    handlers.put(definition.type(), handler);
    return this;
  }

  /** Puts a schedule at the start, as {@link Schedules#sync} does, after the definitions. */
  public JobsBuilder schedule(Schedule schedule) {
    schedules.add(schedule);
    return this;
  }

  /**
   * Keeps ended jobs of this status for so long; then they are deleted with their attempts, events
   * and logs. Those of a status that nothing is said about stay for ever. A job that is a step
   * stays with its run.
   *
   * @throws JobException.InvalidArgument if the status is not one that a job ends in
   */
  public JobsBuilder keep(JobStatus status, Duration age) {
    if (!status.isTerminal() || age.isNegative() || age.toDays() > LONGEST_DAYS) {
      throw new JobException.InvalidArgument(
          "job.retention",
          "Ended jobs are kept for up to 100 years; not " + status + " ones for " + age + ".");
    }
    retention.put(status, age);
    return this;
  }

  /** Only the door: this process neither runs jobs nor stages, reaps or schedules for others. */
  public JobsBuilder withoutWorkers() {
    workers = false;
    return this;
  }

  /**
   * What was said.
   *
   * @throws JobException.InvalidArgument if there are handlers that nobody would call
   */
  public JobsConfig build() {
    if (!workers && !(handlers.isEmpty() && retention.isEmpty())) {
      throw new JobException.InvalidArgument(
          "job.without_workers",
          "A process without workers runs no jobs and deletes none: leave out the handlers of "
              + handlers.keySet()
              + " and what is to be kept, or withoutWorkers().");
    }
    return new JobsConfig(definitions, handlers, schedules, options, retention, workers);
  }
}

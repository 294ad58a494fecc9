package dev.waybill.job;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Which jobs a process defines and runs; {@link JobsBuilder} explains each part.
 *
 * @param definitions synchronised with the database at the start
 * @param handlers by type
 * @param schedules synchronised after them
 * @param change of the options
 * @param retention how long ended jobs are kept, where anything was said about it
 * @param workers whether there is more than a door
 */
public record JobsConfig(
    List<JobDefinition> definitions,
    Map<String, JobHandler> handlers,
    List<Schedule> schedules,
    UnaryOperator<JobOptions> change,
    Map<JobStatus, Duration> retention,
    boolean workers) {
  /** Copies. */
  public JobsConfig {
    definitions = List.copyOf(definitions);
    handlers = Map.copyOf(handlers);
    schedules = List.copyOf(schedules);
    retention = Map.copyOf(retention);
  }

  /** The options of a process of that name. */
  public JobOptions options(String worker) {
    return change.apply(JobOptions.of(worker));
  }
}

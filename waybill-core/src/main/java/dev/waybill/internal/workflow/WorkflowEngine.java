package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.JobWakeups;
import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.LoopOptions;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.job.JobHandler;
import dev.waybill.job.Jobs;
import dev.waybill.workflow.StepHandler;
import dev.waybill.workflow.Workflows;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything about workflows, wired: the door and the workers of their own. All else is done by
 * those who work on jobs.
 */
public final class WorkflowEngine {
  /** The files of the catalogue that the engine's statements are in. */
  public static final List<String> SQL_FILES = List.of("workflow");

  private static final Duration LONGEST_SLEEP = Duration.ofSeconds(2);

  private final Workflows workflows;

  /**
   * Adds the workers to a crew that is not started yet.
   *
   * @param workers whether there are any besides the one that waits for ends
   * @param endings of transactions in which runs may be changed
   */
  public WorkflowEngine(
      Database database,
      Time time,
      Crew crew,
      Jobs jobs,
      JobWakeups wakeups,
      boolean workers,
      Endings endings) {
    Bell timers = wakeups.timekeeper();
    JobIds ids = new JobIds(time);
    if (workers) {
      crew.add(
          new WorkflowTimekeeper(database, ids, LONGEST_SLEEP, wakeups),
          LoopOptions.defaults().withBells(timers));
    }
    WorkflowWatch watch = new WorkflowWatch(database, time);
    crew.add(watch, LoopOptions.defaults().withBells(watch.bell()));
    this.workflows = new WorkflowDoor(database, ids, jobs::wake, timers, watch, endings);
  }

  /** Handlers of steps as handlers of jobs. */
  public static Map<String, JobHandler> asJobs(
      Database database, Map<String, StepHandler> handlers) {
    Map<String, JobHandler> byType = new HashMap<>();
    handlers.forEach(
        (type, handler) -> byType.put(type, job -> handler.run(new StepRun(database, job))));
    return byType;
  }

  /** The door. */
  public Workflows workflows() {
    return workflows;
  }
}

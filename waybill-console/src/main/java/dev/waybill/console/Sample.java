package dev.waybill.console;

import dev.waybill.Health;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobStatus;
import dev.waybill.job.ScheduleInfo;
import dev.waybill.outbox.DeadLetter;
import dev.waybill.outbox.QueueStatus;
import dev.waybill.outbox.RecentDeliveries;
import dev.waybill.workflow.WaitingGate;
import dev.waybill.workflow.WorkflowInfo;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How everything stood at a moment, as far as cheap queries tell.
 *
 * @param deadLetters the latest pending ones, at most {@link #MOST_DEAD_LETTERS} and one
 * @param runs the newest of workflows, at most {@link #MOST_RUNS}
 * @param found what runs of any age have to tell
 * @param recent how deliveries went lately, in all processes
 * @param error why the database could not be asked; then the rest is older
 */
record Sample(
    Instant at,
    List<QueueStatus> queues,
    List<DeadLetter> deadLetters,
    List<JobType> types,
    List<ScheduleInfo> schedules,
    List<WorkflowInfo> runs,
    RunsFound found,
    Health health,
    List<RecentDeliveries> recent,
    @Nullable String error) {
  static final int MOST_DEAD_LETTERS = 10;
  static final int MOST_RUNS = 100;
  static final int MOST_GATES = 100;
  static final int MOST_FAILED = 20;

  /** Counts end here. */
  static final int MOST_COUNTED = 1_000;

  /**
   * A type of job.
   *
   * @param counts by status, none above {@link #MOST_COUNTED}; what was not counted yet is missing
   */
  record JobType(JobDefinition definition, boolean paused, Map<JobStatus, Long> counts) {
    long count(JobStatus status) {
      return counts.getOrDefault(status, 0L);
    }
  }

  /**
   * What runs of any age have to tell.
   *
   * @param gates that wait, the longest first, at most {@link #MOST_GATES} and one
   * @param failed the latest, at most {@link #MOST_FAILED} and one
   * @param failures why they failed, by their ids; those that are not known are missing
   */
  record RunsFound(
      List<WaitingGate> gates, List<WorkflowInfo> failed, Map<UUID, RunWatch.Failure> failures) {
    static final RunsFound NOTHING = new RunsFound(List.of(), List.of(), Map.of());
  }

  static Sample nothing(Instant at) {
    return new Sample(
        at,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        RunsFound.NOTHING,
        new Health(Map.of()),
        List.of(),
        null);
  }

  /** How deliveries of a queue went lately. */
  List<RecentDeliveries> recent(String queue) {
    return recent.stream().filter(each -> each.queue().equals(queue)).toList();
  }

  Sample failed(Instant when, String why) {
    return new Sample(
        when, queues, deadLetters, types, schedules, runs, found, health, recent, why);
  }
}

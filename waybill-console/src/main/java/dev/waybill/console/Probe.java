package dev.waybill.console;

import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Jobs;
import dev.waybill.job.ScheduleInfo;
import dev.waybill.job.Scope;
import dev.waybill.outbox.DeadLetter;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.RecentDeliveries;
import dev.waybill.workflow.WaitingGate;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import dev.waybill.workflow.Workflows;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Takes samples. What changes quickly is asked for every time, the rest every few times, and types
 * of jobs are counted in turn: a sample costs four queries or so, however much there is. For one
 * thread at a time.
 */
final class Probe {
  private static final List<JobStatus> COUNTED =
      List.of(JobStatus.DEAD_LETTERED, JobStatus.PENDING, JobStatus.LEASED, JobStatus.SCHEDULED);

  /** Counts of a sample; more until each has been taken once. */
  private static final int COUNTS = 2;

  private static final int FIRST_COUNTS = 8;

  private final Sources sources;
  private final RunWatch watch;
  private long taken;
  private int turn;
  private boolean allCounted;
  private List<RecentDeliveries> recent = List.of();
  private List<DeadLetter> deadLetters = List.of();
  private List<JobDefinition> definitions = List.of();
  private Set<String> paused = Set.of();
  private List<ScheduleInfo> schedules = List.of();
  private List<WorkflowInfo> runs = List.of();
  private List<WorkflowInfo> failed = List.of();
  private List<WaitingGate> gates = List.of();
  private final Map<String, Map<JobStatus, Long>> counts = new HashMap<>();

  Probe(Sources sources, RunWatch watch) {
    this.sources = sources;
    this.watch = watch;
  }

  /** The slow part is asked for again with the next sample: something was changed. */
  void hurry() {
    taken = 0;
  }

  Sample take(Instant at) {
    var queues = sources.outbox().status();
    if (taken % 2 == 0) {
      recent = sources.outbox().recentDeliveries();
    }
    if (taken % 5 == 0) {
      deadLetters =
          sources
              .outbox()
              .deadLetters()
              .list(DeadLetterFilter.defaults().limit(Sample.MOST_DEAD_LETTERS + 1));
    }
    sources.jobs().ifPresent(this::askJobs);
    sources.workflows().ifPresent(this::askWorkflows);
    taken++;
    return new Sample(
        at,
        queues,
        deadLetters,
        types(),
        schedules,
        runs,
        found(),
        sources.waybill().health(),
        recent,
        null);
  }

  private Sample.RunsFound found() {
    Map<UUID, RunWatch.Failure> failures = new HashMap<>();
    failed.forEach(run -> watch.failure(run).ifPresent(failure -> failures.put(run.id(), failure)));
    return new Sample.RunsFound(gates, failed, Map.copyOf(failures));
  }

  /** One question or two at a time, so that no sample asks for much. */
  private void askWorkflows(Workflows workflows) {
    WorkflowFilter newest = WorkflowFilter.in(Scope.admin());
    if (taken % 4 == 0) {
      runs = workflows.list(newest.withLimit(Sample.MOST_RUNS));
    }
    if (taken % 4 == 2 || taken == 0) {
      failed =
          workflows.list(
              newest.withStatus(WorkflowStatus.FAILED).withLimit(Sample.MOST_FAILED + 1));
    }
    if (taken % 2 == 1 || taken == 0) {
      gates = workflows.waitingGates(Scope.admin(), null, Sample.MOST_GATES + 1);
      watch.learnFailures(failed, 1);
    }
  }

  private void askJobs(Jobs jobs) {
    // Whoever watches a service start does not want to wait for its jobs.
    if (taken % (definitions.isEmpty() ? 2 : 10) == 0) {
      definitions = jobs.definitions();
      paused = jobs.pausedTypes();
      schedules = jobs.schedules().list();
    }
    int all = definitions.size() * COUNTED.size();
    int now = Math.min(all, allCounted ? COUNTS : FIRST_COUNTS);
    for (int i = 0; i < now; i++) {
      String type = definitions.get(turn % all / COUNTED.size()).type();
      JobStatus status = COUNTED.get(turn % COUNTED.size());
      counts
          .computeIfAbsent(type, missing -> new EnumMap<>(JobStatus.class))
          .put(status, jobs.count(type, status, Sample.MOST_COUNTED));
      turn++;
      if (turn >= all) {
        turn = 0;
        allCounted = true;
      }
    }
  }

  private List<Sample.JobType> types() {
    List<Sample.JobType> types = new ArrayList<>();
    for (JobDefinition definition : definitions) {
      String type = definition.type();
      types.add(
          new Sample.JobType(
              definition, paused.contains(type), Map.copyOf(counts.getOrDefault(type, Map.of()))));
    }
    return types;
  }
}

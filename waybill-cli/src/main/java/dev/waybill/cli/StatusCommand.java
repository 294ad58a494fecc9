package dev.waybill.cli;

import dev.waybill.Waybill;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Jobs;
import dev.waybill.job.Scope;
import dev.waybill.outbox.QueueStatus;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code waybill status}: how all stands, and why what does not move does not. */
@Command(
    name = "status",
    description = {
      "Show the queues: what waits, who delivers it, and why something does not move;",
      "the types of jobs and how many there are in each state; and the newest runs of workflows."
    },
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  /** Nobody needs to know more exactly, and counting on would cost the database. */
  static final int MOST = 1_000;

  static final List<JobStatus> COUNTED =
      List.of(JobStatus.PENDING, JobStatus.LEASED, JobStatus.SCHEDULED, JobStatus.DEAD_LETTERED);

  @Mixin private Operator operator = new Operator();
  @Mixin private Output output = new Output();

  @Option(names = "--watch", description = "Show it again every second, until interrupted.")
  private boolean watch;

  @Option(names = "--all", description = "Idle partitions as well.")
  private boolean all;

  /**
   * How all stands.
   *
   * @param runs the newest, by their status
   */
  record Status(List<QueueStatus> queues, List<JobType> jobs, Map<WorkflowStatus, Integer> runs) {}

  /** A type of jobs, and how many there are in each state that is counted. */
  record JobType(String name, boolean paused, Map<JobStatus, Long> counts) {}

  @Override
  public Integer call() throws Exception {
    return operator.withWaybill(this::run);
  }

  private int run(Waybill waybill) throws InterruptedException {
    show(waybill);
    while (watch) {
      TimeUnit.SECONDS.sleep(1);
      if (Ansi.AUTO.enabled()) {
        PrintWriter out = output.command().getOut();
        out.print("\033[H\033[2J");
        out.flush();
      }
      show(waybill);
    }
    return ExitCode.FINE;
  }

  private void show(Waybill waybill) {
    Status status = new Status(waybill.outbox().status(), jobs(waybill.jobs()), runs(waybill));
    output.show(StatusText.text(status, all), StatusText.document(status));
  }

  private static List<JobType> jobs(Jobs jobs) {
    Set<String> paused = jobs.pausedTypes();
    List<JobType> types = new ArrayList<>();
    for (JobDefinition definition : jobs.definitions()) {
      String type = definition.type();
      Map<JobStatus, Long> counts = new EnumMap<>(JobStatus.class);
      COUNTED.forEach(status -> counts.put(status, jobs.count(type, status, MOST)));
      types.add(new JobType(type, paused.contains(type), counts));
    }
    return types;
  }

  private static Map<WorkflowStatus, Integer> runs(Waybill waybill) {
    Map<WorkflowStatus, Integer> runs = new EnumMap<>(WorkflowStatus.class);
    WorkflowFilter newest = WorkflowFilter.in(Scope.admin()).withLimit(MOST);
    for (WorkflowInfo run : waybill.workflows().list(newest)) {
      runs.merge(run.status(), 1, Integer::sum);
    }
    return runs;
  }
}

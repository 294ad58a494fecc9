package dev.waybill.cli;

import dev.waybill.Waybill;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Jobs;
import dev.waybill.job.Scope;
import dev.waybill.outbox.QueueStatus;
import dev.waybill.outbox.RecentDeliveries;
import dev.waybill.workflow.WaitingGate;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowStatus;
import dev.waybill.workflow.Workflows;
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
      "Show how all stands, and why something does not move.",
      "The queues: what waits, who delivers it, and how long deliveries took lately. The types",
      "of jobs, and how many there are in each state. The runs of workflows that are open or",
      "failed, and the gates that wait for somebody."
    },
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  /** Nobody needs to know more exactly, and counting on would cost the database. */
  static final int MOST = 1_000;

  static final List<JobStatus> COUNTED =
      List.of(JobStatus.PENDING, JobStatus.LEASED, JobStatus.SCHEDULED, JobStatus.DEAD_LETTERED);

  /** What needs nobody any more is not counted. */
  private static final List<WorkflowStatus> RUNS =
      List.of(WorkflowStatus.RUNNING, WorkflowStatus.WAITING, WorkflowStatus.FAILED);

  @Mixin private Operator operator = new Operator();
  @Mixin private Output output = new Output();

  @Option(names = "--watch", description = "Show it again every second, until interrupted.")
  private boolean watch;

  @Option(names = "--all", description = "Idle partitions as well.")
  private boolean all;

  /**
   * How all stands.
   *
   * @param recent how deliveries went lately, in all processes
   * @param runs how many there are in each status that is counted
   * @param gates that wait for somebody, the longest first
   */
  record Status(
      List<QueueStatus> queues,
      List<RecentDeliveries> recent,
      List<JobType> jobs,
      Map<WorkflowStatus, Integer> runs,
      List<WaitingGate> gates) {}

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
    Status status =
        new Status(
            waybill.outbox().status(),
            waybill.outbox().recentDeliveries(),
            jobs(waybill.jobs()),
            runs(waybill.workflows()),
            waybill.workflows().waitingGates(Scope.admin(), null, MOST));
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

  private static Map<WorkflowStatus, Integer> runs(Workflows workflows) {
    Map<WorkflowStatus, Integer> runs = new EnumMap<>(WorkflowStatus.class);
    WorkflowFilter some = WorkflowFilter.in(Scope.admin()).withLimit(MOST);
    RUNS.forEach(status -> runs.put(status, workflows.list(some.withStatus(status)).size()));
    return runs;
  }
}

package dev.waybill.console;

import dev.waybill.job.Scope;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Gates that wait for somebody. */
final class GatePages {
  /** Each costs three cheap queries. */
  private static final int MOST_RUNS = 10;

  private final Sources sources;
  private final Sampler sampler;

  GatePages(Sources sources, Sampler sampler) {
    this.sources = sources;
    this.sampler = sampler;
  }

  List<Route> routes() {
    return List.of(
        Route.get(
            "/gates",
            "Gates that wait. Looks at "
                + MOST_RUNS
                + " of the newest "
                + Sample.MOST_RUNS
                + " runs, first at those in which nothing else goes on, the oldest first.",
            List.of(),
            this::list));
  }

  private Doc list(Request request) {
    List<WorkflowInfo> open =
        sampler.current().runs().stream()
            .filter(run -> !run.status().isTerminal())
            .sorted(
                Comparator.comparing((WorkflowInfo run) -> run.status() != WorkflowStatus.WAITING)
                    .thenComparing(WorkflowInfo::createdAt))
            .toList();
    List<WorkflowInfo> lookedAt = open.subList(0, Math.min(MOST_RUNS, open.size()));
    List<Doc> gates = new ArrayList<>();
    for (WorkflowInfo run : lookedAt) {
      sources.workflowsOrRefuse().steps(Scope.admin(), run.id()).stream()
          .filter(step -> step.kind() == Step.Kind.GATE && step.status() == StepStatus.WAITING)
          .forEach(step -> gates.add(document(run, step)));
    }
    return Doc.of("gates", gates).put("lookedAt", lookedAt.size()).put("openRuns", open.size());
  }

  private static Doc document(WorkflowInfo run, StepInfo step) {
    return Doc.of("workflow", run.id().toString())
        .put("type", run.type())
        .put("step", step.key())
        .put("releasedAt", step.releasedAt())
        .put("timerAt", step.timerAt());
  }
}

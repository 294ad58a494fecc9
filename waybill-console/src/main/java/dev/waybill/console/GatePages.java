package dev.waybill.console;

import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.WorkflowInfo;
import java.util.List;

/** Gates that wait for somebody. */
final class GatePages {
  private final Sampler sampler;
  private final RunWatch watch;

  GatePages(Sampler sampler, RunWatch watch) {
    this.sampler = sampler;
    this.watch = watch;
  }

  List<Route> routes() {
    return List.of(
        Route.get(
            "/gates",
            "Gates that wait. Looks at "
                + RunWatch.MOST_OPEN
                + " of the newest "
                + Sample.MOST_RUNS
                + " runs, first at those in which nothing else goes on, the oldest first.",
            List.of(),
            this::list));
  }

  private Doc list(Request request) {
    List<WorkflowInfo> runs = sampler.current().runs();
    long open = runs.stream().filter(run -> !run.status().isTerminal()).count();
    return Doc.of("gates", watch.lookForGates(runs).stream().map(GatePages::document).toList())
        .put("lookedAt", Math.min(RunWatch.MOST_OPEN, open))
        .put("openRuns", open);
  }

  private static Doc document(RunWatch.Gate gate) {
    StepInfo step = gate.step();
    return Doc.of("workflow", gate.run().id().toString())
        .put("type", gate.run().type())
        .put("step", step.key())
        .put("releasedAt", step.releasedAt())
        .put("timerAt", step.timerAt());
  }
}

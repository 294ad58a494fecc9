package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowStore.NewChild;
import dev.waybill.internal.store.WorkflowStore.NewStep;
import dev.waybill.workflow.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The runs that steps start: made in the transaction in which the step's turn comes, from what was
 * sealed when its own run started. A run whose first step starts another one brings that along.
 */
final class SubWorkflows {
  private record Wanted(
      UUID parent, String tenant, String step, String sealed, @Nullable String input) {}

  private final JobIds ids;

  SubWorkflows(JobIds ids) {
    this.ids = ids;
  }

  /**
   * The run that a step starts, and those that come along with it.
   *
   * @param input in place of the one it was sealed with
   */
  List<NewChild> begin(
      UUID parent, String tenant, String step, String sealed, @Nullable String input) {
    List<NewChild> runs = new ArrayList<>();
    Deque<Wanted> wanted = new ArrayDeque<>();
    wanted.add(new Wanted(parent, tenant, step, sealed, input));
    for (Wanted next = wanted.poll(); next != null; next = wanted.poll()) {
      NewChild run = run(next);
      runs.add(run);
      for (NewStep each : run.steps()) {
        if (each.kind() == Step.Kind.WORKFLOW && each.state() == StepState.RELEASED) {
          wanted.add(new Wanted(run.id(), tenant, each.key(), each.payload(), null));
        }
      }
    }
    return runs;
  }

  private NewChild run(Wanted wanted) {
    SealedWorkflow sealed = SealedWorkflow.read(wanted.sealed());
    Graph graph = new Graph(ids, sealed.steps(), List.of(), sealed.tokenHashes());
    String input = wanted.input();
    return new NewChild(
        ids.next(),
        sealed.type(),
        wanted.tenant(),
        Avalanche.status(graph.counts()),
        graph.counts(),
        sealed.resultStep(),
        wanted.parent(),
        wanted.step(),
        input == null ? sealed.input() : input,
        graph.steps(Map.of()),
        graph.edges(),
        sealed.attributes());
  }
}

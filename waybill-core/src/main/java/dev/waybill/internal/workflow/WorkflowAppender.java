package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.JobKeys;
import dev.waybill.internal.job.RequestSnapshot;
import dev.waybill.internal.job.Wording;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.WorkflowRunStore;
import dev.waybill.internal.store.WorkflowRunStore.KnownStep;
import dev.waybill.internal.store.WorkflowRunStore.LockedRun;
import dev.waybill.internal.store.WorkflowRunStore.RunChange;
import dev.waybill.internal.store.WorkflowStore;
import dev.waybill.internal.store.WorkflowStore.Change;
import dev.waybill.internal.store.WorkflowStore.Counts;
import dev.waybill.internal.store.WorkflowStore.Defaults;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.Append.Outcome;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Problem;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException.IdempotencyConflict;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowException.InvalidWorkflow;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Adds steps to a run that has not ended. */
final class WorkflowAppender {
  private final JobIds ids;

  WorkflowAppender(JobIds ids) {
    this.ids = ids;
  }

  Outcome append(Tx tx, Append append) {
    throwIfAny(append, Graph.problems(append.steps()));
    String request = WorkflowSnapshot.of(append.steps());
    String hash = JobKeys.digest("append", append.key());
    LockedRun run = Runs.lock(tx, append.scope(), append.run());
    WorkflowStore store = WorkflowStore.in(tx);
    Optional<Change> before = store.change(run.id(), hash);
    if (before.isPresent()) {
      compare(append, request, before.get().request());
      return Outcome.ALREADY;
    }
    if (run.status().isTerminal()) {
      throw new InvalidState(
          "workflow.append_terminal_run",
          "Run " + run.id() + " is " + run.status() + ": steps can only be added before it ends.");
    }
    List<KnownStep> known = WorkflowRunStore.in(tx).steps(run.id());
    throwIfAny(append, problems(run, known, append.steps()));
    Map<String, Defaults> defaults = WorkflowStarter.defaults(store, append.steps());
    Graph graph = new Graph(ids, append.steps(), known);
    store.insert(run.id(), graph.steps(defaults), graph.edges());
    store.insertChange(run.id(), hash, Wording.of(append.key()), request, null);
    Counts sum = sum(run.counts(), graph.counts());
    // If all of them were skipped, the run is no nearer to its end than before.
    WorkflowRunStore.in(tx)
        .changeRuns(List.of(new RunChange(run.id(), Avalanche.status(sum), sum, null, null, null)));
    Runs.begin(tx, ids, run.id(), graph.toBegin());
    return Outcome.APPENDED;
  }

  private static Counts sum(Counts one, Counts other) {
    return new Counts(
        one.open() + other.open(),
        one.active() + other.active(),
        one.failed() + other.failed(),
        one.steps() + other.steps(),
        one.edges() + other.edges());
  }

  private static void compare(Append append, String request, String before) {
    if (!request.equals(before)) {
      throw new IdempotencyConflict(
          "workflow.append_conflicting_retry",
          "The key of an appending",
          append.run(),
          RequestSnapshot.differences(request, before));
    }
  }

  private static List<Problem> problems(LockedRun run, List<KnownStep> known, List<Step> steps) {
    List<Problem> problems = new ArrayList<>();
    Set<String> before = new HashSet<>();
    known.forEach(step -> before.add(step.key()));
    Set<String> all = new HashSet<>(before);
    steps.forEach(step -> all.add(step.key()));
    int edges = 0;
    for (Step step : steps) {
      edges += step.after().size();
      if (before.contains(step.key())) {
        problems.add(
            new Problem(
                "workflow.invalid_dag_duplicate_step_key", step.key(), "is in the run already"));
      }
      for (Dependency edge : step.after()) {
        if (!all.contains(edge.step())) {
          problems.add(
              new Problem(
                  "workflow.invalid_dag_missing_dependency",
                  step.key(),
                  "waits for '" + edge.step() + "', which there is not"));
        }
      }
    }
    if (run.counts().steps() + steps.size() > Workflow.MAX_STEPS
        || run.counts().edges() + edges > Workflow.MAX_EDGES) {
      problems.add(
          new Problem(
              "workflow.too_large",
              "",
              "the run would have more than "
                  + Workflow.MAX_STEPS
                  + " steps or "
                  + Workflow.MAX_EDGES
                  + " edges"));
    }
    return problems;
  }

  private static void throwIfAny(Append append, List<Problem> problems) {
    if (!problems.isEmpty()) {
      throw new InvalidWorkflow("Run " + append.run() + " with the appended steps", problems);
    }
  }
}

package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.JobKeys;
import dev.waybill.internal.job.Json;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowRetryStore;
import dev.waybill.internal.store.WorkflowRetryStore.EndedStep;
import dev.waybill.internal.store.WorkflowRetryStore.Source;
import dev.waybill.internal.store.WorkflowRetryStore.SourceStep;
import dev.waybill.internal.store.WorkflowRunStore.LockedRun;
import dev.waybill.internal.store.WorkflowStore;
import dev.waybill.internal.store.WorkflowStore.NewRun;
import dev.waybill.workflow.Compensation;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowException.NotFound;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes the run that undoes another; the lock on the source makes orders come one by one. */
final class WorkflowCompensator {
  private final JobIds ids;

  WorkflowCompensator(JobIds ids) {
    this.ids = ids;
  }

  Started compensate(Tx tx, Compensation order) {
    LockedRun run = Runs.lock(tx, order.scope(), order.source());
    Lineage lineage = new Lineage(run.id(), key(run.id()), "compensation", request(order));
    Optional<UUID> before =
        lineage.before(tx, "workflow.compensation_conflicting_retry", "The compensation of a run");
    if (before.isPresent()) {
      return new Started(before.get(), Started.Outcome.EXISTING);
    }
    if (!run.status().isTerminal()) {
      throw new InvalidState(
          "workflow.compensation_status",
          "Run " + run.id() + " is " + run.status() + ": only what has ended can be undone.");
    }
    List<EndedStep> all = WorkflowRetryStore.in(tx).steps(run.id());
    List<Undo> succeeded = succeeded(tx, order, run, all);
    List<Step> steps = undoing(succeeded);
    if (steps.isEmpty()) {
      throw new InvalidState(
          "workflow.nothing_to_compensate",
          "None of the steps to undo has succeeded in run " + run.id() + ".");
    }
    Set<UUID> wanted = new HashSet<>();
    succeeded.forEach(undo -> wanted.add(undo.step().ended().id()));
    Undone undone = Undone.of(tx, run.id(), all, step -> wanted.contains(step.id()));
    undone.refuse("Leave it out.");
    Started started = insert(tx, run, lineage, steps);
    lineage.remember(tx, started.id());
    undone.remember(started.id());
    return started;
  }

  /** The key of the run that undoes another. */
  private static String key(UUID run) {
    return JobKeys.digest("workflow-compensation", run.toString());
  }

  private static String request(Compensation order) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("reason", order.reason());
    fields.put("undo", new TreeMap<>(order.undo()));
    return Json.write(fields);
  }

  /** A step to undo, and what undoes it. */
  private record Undo(SourceStep step, String type) {
    private Long end() {
      return Objects.requireNonNullElse(step.copy().finishedAt(), 0L);
    }

    private int place() {
      return step.copy().place();
    }
  }

  /** Those to undo, the last to succeed first. */
  private static List<Undo> succeeded(
      Tx tx, Compensation order, LockedRun run, List<EndedStep> all) {
    Map<UUID, String> keys = new HashMap<>();
    all.forEach(step -> keys.put(step.id(), step.key()));
    Set<String> known = new HashSet<>(keys.values());
    for (String key : new TreeMap<>(order.undo()).keySet()) {
      if (!known.contains(key)) {
        throw NotFound.step(run.id(), key);
      }
    }
    // Whoever was canceled may still be at work, and finish what nobody would undo then.
    all.forEach(step -> WorkflowRetrier.refuseIfBusy(run, step));
    List<Undo> steps = new ArrayList<>();
    for (SourceStep step : WorkflowRetryStore.in(tx).sourceSteps(run.id())) {
      UUID map = step.ended().parent();
      String type = type(order, step, map == null ? null : keys.get(map));
      if (step.ended().state() == StepState.SUCCEEDED && type != null) {
        steps.add(new Undo(step, type));
      }
    }
    steps.sort(Comparator.comparing(Undo::end).thenComparingInt(Undo::place).reversed());
    return steps;
  }

  /** What a map step did was done by its elements; they are undone one by one. */
  private static @Nullable String type(Compensation order, SourceStep step, @Nullable String map) {
    if (step.ended().kind() == Step.Kind.MAP) {
      return null;
    }
    String own = order.undo().get(step.ended().key());
    return own == null && map != null ? order.undo().get(map) : own;
  }

  private static List<Step> undoing(List<Undo> succeeded) {
    List<Step> steps = new ArrayList<>();
    String before = null;
    for (Undo each : succeeded) {
      String key = each.step().copy().key();
      Step.Builder step = Step.job(key, each.type()).payload(payload(each.step()));
      steps.add((before == null ? step : step.after(before)).build());
      before = key;
    }
    return steps;
  }

  private static String payload(SourceStep step) {
    String output = step.ended().output();
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("step", step.copy().key());
    boolean hasRun = step.copy().kind() == Step.Kind.WORKFLOW;
    fields.put("payload", hasRun ? Map.of() : Json.parse(step.copy().payload()));
    fields.put("output", output == null ? null : Json.parse(output));
    return Json.write(fields);
  }

  private Started insert(Tx tx, LockedRun run, Lineage lineage, List<Step> steps) {
    WorkflowStore store = WorkflowStore.in(tx);
    Map<String, WorkflowStore.Defaults> defaults = WorkflowStarter.defaults(store, steps);
    Source source = WorkflowRetryStore.in(tx).source(run.id());
    Graph graph = new Graph(ids, steps, List.of());
    NewRun undoing =
        new NewRun(
            ids.next(),
            source.type(),
            source.tenant(),
            Avalanche.status(graph.counts()),
            graph.counts(),
            null,
            null,
            lineage.hash(),
            null,
            null,
            run.id(),
            null,
            source.input(),
            lineage.request());
    store.insert(undoing);
    store.insert(undoing.id(), graph.steps(defaults), graph.edges());
    Map<String, String> attributes =
        new LinkedHashMap<>(WorkflowRetryStore.in(tx).attributes(run.id()));
    attributes.put(Compensation.ATTRIBUTE, run.id().toString());
    store.attributes(undoing.id(), attributes);
    return new Started(undoing.id(), Started.Outcome.STARTED);
  }
}

package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.Json;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowMapStore;
import dev.waybill.internal.store.WorkflowMapStore.SourceRow;
import dev.waybill.internal.store.WorkflowRunStore.OpenMap;
import dev.waybill.internal.store.WorkflowStore;
import dev.waybill.internal.store.WorkflowStore.NewChild;
import dev.waybill.internal.store.WorkflowStore.NewStep;
import dev.waybill.workflow.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What steps begin in one avalanche that are no jobs themselves: map steps begin elements, and
 * sub-workflows begin runs. However many there are, one statement reads what they begin with, and
 * what they begin is inserted together.
 */
final class Expansion {
  static final String INPUT_MISSING = "workflow.child_input_missing";

  /** What a step began, or how it ended at once. */
  record Begun(UUID workflow, UUID step, List<NewStep> elements, Optional<StepEnd> end) {}

  private final WorkflowMapStore store;
  private final MapSteps maps;
  private final SubWorkflows subWorkflows;
  private final List<UUID> turns = new ArrayList<>();
  private final Map<UUID, StepState> ended = new HashMap<>();
  private final Map<UUID, String> outputs = new HashMap<>();
  private final Map<UUID, List<NewStep>> elements = new LinkedHashMap<>();
  private final List<NewChild> runs = new ArrayList<>();

  Expansion(Tx tx, JobIds ids) {
    this.store = WorkflowMapStore.in(tx);
    this.maps = new MapSteps(store, ids, ended);
    this.subWorkflows = new SubWorkflows(ids);
  }

  /** Whether steps of this kind begin others. */
  static boolean isFor(Step.Kind kind) {
    return kind == Step.Kind.MAP || kind == Step.Kind.WORKFLOW;
  }

  /** The turn of a step has come. */
  void turn(UUID step) {
    turns.add(step);
  }

  /** A step has ended. */
  void ended(StepEnd end, Optional<OpenMap> map) {
    String output = end.output();
    if (output != null) {
      outputs.put(end.step(), output);
    }
    ended.put(end.step(), end.state());
    map.ifPresent(of -> maps.elementEnded(end.workflow(), of));
  }

  /** How many elements map steps wait for of which some have ended. */
  Map<UUID, Integer> pending() {
    return maps.pending();
  }

  /** The ends of map steps whose last element has ended. */
  List<StepEnd> completed() {
    return maps.completed();
  }

  /**
   * Has steps begin what they begin, those whose turn has come.
   *
   * @param sizes how many steps each run has, which grows
   */
  List<Begun> begin(Map<UUID, Integer> sizes) {
    List<UUID> now = List.copyOf(turns);
    turns.clear();
    return begin(now, sizes);
  }

  /** Has these steps begin what they begin. */
  List<Begun> begin(Collection<UUID> steps, Map<UUID, Integer> sizes) {
    if (steps.isEmpty()) {
      return List.of();
    }
    List<Begun> all = new ArrayList<>();
    for (SourceRow step : store.sources(steps)) {
      int size = sizes.getOrDefault(step.workflow(), 0);
      Begun begun =
          step.kind() == Step.Kind.MAP
              ? maps.begin(step, output(step), size)
              : subWorkflow(step, output(step));
      sizes.put(step.workflow(), size + begun.elements().size());
      elements.computeIfAbsent(step.workflow(), run -> new ArrayList<>()).addAll(begun.elements());
      all.add(begun);
    }
    return all;
  }

  /** What it begins with may have come out in this transaction, and not be written yet. */
  private @Nullable String output(SourceRow step) {
    if (step.overStep() != null && ended.containsKey(step.overStep())) {
      return outputs.get(step.overStep());
    }
    return step.overState() == StepState.SUCCEEDED ? step.overOutput() : null;
  }

  private Begun subWorkflow(SourceRow step, @Nullable String output) {
    String input = null;
    String at = step.overAt();
    if (at != null) {
      Optional<Conditions.Place> place =
          output == null ? Optional.empty() : Conditions.at(output, at);
      if (place.isEmpty()) {
        return new Begun(
            step.workflow(),
            step.id(),
            List.of(),
            Optional.of(
                StepEnd.of(
                    step.workflow(),
                    step.id(),
                    StepState.FAILED,
                    null,
                    INPUT_MISSING,
                    "there is nothing at '" + at + "' in the output that is its input",
                    null)));
      }
      input = Json.write(place.get().value());
    }
    runs.addAll(
        subWorkflows.begin(step.workflow(), step.tenant(), step.key(), step.payload(), input));
    return new Begun(step.workflow(), step.id(), List.of(), Optional.empty());
  }

  /** Inserts what was begun; returns which of it are jobs. */
  List<UUID> write(WorkflowStore into) {
    List<UUID> jobs = new ArrayList<>();
    runs.forEach(run -> elements.put(run.id(), run.steps()));
    for (List<NewStep> some : elements.values()) {
      for (NewStep step : some) {
        if (step.kind() == Step.Kind.JOB && step.state() == StepState.RELEASED) {
          jobs.add(step.id());
        }
      }
    }
    into.insertChildren(runs);
    into.insert(elements);
    return jobs;
  }
}

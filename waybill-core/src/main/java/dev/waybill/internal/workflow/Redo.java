package dev.waybill.internal.workflow;

import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowRetryStore.EndedEdge;
import dev.waybill.internal.store.WorkflowRetryStore.EndedStep;
import dev.waybill.workflow.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A step that begins again, and how. */
final class Redo {
  private final EndedStep step;
  private int pending;
  private int satisfied;
  private StepState state = StepState.BLOCKED;
  private boolean hasElements;

  Redo(EndedStep step) {
    this.step = step;
  }

  /** As it was. */
  EndedStep step() {
    return step;
  }

  int pending() {
    return pending;
  }

  int satisfied() {
    return satisfied;
  }

  /** How it begins. */
  StepState state() {
    return state;
  }

  /** Whether its turn has come and it has to begin others, which are not there yet. */
  boolean isToBegin() {
    return Expansion.isFor(step.kind()) && state == StepState.RELEASED && !hasElements;
  }

  /** A map step goes on with those of its elements that begin again, whatever it waited for. */
  private void goOnWith(int elements) {
    hasElements = true;
    state = StepState.RELEASED;
    pending = elements;
    satisfied = step.needed();
  }

  /** Decides the steps that begin again by those that do not, and by each other. */
  static void decide(List<EndedEdge> edges, Map<UUID, EndedStep> all, Map<UUID, Redo> again) {
    Map<UUID, List<EndedEdge>> leaving = new HashMap<>();
    for (EndedEdge edge : edges) {
      Redo dependent = again.get(edge.dependent());
      EndedStep prerequisite = all.get(edge.prerequisite());
      if (dependent == null || prerequisite == null) {
        continue;
      }
      if (again.containsKey(edge.prerequisite())) {
        leaving.computeIfAbsent(edge.prerequisite(), key -> new ArrayList<>()).add(edge);
        dependent.pending++;
      } else if (isSatisfied(edge, prerequisite.state(), prerequisite.output())) {
        dependent.satisfied++;
      }
    }
    Map<UUID, Integer> elements = new HashMap<>();
    for (Redo step : again.values()) {
      UUID map = step.step.parent();
      if (map != null) {
        elements.merge(map, 1, Integer::sum);
      }
    }
    elements.forEach(
        (map, count) -> {
          Redo step = again.get(map);
          if (step != null) {
            step.goOnWith(count);
          }
        });
    Deque<Redo> undecided = new ArrayDeque<>(again.values());
    for (Redo step = undecided.poll(); step != null; step = undecided.poll()) {
      if (step.state != StepState.BLOCKED) {
        continue;
      }
      if (step.satisfied >= step.step.needed()) {
        step.state = step.step.kind() == Step.Kind.GATE ? StepState.WAITING : StepState.RELEASED;
      } else if (step.pending == 0) {
        step.state = StepState.SKIPPED;
        for (EndedEdge edge : leaving.getOrDefault(step.step.id(), List.of())) {
          Redo dependent = again.get(edge.dependent());
          if (dependent != null) {
            dependent.pending--;
            dependent.satisfied += isSatisfied(edge, StepState.SKIPPED, null) ? 1 : 0;
            undecided.add(dependent);
          }
        }
      }
    }
  }

  private static boolean isSatisfied(EndedEdge edge, StepState end, @Nullable String output) {
    return Avalanche.isSatisfied(edge.mode(), Conditions.read(edge.wanted()), end, output);
  }
}

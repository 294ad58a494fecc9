package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.Json;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowMapStore;
import dev.waybill.internal.store.WorkflowMapStore.Element;
import dev.waybill.internal.store.WorkflowMapStore.SourceRow;
import dev.waybill.internal.store.WorkflowRunStore.OpenMap;
import dev.waybill.internal.store.WorkflowStore.NewStep;
import dev.waybill.internal.workflow.Expansion.Begun;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The map steps of one avalanche: those whose turn has come get an element for each value of an
 * array, and those whose last element ends, end.
 */
final class MapSteps {
  static final String MISSING = "workflow.map_missing";
  static final String NOT_AN_ARRAY = "workflow.map_not_an_array";
  static final String TOO_LARGE = "workflow.map_too_large";
  static final String ELEMENT_FAILED = "workflow.map_element_failed";
  static final String OUTPUT_TOO_LARGE = "workflow.map_output_too_large";

  /** Larger outputs are left with the elements. */
  static final long LARGEST_OUTPUT = 1 << 20;

  private static final int NAMED = 5;

  /** A map step that waits for elements, as it becomes. */
  private static final class Open {
    private final UUID workflow;
    private int pending;

    Open(UUID workflow, int pending) {
      this.workflow = workflow;
      this.pending = pending;
    }
  }

  private final WorkflowMapStore store;
  private final JobIds ids;
  private final Map<UUID, StepState> ended;
  private final Map<UUID, Open> open = new LinkedHashMap<>();

  /** With the steps that end, as far as they have. */
  MapSteps(WorkflowMapStore store, JobIds ids, Map<UUID, StepState> ended) {
    this.store = store;
    this.ids = ids;
    this.ended = ended;
  }

  /** A map step waits for one element less. */
  void elementEnded(UUID workflow, OpenMap map) {
    open.computeIfAbsent(map.id(), id -> new Open(workflow, map.pending())).pending--;
  }

  /** How many elements the map steps still wait for of which some have ended. */
  Map<UUID, Integer> pending() {
    Map<UUID, Integer> pending = new LinkedHashMap<>();
    open.forEach((map, state) -> pending.put(map, state.pending));
    return pending;
  }

  /** The ends of map steps whose last element has ended. */
  List<StepEnd> completed() {
    Map<UUID, List<Element>> byMap = new LinkedHashMap<>();
    open.forEach(
        (map, state) -> {
          if (state.pending == 0) {
            byMap.put(map, new ArrayList<>());
          }
        });
    if (byMap.isEmpty()) {
      return List.of();
    }
    for (Element element : store.elements(byMap.keySet(), LARGEST_OUTPUT)) {
      byMap.computeIfAbsent(element.map(), map -> new ArrayList<>()).add(element);
    }
    List<StepEnd> ends = new ArrayList<>();
    byMap.forEach(
        (map, elements) -> {
          Open state = open.remove(map);
          if (state != null) {
            ends.add(completed(state.workflow, map, elements));
          }
        });
    return ends;
  }

  private StepEnd completed(UUID workflow, UUID map, List<Element> elements) {
    List<String> bad =
        elements.stream()
            .filter(each -> ended.getOrDefault(each.id(), each.state()) != StepState.SUCCEEDED)
            .map(Element::key)
            .toList();
    if (!bad.isEmpty()) {
      return failed(
          workflow,
          map,
          ELEMENT_FAILED,
          bad.size()
              + " of "
              + elements.size()
              + " elements did not succeed: "
              + String.join(", ", bad.subList(0, Math.min(NAMED, bad.size())))
              + (bad.size() > NAMED ? ", …" : ""));
    }
    if (elements.stream().anyMatch(Element::tooLarge)) {
      return StepEnd.ofMap(workflow, map, StepState.SUCCEEDED, null, null, null, OUTPUT_TOO_LARGE);
    }
    StringBuilder array = new StringBuilder("[");
    for (Element element : elements) {
      array.append(array.length() == 1 ? "" : ",");
      array.append(element.output() == null ? "null" : element.output());
    }
    return succeeded(workflow, map, array.append(']').toString());
  }

  private static StepEnd succeeded(UUID workflow, UUID map, String output) {
    return StepEnd.ofMap(workflow, map, StepState.SUCCEEDED, output, null, null, null);
  }

  private static StepEnd failed(UUID workflow, UUID map, String code, String message) {
    return StepEnd.ofMap(workflow, map, StepState.FAILED, null, code, message, null);
  }

  /**
   * Makes elements.
   *
   * @param output what it is over
   * @param steps how many the run has
   */
  Begun begin(SourceRow map, @Nullable String output, int steps) {
    Optional<Conditions.Place> place =
        output == null ? Optional.empty() : Conditions.at(output, at(map));
    if (place.isEmpty()) {
      return ended(map, MISSING, "there is nothing at " + where(map) + " to map over");
    }
    if (!(place.get().value() instanceof List<?> values)) {
      return ended(map, NOT_AN_ARRAY, "what is at " + where(map) + " is not an array");
    }
    if (steps + values.size() > Workflow.MAX_STEPS) {
      return ended(
          map,
          TOO_LARGE,
          "with "
              + values.size()
              + " elements the run would have more than "
              + Workflow.MAX_STEPS
              + " steps");
    }
    if (values.isEmpty()) {
      return new Begun(
          map.workflow(),
          map.id(),
          List.of(),
          Optional.of(succeeded(map.workflow(), map.id(), "[]")));
    }
    List<NewStep> elements = new ArrayList<>();
    for (Object value : values) {
      elements.add(element(map, elements.size(), steps + elements.size(), Json.write(value)));
    }
    return new Begun(map.workflow(), map.id(), elements, Optional.empty());
  }

  private static String at(SourceRow map) {
    return Objects.requireNonNullElse(map.overAt(), "");
  }

  private static String where(SourceRow map) {
    return at(map).isEmpty() ? "the output" : "'" + at(map) + "' in the output";
  }

  private static Begun ended(SourceRow map, String code, String message) {
    return new Begun(
        map.workflow(),
        map.id(),
        List.of(),
        Optional.of(failed(map.workflow(), map.id(), code, message)));
  }

  private NewStep element(SourceRow map, int index, int place, String payload) {
    return new NewStep(
        ids.next(),
        map.key() + "[" + index + "]",
        place,
        Step.Kind.JOB,
        StepState.RELEASED,
        0,
        0,
        0,
        map.mayFail(),
        map.type(),
        map.priority(),
        map.maxAttempts(),
        map.timeout(),
        map.stage(),
        map.delay(),
        map.resourceKey(),
        map.resourceHash(),
        null,
        null,
        null,
        null,
        null,
        null,
        payload,
        null,
        null,
        null,
        map.id(),
        null,
        null);
  }
}

package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.Json;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowMapStore;
import dev.waybill.internal.store.WorkflowMapStore.Element;
import dev.waybill.internal.store.WorkflowMapStore.MapRow;
import dev.waybill.internal.store.WorkflowRunStore.OpenMap;
import dev.waybill.internal.store.WorkflowStore.NewStep;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
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
 * The map steps of one avalanche: those whose turn has come get an element for each value of an
 * array, and those whose last element ends, end. However many elements there are, one statement
 * reads what the maps are over, one what their elements left behind, and one inserts the elements.
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

  /** What became of a map step whose turn had come: elements, or its end at once. */
  record Expanded(UUID workflow, UUID map, List<NewStep> elements, Optional<Avalanche.End> end) {}

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
  private final Map<UUID, Open> open = new LinkedHashMap<>();
  private final Map<UUID, StepState> ended = new HashMap<>();
  private final Map<UUID, String> outputs = new HashMap<>();

  MapSteps(Tx tx, JobIds ids) {
    this.store = WorkflowMapStore.in(tx);
    this.ids = ids;
  }

  /** A step has ended; if it is an element, its map step waits for one less. */
  void ended(Avalanche.End end, Optional<OpenMap> map) {
    String output = end.output();
    if (output != null && end.state() == StepState.SUCCEEDED) {
      outputs.put(end.step(), output);
    }
    ended.put(end.step(), end.state());
    map.ifPresent(
        of ->
            open.computeIfAbsent(of.id(), id -> new Open(end.workflow(), of.pending())).pending--);
  }

  /** How many elements the map steps still wait for of which some have ended. */
  Map<UUID, Integer> pending() {
    Map<UUID, Integer> pending = new LinkedHashMap<>();
    open.forEach((map, state) -> pending.put(map, state.pending));
    return pending;
  }

  /** The ends of map steps whose last element has ended. */
  List<Avalanche.End> completed() {
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
    List<Avalanche.End> ends = new ArrayList<>();
    byMap.forEach(
        (map, elements) -> {
          Open state = open.remove(map);
          if (state != null) {
            ends.add(completed(state.workflow, map, elements));
          }
        });
    return ends;
  }

  private Avalanche.End completed(UUID workflow, UUID map, List<Element> elements) {
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
      return Avalanche.End.ofMap(
          workflow, map, StepState.SUCCEEDED, null, null, null, OUTPUT_TOO_LARGE);
    }
    StringBuilder array = new StringBuilder("[");
    for (Element element : elements) {
      array.append(array.length() == 1 ? "" : ",");
      array.append(element.output() == null ? "null" : element.output());
    }
    return succeeded(workflow, map, array.append(']').toString());
  }

  private static Avalanche.End succeeded(UUID workflow, UUID map, String output) {
    return Avalanche.End.ofMap(workflow, map, StepState.SUCCEEDED, output, null, null, null);
  }

  private static Avalanche.End failed(UUID workflow, UUID map, String code, String message) {
    return Avalanche.End.ofMap(workflow, map, StepState.FAILED, null, code, message, null);
  }

  /**
   * Makes elements.
   *
   * @param steps how many steps each run has, which grows
   */
  List<Expanded> expand(Collection<UUID> maps, Map<UUID, Integer> steps) {
    if (maps.isEmpty()) {
      return List.of();
    }
    List<Expanded> all = new ArrayList<>();
    for (MapRow map : store.sources(maps)) {
      int before = steps.getOrDefault(map.workflow(), 0);
      Expanded expanded = expand(map, before);
      steps.put(map.workflow(), before + expanded.elements().size());
      all.add(expanded);
    }
    return all;
  }

  private Expanded expand(MapRow map, int steps) {
    Optional<Conditions.Place> place = Optional.empty();
    String output = output(map);
    if (output != null) {
      place = Conditions.at(output, map.overAt());
    }
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
      return new Expanded(
          map.workflow(),
          map.id(),
          List.of(),
          Optional.of(succeeded(map.workflow(), map.id(), "[]")));
    }
    List<NewStep> elements = new ArrayList<>();
    for (Object value : values) {
      elements.add(element(map, elements.size(), steps + elements.size(), Json.write(value)));
    }
    return new Expanded(map.workflow(), map.id(), elements, Optional.empty());
  }

  /** What it is over may have ended in this transaction, and not be written yet. */
  private @Nullable String output(MapRow map) {
    StepState state = map.overStep() == null ? null : ended.get(map.overStep());
    if (state != null) {
      return outputs.get(map.overStep());
    }
    return map.overState() == StepState.SUCCEEDED ? map.overOutput() : null;
  }

  private static String where(MapRow map) {
    return map.overAt().isEmpty() ? "the output" : "'" + map.overAt() + "' in the output";
  }

  private static Expanded ended(MapRow map, String code, String message) {
    return new Expanded(
        map.workflow(),
        map.id(),
        List.of(),
        Optional.of(failed(map.workflow(), map.id(), code, message)));
  }

  private NewStep element(MapRow map, int index, int place, String payload) {
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
        payload,
        null,
        null,
        null,
        map.id(),
        null,
        null);
  }
}

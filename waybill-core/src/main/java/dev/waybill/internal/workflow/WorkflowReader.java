package dev.waybill.internal.workflow;

import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.WorkflowReadStore;
import dev.waybill.internal.store.WorkflowReadStore.EdgeRow;
import dev.waybill.internal.store.WorkflowReadStore.StepRow;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Puts steps and edges together, so that one sees what blocks what. */
final class WorkflowReader {
  private WorkflowReader() {}

  static List<StepInfo> steps(Tx tx, UUID run) {
    WorkflowReadStore store = WorkflowReadStore.in(tx);
    List<StepRow> rows = store.steps(run);
    Map<String, List<Dependency>> after = new HashMap<>();
    for (EdgeRow edge : store.edges(run)) {
      after
          .computeIfAbsent(edge.dependent(), key -> new ArrayList<>())
          .add(new Dependency(edge.prerequisite(), edge.mode(), Conditions.read(edge.wanted())));
    }
    Map<String, List<StepRow>> elements = new HashMap<>();
    Set<String> ended = new HashSet<>();
    for (StepRow row : rows) {
      String map = row.map();
      if (map != null) {
        elements.computeIfAbsent(map, key -> new ArrayList<>()).add(row);
      }
      if (row.status().isTerminal()) {
        ended.add(row.key());
      }
    }
    List<StepInfo> infos = new ArrayList<>();
    for (StepRow row : rows) {
      List<StepRow> of = elements.getOrDefault(row.key(), List.of());
      List<Dependency> own = after.getOrDefault(row.key(), List.of());
      // An element waits for what its map step waits for, and the map step for its elements.
      of.forEach(element -> infos.add(info(element, own, row.needed(), row.satisfied(), ended)));
      if (!of.isEmpty()) {
        infos.add(map(row, of, ended));
      } else if (row.map() == null) {
        infos.add(info(row, own, row.needed(), row.satisfied(), ended));
      }
    }
    return infos;
  }

  private static StepInfo map(StepRow row, List<StepRow> elements, Set<String> ended) {
    List<Dependency> after =
        elements.stream().map(element -> Dependency.onSuccess(element.key())).toList();
    long succeeded =
        elements.stream().filter(element -> element.status() == StepStatus.SUCCEEDED).count();
    return info(row, after, after.size(), (int) succeeded, ended);
  }

  private static StepInfo info(
      StepRow row, List<Dependency> after, int needed, int satisfied, Set<String> ended) {
    boolean waits =
        row.status() == StepStatus.BLOCKED
            || (row.kind() == Step.Kind.MAP && row.status() == StepStatus.RUNNING);
    List<String> blockedBy =
        waits
            ? after.stream().map(Dependency::step).filter(key -> !ended.contains(key)).toList()
            : List.of();
    return new StepInfo(
        row.id(),
        row.key(),
        row.kind(),
        row.status(),
        row.type(),
        row.mayFail(),
        after,
        blockedBy,
        needed,
        satisfied,
        row.run(),
        row.attempt(),
        row.releasedAt(),
        row.startedAt(),
        row.finishedAt(),
        row.timerAt(),
        row.worker(),
        row.errorCode(),
        row.errorMessage(),
        row.reason(),
        row.map(),
        row.child());
  }
}

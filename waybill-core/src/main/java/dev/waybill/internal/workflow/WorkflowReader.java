package dev.waybill.internal.workflow;

import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.WorkflowReadStore;
import dev.waybill.internal.store.WorkflowReadStore.EdgeRow;
import dev.waybill.internal.store.WorkflowReadStore.StepRow;
import dev.waybill.workflow.Dependency;
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
    Set<String> ended = new HashSet<>();
    rows.stream().filter(row -> row.status().isTerminal()).forEach(row -> ended.add(row.key()));
    return rows.stream().map(row -> info(row, after, ended)).toList();
  }

  private static StepInfo info(
      StepRow row, Map<String, List<Dependency>> edges, Set<String> ended) {
    List<Dependency> after = edges.getOrDefault(row.key(), List.of());
    List<String> blockedBy =
        row.status() == StepStatus.BLOCKED
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
        row.needed(),
        row.satisfied(),
        row.run(),
        row.attempt(),
        row.releasedAt(),
        row.startedAt(),
        row.finishedAt(),
        row.timerAt(),
        row.worker(),
        row.errorCode(),
        row.errorMessage(),
        row.reason());
  }
}

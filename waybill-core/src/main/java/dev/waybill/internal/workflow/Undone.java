package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobKeys;
import dev.waybill.internal.job.Json;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowReadStore;
import dev.waybill.internal.store.WorkflowRetryStore;
import dev.waybill.internal.store.WorkflowRetryStore.EndedStep;
import dev.waybill.internal.store.WorkflowRunStore;
import dev.waybill.internal.store.WorkflowStore;
import dev.waybill.internal.store.WorkflowStore.Change;
import dev.waybill.workflow.WorkflowException.InvalidState;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What was undone of what steps did. It is known to the run in which they ran: a rerun that took
 * them over asks there, and says there what it undoes. So nothing is undone twice, and nobody goes
 * on with what is not there any more.
 */
final class Undone {
  private final Tx tx;
  private final UUID run;

  /** Keys of steps, each with the key of its map step or its own, by the run in which they ran. */
  private final Map<UUID, Map<String, String>> ran;

  private Undone(Tx tx, UUID run, Map<UUID, Map<String, String>> ran) {
    this.tx = tx;
    this.run = run;
    this.ran = ran;
  }

  /** Of steps of a run that is locked. Locks the runs that they were taken over from, too. */
  static Undone of(Tx tx, UUID run, Collection<EndedStep> all, Predicate<EndedStep> wanted) {
    Map<UUID, String> keys = new HashMap<>();
    all.forEach(step -> keys.put(step.id(), step.key()));
    Map<String, String> here = new LinkedHashMap<>();
    for (EndedStep step : all) {
      if (step.state() == StepState.SUCCEEDED && wanted.test(step)) {
        UUID map = step.parent();
        here.put(step.key(), keys.getOrDefault(map == null ? step.id() : map, step.key()));
      }
    }
    Map<UUID, Map<String, String>> ran = new LinkedHashMap<>();
    Collection<EndedStep> steps = all;
    UUID at = run;
    while (true) {
      ran.put(at, here);
      Map<String, String> above = new LinkedHashMap<>(here);
      above.keySet().retainAll(takenOver(steps));
      Optional<UUID> source = above.isEmpty() ? Optional.empty() : source(tx, at);
      if (source.isEmpty()) {
        return new Undone(tx, run, ran);
      }
      here.keySet().removeAll(above.keySet());
      here = above;
      at = source.get();
      steps = WorkflowRetryStore.in(tx).steps(at);
    }
  }

  private static Set<String> takenOver(Collection<EndedStep> steps) {
    return steps.stream()
        .filter(EndedStep::isTakenOver)
        .map(EndedStep::key)
        .collect(Collectors.toSet());
  }

  /** The run that this one took steps over from, while it is there. */
  private static Optional<UUID> source(Tx tx, UUID run) {
    return WorkflowReadStore.in(tx)
        .getNow(run)
        .filter(info -> info.sourceStep() != null)
        .flatMap(info -> Optional.ofNullable(info.source()))
        .filter(source -> !WorkflowRunStore.in(tx).lock(List.of(source), true).isEmpty());
  }

  /** Throws if one of them was undone. */
  void refuse(String instead) {
    ran.forEach(
        (where, steps) -> {
          List<Change> made = steps.isEmpty() ? List.of() : WorkflowStore.in(tx).made(where);
          for (Change each : made) {
            Set<String> undone = keys(each.request());
            steps.forEach(
                (key, map) -> {
                  if (undone.contains(key) || undone.contains(map)) {
                    throw new InvalidState(
                        "workflow.compensated",
                        "What step '%s' of run %s did was undone by run %s: it is not there any more. %s"
                            .formatted(key, run, each.made(), instead));
                  }
                });
          }
        });
  }

  /** An order to undo names steps, or map steps; what a rerun has undone are steps. */
  private static Set<String> keys(String request) {
    Set<String> keys = new HashSet<>();
    if (Json.parse(request) instanceof Map<?, ?> fields) {
      if (fields.get("undo") instanceof Map<?, ?> order) {
        order.keySet().forEach(key -> keys.add(String.valueOf(key)));
      }
      if (fields.get("undone") instanceof List<?> steps) {
        steps.forEach(key -> keys.add(String.valueOf(key)));
      }
    }
    return keys;
  }

  /** They are undone now. Those that ran here are known by the order itself. */
  void remember(UUID undoing) {
    String hash = JobKeys.digest("workflow-undone", run.toString());
    ran.forEach(
        (where, steps) -> {
          if (!where.equals(run) && !steps.isEmpty()) {
            String request = Json.write(Map.of("undone", List.copyOf(steps.keySet())));
            WorkflowStore.in(tx).insertChange(where, hash, "undone in a rerun", request, undoing);
          }
        });
  }
}

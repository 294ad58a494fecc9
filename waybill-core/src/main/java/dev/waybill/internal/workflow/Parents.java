package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowChildStore;
import dev.waybill.internal.store.WorkflowChildStore.ChildEnd;
import dev.waybill.internal.store.WorkflowRunStore;
import dev.waybill.internal.store.WorkflowRunStore.LockedRun;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Tells parents how the runs ended that their steps started. Whoever holds a run never waits for
 * its parent: if somebody holds that, the run goes on owing it, which is stored, and the timekeeper
 * comes back to it.
 */
final class Parents {
  static final String CHILD_FAILED = "workflow.child_failed";

  private Parents() {}

  /**
   * Ends the steps that started these runs, as far as their own runs can be had.
   *
   * @param parents of runs that have ended and are locked, by the id of the run
   * @return how many were told
   */
  static int tell(Tx tx, JobIds ids, Map<UUID, UUID> parents) {
    if (parents.isEmpty()) {
      return 0;
    }
    List<LockedRun> locked = WorkflowRunStore.in(tx).lock(new HashSet<>(parents.values()), false);
    Set<UUID> had = new HashSet<>();
    locked.forEach(run -> had.add(run.id()));
    List<UUID> told =
        parents.keySet().stream().filter(run -> had.contains(parents.get(run))).toList();
    if (told.isEmpty()) {
      return 0;
    }
    WorkflowChildStore store = WorkflowChildStore.in(tx);
    List<StepEnd> ends = new ArrayList<>();
    for (ChildEnd end : store.ends(told)) {
      ends.add(end(end));
    }
    store.told(told);
    new Avalanche(tx, ids, locked).end(ends);
    return told.size();
  }

  private static StepEnd end(ChildEnd child) {
    return switch (child.status()) {
      case SUCCEEDED -> end(child, StepState.SUCCEEDED, child.result(), null, null, null);
      case FAILED ->
          end(child, StepState.FAILED, null, CHILD_FAILED, "run " + child.id() + " failed", null);
      case CANCELED -> end(child, StepState.CANCELED, null, null, null, child.reason());
      case RUNNING, WAITING ->
          throw new IllegalStateException("Run " + child.id() + " has not ended");
    };
  }

  private static StepEnd end(
      ChildEnd child,
      StepState state,
      @Nullable String output,
      @Nullable String code,
      @Nullable String message,
      @Nullable String reason) {
    return StepEnd.of(child.parent(), child.step(), state, output, code, message, reason);
  }
}

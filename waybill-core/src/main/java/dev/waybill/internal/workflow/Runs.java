package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.WorkflowRunStore;
import dev.waybill.internal.store.WorkflowRunStore.LockedRun;
import dev.waybill.job.Scope;
import dev.waybill.workflow.WorkflowException.NotFound;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** Runs for those who may see them. */
final class Runs {
  private Runs() {}

  /** Locks a run, waiting for whoever has it. */
  static LockedRun lock(Tx tx, Scope scope, UUID id) {
    return WorkflowRunStore.in(tx).lock(List.of(id), true).stream()
        .filter(run -> isIn(scope, run.tenant()))
        .findFirst()
        .orElseThrow(() -> NotFound.run(id));
  }

  /** Has steps that are stored as released begin what they begin, in a run that is locked. */
  static void begin(Tx tx, JobIds ids, UUID id, Collection<UUID> steps) {
    if (!steps.isEmpty()) {
      // The lock is there already: this reads the counters as they have become.
      new Avalanche(tx, ids, WorkflowRunStore.in(tx).lock(List.of(id), true)).begin(steps);
    }
  }

  static boolean isIn(Scope scope, String tenant) {
    return scope instanceof Scope.Admin || WorkflowStarter.tenant(scope).equals(tenant);
  }
}

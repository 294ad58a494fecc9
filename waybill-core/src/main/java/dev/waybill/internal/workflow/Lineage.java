package dev.waybill.internal.workflow;

import dev.waybill.internal.job.RequestSnapshot;
import dev.waybill.internal.job.Wording;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.WorkflowStore;
import dev.waybill.workflow.WorkflowException.IdempotencyConflict;
import java.util.Optional;
import java.util.UUID;

/**
 * What was made of a run: reruns, and the run that undid it. It is stored with the source, whose
 * lock makes orders come one by one, and as long as that: otherwise a run could be undone twice
 * because the first undoing was purged earlier.
 *
 * @param hash of the order
 * @param key of the order, for people
 * @param request what was ordered
 */
record Lineage(UUID source, String hash, String key, String request) {
  /** What was made by this order before, if there was one. */
  Optional<UUID> before(Tx tx, String conflict, String what) {
    Optional<WorkflowStore.Change> before = WorkflowStore.in(tx).change(source, hash);
    before.ifPresent(
        made -> {
          if (!request.equals(made.request())) {
            throw new IdempotencyConflict(
                conflict,
                what,
                Optional.ofNullable(made.made()).orElse(source),
                RequestSnapshot.differences(request, made.request()));
          }
        });
    return before.map(WorkflowStore.Change::made);
  }

  /** This was made now. */
  void remember(Tx tx, UUID made) {
    WorkflowStore.in(tx).insertChange(source, hash, Wording.of(key), request, made);
  }
}

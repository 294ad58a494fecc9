package dev.waybill.internal.store;

import dev.waybill.internal.sql.Tx;
import dev.waybill.workflow.WorkflowStatus;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Runs that steps of other runs started, in one transaction. */
public final class WorkflowChildStore {
  /**
   * A run that a step started.
   *
   * @param step the step's key
   */
  public record Child(UUID id, UUID parent, String step, WorkflowStatus status) {}

  /**
   * How such a run ended.
   *
   * @param step that started it
   * @param result the output of its result step
   */
  public record ChildEnd(
      UUID id,
      UUID parent,
      UUID step,
      WorkflowStatus status,
      @Nullable String result,
      @Nullable String reason) {}

  /**
   * A run that has ended and whose parent does not know yet.
   *
   * @param isOrphan whether the parent is gone
   * @param at since when, in microseconds
   */
  public record Untold(UUID id, UUID parent, boolean isOrphan, long at) {}

  private final Tx tx;

  private WorkflowChildStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static WorkflowChildStore in(Tx tx) {
    return new WorkflowChildStore(tx);
  }

  /** The runs that steps of these started. These are locked. */
  public List<Child> children(Collection<UUID> parents) {
    return tx.sql("workflow_children")
        .set("ids", JsonRows.ids(parents))
        .list(
            row ->
                new Child(
                    row.uuid("id"),
                    row.uuid("parent_id"),
                    row.text("parent_step"),
                    WorkflowCodes.STATUS.word(row.number("status"))));
  }

  /** How runs ended. They and their parents are locked. */
  public List<ChildEnd> ends(Collection<UUID> runs) {
    return tx.sql("workflow_child_ends")
        .set("ids", JsonRows.ids(runs))
        .list(
            row ->
                new ChildEnd(
                    row.uuid("id"),
                    row.uuid("parent_id"),
                    row.uuid("step_id"),
                    WorkflowCodes.STATUS.word(row.number("status")),
                    row.textOrNull("result"),
                    row.textOrNull("reason")));
  }

  /** The parents of these know. */
  public void told(Collection<UUID> runs) {
    if (!runs.isEmpty()) {
      tx.sql("workflow_told").set("ids", JsonRows.ids(runs)).update();
    }
  }

  /** The parent of this one has forgotten. */
  public void tellAgain(UUID run) {
    tx.sql("workflow_tell_again").set("id", run).update();
  }

  /**
   * Runs whose parents do not know yet that they have ended, longest ago first, behind one of them;
   * without a lock.
   */
  public List<Untold> untold(int limit, @Nullable Untold behind) {
    return (behind == null
            ? tx.sql("workflow_untold", Set.of("limit"))
            : tx.sql("workflow_untold", Set.of("limit", "since", "after"))
                .set("since", behind.at())
                .set("after", behind.id()))
        .set("limit", limit)
        .list(
            row ->
                new Untold(
                    row.uuid("id"),
                    row.uuid("parent_id"),
                    row.uuidOrNull("parent") == null,
                    row.number("tell_at")));
  }
}

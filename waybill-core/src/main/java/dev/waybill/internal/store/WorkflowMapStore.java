package dev.waybill.internal.store;

import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import dev.waybill.workflow.Step;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Map steps, their elements, and sub-workflows, in one transaction. Their runs are locked. */
public final class WorkflowMapStore {
  /**
   * A map step or a sub-workflow whose turn has come; times in microseconds.
   *
   * @param overStep the step with whose output it begins
   * @param overState how that one is
   * @param overAt where in its output
   */
  public record SourceRow(
      UUID workflow,
      UUID id,
      String key,
      Step.Kind kind,
      String payload,
      String tenant,
      boolean mayFail,
      @Nullable String type,
      @Nullable Integer priority,
      @Nullable Integer maxAttempts,
      @Nullable Long timeout,
      String stage,
      @Nullable Long delay,
      @Nullable String resourceKey,
      @Nullable String resourceHash,
      @Nullable UUID overStep,
      @Nullable StepState overState,
      @Nullable String overAt,
      @Nullable String overOutput) {
    static SourceRow read(Row row) throws SQLException {
      Long state = row.numberOrNull("over_status");
      return new SourceRow(
          row.uuid("workflow_id"),
          row.uuid("id"),
          row.text("step_key"),
          WorkflowCodes.KIND.word(row.number("kind")),
          row.text("payload"),
          row.text("tenant"),
          row.number("may_fail") > 0,
          row.textOrNull("type"),
          WorkflowRetryStore.intOrNull(row, "priority"),
          WorkflowRetryStore.intOrNull(row, "max_attempts"),
          row.numberOrNull("timeout_micros"),
          row.text("stage"),
          row.numberOrNull("delay_micros"),
          row.textOrNull("resource_key"),
          row.textOrNull("resource_hash"),
          row.uuidOrNull("over_id"),
          state == null ? null : WorkflowCodes.STATE.word(state),
          row.textOrNull("over_at"),
          row.textOrNull("over_output"));
    }
  }

  /**
   * An element.
   *
   * @param state as it is stored
   * @param tooLarge whether the outputs of all of its map step are too large together
   */
  public record Element(
      UUID map, UUID id, String key, StepState state, @Nullable String output, boolean tooLarge) {}

  private final Tx tx;

  private WorkflowMapStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static WorkflowMapStore in(Tx tx) {
    return new WorkflowMapStore(tx);
  }

  /** These map steps and sub-workflows. */
  public List<SourceRow> sources(Collection<UUID> steps) {
    return tx.sql("workflow_sources").set("ids", JsonRows.ids(steps)).list(SourceRow::read);
  }

  /** All elements of these map steps, in their order, with no more than so many bytes of each. */
  public List<Element> elements(Collection<UUID> maps, long bytes) {
    return tx.sql("workflow_map_elements")
        .set("ids", JsonRows.ids(maps))
        .set("bytes", bytes)
        .list(
            row ->
                new Element(
                    row.uuid("parent_id"),
                    row.uuid("id"),
                    row.text("step_key"),
                    WorkflowCodes.STATE.word(row.number("status")),
                    row.textOrNull("output"),
                    row.number("too_large") > 0));
  }
}

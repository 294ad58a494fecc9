package dev.waybill.internal.store;

import dev.waybill.internal.sql.Tx;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Map steps and their elements, in one transaction. Their runs are locked. */
public final class WorkflowMapStore {
  /**
   * A map step whose turn has come, with all that its elements need; times in microseconds.
   *
   * @param overStep the step over whose output it is
   * @param overState how that one is
   * @param overAt where in its output
   */
  public record MapRow(
      UUID workflow,
      UUID id,
      String key,
      boolean mayFail,
      @Nullable String type,
      int priority,
      int maxAttempts,
      long timeout,
      String stage,
      @Nullable Long delay,
      @Nullable String resourceKey,
      @Nullable String resourceHash,
      @Nullable UUID overStep,
      @Nullable StepState overState,
      String overAt,
      @Nullable String overOutput) {}

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

  /** These map steps. */
  public List<MapRow> sources(Collection<UUID> maps) {
    return tx.sql("workflow_map_sources")
        .set("ids", JsonRows.ids(maps))
        .list(
            row -> {
              Long state = row.numberOrNull("over_status");
              return new MapRow(
                  row.uuid("workflow_id"),
                  row.uuid("id"),
                  row.text("step_key"),
                  row.number("may_fail") > 0,
                  row.textOrNull("type"),
                  (int) row.number("priority"),
                  (int) row.number("max_attempts"),
                  row.number("timeout_micros"),
                  row.text("stage"),
                  row.numberOrNull("delay_micros"),
                  row.textOrNull("resource_key"),
                  row.textOrNull("resource_hash"),
                  row.uuidOrNull("over_id"),
                  state == null ? null : WorkflowCodes.STATE.word(state),
                  row.text("over_at"),
                  row.textOrNull("over_output"));
            });
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

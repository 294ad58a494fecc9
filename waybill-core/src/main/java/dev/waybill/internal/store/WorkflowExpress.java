package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.WorkflowStore.NewEdge;
import dev.waybill.internal.store.WorkflowStore.NewRun;
import dev.waybill.internal.store.WorkflowStore.NewStep;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The start of a run in one statement. Whoever is refused here goes the ordinary way, through
 * {@link WorkflowStore}, and learns why.
 */
public final class WorkflowExpress {
  private WorkflowExpress() {}

  /** Empty where one statement cannot do that much. */
  public static Optional<WorkflowExpress> of(Database database) {
    return database.dialect() == Dialect.POSTGRES
        ? Optional.of(new WorkflowExpress())
        : Optional.empty();
  }

  /**
   * Writes a run with all that belongs to it, and makes jobs of the steps that are released.
   *
   * @param types that must be there and enabled; they decide what the steps leave open
   * @return false if one of them is not, or if somebody has one of the run's keys: then nothing was
   *     written
   */
  public boolean begin(
      Tx tx,
      NewRun run,
      Collection<String> types,
      List<NewStep> steps,
      List<NewEdge> edges,
      Map<String, String> attributes) {
    return tx.sql("workflow_begin")
            .set("run", JsonRows.objects(List.of(run), NewRun::fields))
            .set("types", JsonRows.texts(types))
            .set("steps", JsonRows.objects(steps, step -> step.fields(run.id())))
            .set("edges", JsonRows.objects(edges, edge -> edge.fields(run.id())))
            .set(
                "attributes",
                JsonRows.objects(
                    List.copyOf(attributes.entrySet()),
                    each -> {
                      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                      fields.put("name", each.getKey());
                      fields.put("value", each.getValue());
                      return fields;
                    }))
            .set("ageing", JobStore.AGEING)
            .one(row -> row.number("begun"))
        > 0;
  }
}

package dev.waybill.internal.store;

import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Tx;
import dev.waybill.job.Scope;
import dev.waybill.workflow.WaitingGate;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Lists of runs and of gates, in one transaction, each in the order of an index. */
public final class WorkflowListStore {
  /** Beyond all others. */
  private static final UUID LAST = new UUID(-1, -1);

  private final Tx tx;

  private WorkflowListStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static WorkflowListStore in(Tx tx) {
    return new WorkflowListStore(tx);
  }

  /** A page in the order that {@link WorkflowFilter} tells. */
  public List<WorkflowInfo> page(WorkflowFilter filter) {
    WorkflowStatus status = filter.status();
    Map.Entry<String, String> attribute = filter.attribute();
    UUID after = filter.after();
    Map<String, Object> values = new HashMap<>();
    if (status != null) {
      values.put("status", WorkflowCodes.STATUS.number(status));
    }
    if (attribute != null) {
      values.put("name", attribute.getKey());
      values.put("value", attribute.getValue());
      return list("workflow_page_attribute", filter, values);
    }
    if (status == null || !status.isTerminal()) {
      return list(status == null ? "workflow_page" : "workflow_page_open", filter, values);
    }
    if (after != null) {
      Instant end = WorkflowReadStore.in(tx).get(after).map(WorkflowInfo::finishedAt).orElse(null);
      // One that was purged or retried meanwhile says nothing about where to go on.
      if (end == null) {
        return List.of();
      }
      values.put("until", end);
    }
    return list("workflow_page_ended", filter, values);
  }

  private List<WorkflowInfo> list(
      String statement, WorkflowFilter filter, Map<String, Object> values) {
    UUID after = filter.after();
    String tenant = JobStore.tenantOrAny(filter.scope());
    String type = filter.type();
    if (after != null || !statement.equals("workflow_page_ended")) {
      values.put("after", after == null ? LAST : after);
    }
    if (tenant != null) {
      values.put("tenant", tenant);
    }
    if (type != null) {
      values.put("type", type);
    }
    values.put("limit", filter.limit());
    Query query = tx.sql(statement, values.keySet());
    values.forEach(query::set);
    return query.list(WorkflowReadStore::info);
  }

  /** Gates that wait, those that have waited longest first. */
  public List<WaitingGate> gates(Scope scope, WaitingGate.@Nullable Position after, int limit) {
    Map<String, Object> values = new HashMap<>();
    String tenant = JobStore.tenantOrAny(scope);
    if (tenant != null) {
      values.put("tenant", tenant);
    }
    if (after != null) {
      values.put("since", after.since());
      values.put("after", after.id());
    }
    values.put("limit", limit);
    Query query = tx.sql("workflow_gates", values.keySet());
    values.forEach(query::set);
    return query.list(
        row ->
            new WaitingGate(
                row.uuid("id"),
                row.uuid("workflow_id"),
                row.text("type"),
                WorkflowReadStore.scope(row),
                row.text("step_key"),
                row.time("gate_since"),
                row.timeOrNull("wake_at")));
  }
}

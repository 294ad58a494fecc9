package dev.waybill.internal.store;

import dev.waybill.internal.sql.Tx;
import java.util.List;

/** A delayed message whose time has come, where a store gives it to its partition itself. */
record Due(long dueAt, long id, long partitionId) {
  /** The first of them; where others could take them at the same time, those that are locked so. */
  static List<Due> first(Tx tx, int messages) {
    return tx.sql("outbox_due")
        .set("messages", messages)
        .list(row -> new Due(row.number("due_at"), row.number("id"), row.number("partition_id")));
  }
}

package dev.waybill.internal.store;

import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Tx;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.DeadLetterFilter.Position;
import dev.waybill.outbox.Partitions;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Puts a filter into a statement: only what it says becomes part of the text. */
final class Filtered {
  private Filtered() {}

  /**
   * A statement with the filter's conditions.
   *
   * @param options further parameters, by name
   */
  static Query query(
      Tx tx, String statement, DeadLetterFilter filter, Map<String, Object> options) {
    Map<String, Object> values = new HashMap<>(options);
    put(filter, values);
    List<Long> ids = filter.ids();
    Set<String> given = new HashSet<>(values.keySet());
    if (ids != null) {
      given.add("id");
    }
    Query query = tx.sql(statement, given);
    values.forEach(query::set);
    if (ids != null) {
      ids.forEach(query::row);
    }
    return query;
  }

  private static void put(DeadLetterFilter filter, Map<String, Object> values) {
    String queue = filter.queue();
    if (queue != null) {
      Integer partition = filter.partition();
      values.put("queue", queue);
      values.put("first", partition == null ? 0 : partition);
      values.put("last", partition == null ? Partitions.MAX - 1 : partition);
    }
    String type = filter.type();
    if (type != null) {
      values.put("type", type);
    }
    Instant after = filter.failedAfter();
    if (after != null) {
      values.put("failed_after", after);
    }
    Instant before = filter.failedBefore();
    if (before != null) {
      // Stored times are whole microseconds; so is the first one that is not before.
      values.put("failed_before", before.plusNanos(999));
    }
    Position last = filter.last();
    if (last != null) {
      values.put("last_failed_at", last.failedAt());
      values.put("last_id", last.id());
    }
  }
}

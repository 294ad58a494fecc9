package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** SQLite: a statement costs no round trip, so there is no need to fold several into one. */
final class SqliteMessageStore extends PackedMessageStore {
  SqliteMessageStore(Database database) {
    super(database);
  }

  /** There is one writer, and an id is always one more than the greatest there ever was. */
  @Override
  long[] idsOfLastInsert(Tx tx, int rows) {
    long last = tx.sql("outbox_body_last").one(row -> row.number("last"));
    return LongStream.rangeClosed(last - rows + 1, last).toArray();
  }

  /** In one transaction: a commit costs more than all statements of it. */
  @Override
  public Numbered sequence(
      long[] partitions, int messages, String owner, List<LeaseRequest.Take> wanted) {
    return transact(
        tx -> {
          Map<Long, Integer> counts = sequence(tx, partitions, messages);
          Map<Long, Delivery> taken = new LinkedHashMap<>();
          for (LeaseRequest.Take take : wanted) {
            long id = take.partitionId();
            if (counts.getOrDefault(id, 0) > 0) {
              lease(tx, id, owner, take.duration(), take.messages())
                  .ifPresent(delivery -> taken.put(id, delivery));
            }
          }
          return new Numbered(counts, taken);
        });
  }

  @Override
  Map<Long, List<Long>> choose(Tx tx, Iterable<Long> partitions, int messages) {
    Map<Long, List<Long>> chosen = new LinkedHashMap<>();
    for (long partition : partitions) {
      chosen.putAll(
          chosen(
              tx.sql("outbox_sequence_choose")
                  .set("partition_id", partition)
                  .set("messages", messages)));
    }
    return chosen;
  }

  /** There is no other writer, so the lowest ids up to the last chosen one are still those. */
  @Override
  int remove(Tx tx, Map<Long, List<Long>> chosen) {
    int removed = 0;
    for (Map.Entry<Long, List<Long>> each : chosen.entrySet()) {
      List<Long> ids = each.getValue();
      removed +=
          tx.sql("outbox_incoming_delete")
              .set("partition_id", each.getKey())
              .set("last", ids.get(ids.size() - 1))
              .update();
    }
    return removed;
  }
}

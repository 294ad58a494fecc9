package dev.waybill.internal.store;

import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Tx;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;

/** What stores choose under the locks of partitions, statement by statement. */
final class UnderLock {
  private UnderLock() {}

  /** Locks those of the partitions that nobody else has locked; gives their last numbers. */
  static Map<Long, Long> partitions(Tx tx, long[] partitions) {
    Query lock = tx.sql("outbox_sequence_lock");
    LongStream.of(partitions).forEach(lock::row);
    Map<Long, Long> locked = new LinkedHashMap<>();
    lock.list(row -> locked.put(row.number("id"), row.number("sequence")));
    return locked;
  }

  /** What was chosen under the lock must be what is changed, or nothing is done at all. */
  static void expect(int chosen, int changed) {
    if (chosen != changed) {
      throw new IllegalStateException(
          chosen + " rows were chosen under a lock, but " + changed + " could be changed");
    }
  }
}

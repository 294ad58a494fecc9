package dev.waybill.internal.outbox;

import dev.waybill.outbox.Enqueued;
import java.util.List;

/**
 * What a caller gets for its messages.
 *
 * @param ids of all of them, in their order; of a duplicate that of the message it repeats
 * @param duplicates which of them were left out
 * @param partitions those with something to number
 * @param delayed whether some are to be delivered later
 */
record Receipt(
    List<Long> ids,
    List<Integer> duplicates,
    List<Long> partitions,
    boolean delayed,
    Enqueuer.Wake wake)
    implements Enqueued {

  Receipt {
    ids = List.copyOf(ids);
    duplicates = List.copyOf(duplicates);
    partitions = List.copyOf(partitions);
  }

  @Override
  public long id() {
    if (ids.size() != 1) {
      throw new IllegalStateException("There are " + ids.size() + " messages: use ids()");
    }
    return ids.get(0);
  }

  @Override
  public void flush() {
    if (delayed || !partitions.isEmpty()) {
      wake.committed(partitions, delayed);
    }
  }
}

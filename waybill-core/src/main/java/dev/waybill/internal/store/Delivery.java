package dev.waybill.internal.store;

import java.util.List;

/**
 * What was read beyond a partition's cursor.
 *
 * @param processedSeq the cursor
 * @param attempts how often the first message was tried, this time included under a lease
 * @param epoch the lease's number
 * @param sequence the number of the last message there was
 * @param parked how many messages before the cursor are parked
 * @param messages in order
 */
public record Delivery(
    long processedSeq,
    int attempts,
    long epoch,
    long sequence,
    int parked,
    List<StoredMessage> messages) {
  /** Nothing was to be read. */
  static final Delivery NONE = new Delivery(0, 0, 0, 0, 0, List.of());

  public Delivery {
    messages = List.copyOf(messages);
  }

  /** The same with these messages. */
  Delivery with(List<StoredMessage> read) {
    return new Delivery(processedSeq, attempts, epoch, sequence, parked, read);
  }

  /** Whether there was more than was read. */
  public boolean hasMore() {
    return !messages.isEmpty() && messages.get(messages.size() - 1).seq() < sequence;
  }
}

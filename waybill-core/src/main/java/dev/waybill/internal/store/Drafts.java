package dev.waybill.internal.store;

import dev.waybill.internal.sql.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Deliveries while they are read, row by row (PostgreSQL). A partition's part is repeated in every
 * row; one without a message has only that. Rows hold several messages, not all of which are
 * wanted.
 */
final class Drafts {
  private final Map<Long, Integer> limits;
  private final Map<Long, Arriving> partitions = new LinkedHashMap<>();

  private record Arriving(Delivery partition, Draft draft) {}

  /**
   * Takes what is read.
   *
   * @param limits how many messages are wanted of each partition
   */
  Drafts(Map<Long, Integer> limits) {
    this.limits = limits;
  }

  void add(Row row) throws SQLException {
    long partitionId = row.number("partition_id");
    Arriving arriving = partitions.get(partitionId);
    if (arriving == null) {
      Delivery partition = partition(row);
      int limit = limits.getOrDefault(partitionId, 0);
      arriving = new Arriving(partition, new Draft(partition.processedSeq(), limit));
      partitions.put(partitionId, arriving);
    }
    if (row.numberOrNull("seq") != null) {
      arriving.draft().add(row);
    }
  }

  /** How a partition stands, without messages. */
  static Delivery partition(Row row) throws SQLException {
    return new Delivery(
        row.number("processed_seq"),
        (int) row.number("attempts"),
        row.number("lease_epoch"),
        row.number("sequence"),
        (int) row.number("parked"),
        List.of());
  }

  /** By partition, in the order in which they came. */
  Map<Long, Delivery> deliveries() {
    Map<Long, Delivery> deliveries = new LinkedHashMap<>();
    partitions.forEach(
        (id, arriving) ->
            deliveries.put(id, arriving.partition().with(arriving.draft().unbroken())));
    return deliveries;
  }

  /** The messages of one partition. They come in no certain order. */
  static final class Draft {
    private final long after;
    private final long last;
    private final NavigableMap<Long, StoredMessage> messages = new TreeMap<>();

    Draft(long after, int limit) {
      this.after = after;
      this.last = after + limit;
    }

    void add(Row row) throws SQLException {
      long seq = row.number("seq");
      long id = row.number("id");
      int n = (int) row.number("n");
      List<MessageBody> bodies = bodies(row, n);
      for (int place = 0; place < n; place++) {
        long number = seq - n + 1 + place;
        if (number > after && number <= last) {
          MessageBody body = bodies.isEmpty() ? null : bodies.get(place);
          messages.put(number, new StoredMessage(number, Parcel.id(id, place), body));
        }
      }
    }

    /** None if the row is not there, or damaged. */
    private static List<MessageBody> bodies(Row row, int n) throws SQLException {
      if (row.textOrNull("type") == null) {
        return List.of();
      }
      MessageBody body = MessageStore.body(row);
      boolean packed = body.type().isEmpty();
      return packed ? PackedMessages.unpack(body.payload(), n, body.createdAt()) : List.of(body);
    }

    List<StoredMessage> messages() {
      return new ArrayList<>(messages.values());
    }

    /** What follows a missing number is not read yet, as it may be in a slot that was left out. */
    List<StoredMessage> unbroken() {
      List<StoredMessage> unbroken = new ArrayList<>();
      for (StoredMessage message : messages.values()) {
        if (!unbroken.isEmpty() && message.seq() != messages.firstKey() + unbroken.size()) {
          break;
        }
        unbroken.add(message);
      }
      return unbroken;
    }
  }
}

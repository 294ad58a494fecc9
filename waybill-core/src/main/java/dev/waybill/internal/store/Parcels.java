package dev.waybill.internal.store;

import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of several partitions, of each as many as are not too large together (MySQL
 * and MariaDB). Drivers there hold a whole answer in memory, so what is large is first only
 * measured; what is small comes at once.
 */
final class Parcels {
  /** How a partition stands is told in a row with this for a number. */
  private static final long STANDING = -2;

  private static final long NOT_OURS = -1;

  /**
   * What is to be read of a partition.
   *
   * @param after the number before the first
   */
  record Wanted(long partitionId, long after, int messages) {
    long last() {
      return after + messages;
    }
  }

  /**
   * How a partition stands.
   *
   * @param epoch of its lease if that is the reader's, else none that there is
   */
  record Standing(long sequence, int parked, long processedSeq, long epoch) {
    private static final Standing UNKNOWN = new Standing(0, 0, 0, NOT_OURS);

    static Standing of(Row row) throws SQLException {
      return new Standing(
          row.number("id"), (int) row.number("n"), row.number("created_at"), row.number("bytes"));
    }
  }

  /** A row as it came. */
  private static final class Found {
    private final long row;
    private final long last;
    private final int n;
    private final String type;
    private final @Nullable String key;
    private final @Nullable String headers;
    private final Instant createdAt;
    private final long bytes;
    private byte @Nullable [] payload;
    private @Nullable List<MessageBody> bodies;

    Found(Row from) throws SQLException {
      row = from.number("id");
      last = from.number("seq");
      n = (int) from.number("n");
      type = from.text("type");
      key = from.textOrNull("message_key");
      headers = from.textOrNull("headers");
      createdAt = from.time("created_at");
      bytes = from.number("bytes");
      payload = from.bytesOrNull("payload");
    }

    StoredMessage at(long seq) {
      int place = (int) (seq - (last - n + 1));
      return new StoredMessage(seq, Parcel.id(row, place), body(place));
    }

    private @Nullable MessageBody body(int place) {
      if (payload == null) {
        return null;
      }
      if (n == 1) {
        return new MessageBody(type, payload, HeaderLines.read(headers), key, createdAt);
      }
      if (bodies == null) {
        bodies = PackedMessages.unpack(payload, n, createdAt);
      }
      return bodies.isEmpty() ? null : bodies.get(place);
    }

    /** How large one of its messages is, about. */
    long share() {
      return bytes / n;
    }
  }

  private final Map<Long, Standing> standings = new HashMap<>();

  /** By partition, and there by their last numbers. */
  private final Map<Long, NavigableMap<Long, Found>> found = new HashMap<>();

  private Parcels() {}

  /** Reads what is wanted of partitions that stand as is known. */
  static Parcels read(Tx tx, List<Wanted> wanted, Map<Long, Standing> standings) {
    Parcels parcels = new Parcels();
    parcels.standings.putAll(standings);
    if (!wanted.isEmpty()) {
      parcels.read(tx, tx.sql("outbox_read_rows"), wanted);
    }
    return parcels;
  }

  /**
   * The same, and finds out how they stand.
   *
   * @param owner who reads; null if he has no leases
   */
  static Parcels readOn(Tx tx, @Nullable String owner, List<Wanted> wanted) {
    Parcels parcels = new Parcels();
    long[] partitions = wanted.stream().mapToLong(Wanted::partitionId).toArray();
    Query query =
        tx.sql("outbox_read_rows_on")
            .set("partitions", PackedIds.json(partitions))
            .set("owner", owner);
    parcels.read(tx, query, wanted);
    return parcels;
  }

  private void read(Tx tx, Query query, List<Wanted> wanted) {
    int most = wanted.stream().mapToInt(Wanted::messages).max().orElse(1);
    long limit = most == 1 ? Integer.MAX_VALUE : MessageStore.MOST_BYTES / most;
    for (Wanted each : wanted) {
      long before = each.last() + Parcel.MOST_MESSAGES;
      query.row(limit, each.partitionId(), each.after(), before, each.last(), each.messages());
    }
    query.list(
        row -> {
          long partition = row.number("partition_id");
          long seq = row.number("seq");
          if (seq == STANDING) {
            standings.put(partition, Standing.of(row));
          } else {
            found.computeIfAbsent(partition, id -> new TreeMap<>()).put(seq, new Found(row));
          }
          return seq;
        });
    large(tx, wanted);
  }

  /** Those that were only measured, as far as they fit. */
  private void large(Tx tx, List<Wanted> wanted) {
    Map<Long, Found> left = new HashMap<>();
    for (Wanted each : wanted) {
      NavigableMap<Long, Found> rows = found.getOrDefault(each.partitionId(), new TreeMap<>());
      for (StoredMessage message : messages(each)) {
        Found row = covering(rows, message.seq());
        if (row != null && row.payload == null) {
          left.put(row.row, row);
        }
      }
    }
    if (!left.isEmpty()) {
      Query query = tx.sql("outbox_read_bodies");
      left.keySet().forEach(query::row);
      query.list(
          row -> {
            long id = row.number("id");
            Found large = left.get(id);
            if (large != null) {
              large.payload = row.bytes("payload");
            }
            return id;
          });
    }
  }

  private static @Nullable Found covering(NavigableMap<Long, Found> rows, long seq) {
    Map.Entry<Long, Found> at = rows.ceilingEntry(seq);
    return at == null || at.getKey() - at.getValue().n >= seq ? null : at.getValue();
  }

  /** How a partition stands. */
  Standing standing(long partitionId) {
    return standings.getOrDefault(partitionId, Standing.UNKNOWN);
  }

  /**
   * As many as are not too large together; always the first. A number that was given and has no row
   * stands there without a body.
   */
  List<StoredMessage> messages(Wanted wanted) {
    NavigableMap<Long, Found> rows = found.getOrDefault(wanted.partitionId(), new TreeMap<>());
    long last = Math.min(wanted.last(), standing(wanted.partitionId()).sequence());
    List<StoredMessage> messages = new ArrayList<>();
    long bytes = 0;
    for (long seq = wanted.after() + 1; seq <= last; seq++) {
      Found row = covering(rows, seq);
      bytes += row == null ? 0 : row.share();
      if (!messages.isEmpty() && bytes > MessageStore.MOST_BYTES) {
        break;
      }
      messages.add(row == null ? new StoredMessage(seq, 0, null) : row.at(seq));
    }
    return messages;
  }
}

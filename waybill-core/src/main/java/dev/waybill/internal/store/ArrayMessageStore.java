package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** PostgreSQL: every step is one statement, its rows bound as arrays. */
final class ArrayMessageStore extends MessageStore {
  ArrayMessageStore(Database database) {
    super(database);
  }

  @Override
  public long[] enqueue(Tx tx, List<NewMessage> messages) {
    boolean delayed = messages.stream().anyMatch(NewMessage::isDelayed);
    int n = messages.size();
    long[] partitions = new long[n];
    List<@Nullable String> types = new ArrayList<>(n);
    List<@Nullable String> keys = new ArrayList<>(n);
    List<@Nullable String> headers = new ArrayList<>(n);
    List<byte[]> payloads = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      NewMessage message = messages.get(i);
      partitions[i] = message.partitionId();
      types.add(message.type());
      keys.add(message.key());
      headers.add(HeaderLines.write(message.headers()));
      payloads.add(message.payload());
    }
    Query query =
        tx.sql(delayed ? "outbox_enqueue_delayed" : "outbox_enqueue")
            .longs("partitions", partitions)
            .texts("types", types)
            .texts("keys", keys)
            .texts("headers", headers)
            .blobs("payloads", payloads);
    if (delayed) {
      due(query, messages);
    }
    return query.list(row -> row.number("id")).stream().mapToLong(Long::longValue).toArray();
  }

  private static void due(Query query, List<NewMessage> messages) {
    List<@Nullable Long> dueAts = new ArrayList<>(messages.size());
    List<@Nullable Long> delays = new ArrayList<>(messages.size());
    for (NewMessage message : messages) {
      Instant dueAt = message.dueAt();
      Duration delay = message.delay();
      dueAts.add(dueAt == null ? null : ChronoUnit.MICROS.between(Instant.EPOCH, dueAt));
      delays.add(delay == null ? null : micros(delay));
    }
    query.longs("due_ats", dueAts).longs("delays", delays);
  }

  @Override
  public Map<Long, Integer> promote(int messages) {
    return database()
        .single(tx -> counts(tx.sql("outbox_promote").set("messages", messages), "partition_id"));
  }

  @Override
  public Map<Long, Integer> sequence(long[] partitions, int messages) {
    return database()
        .single(
            tx ->
                counts(
                    tx.sql("outbox_sequence")
                        .longs("partitions", partitions)
                        .set("messages", messages)
                        .set("segment", SEGMENT),
                    "id"));
  }

  private static Map<Long, Integer> counts(Query query, String column) {
    Map<Long, Integer> counts = new LinkedHashMap<>();
    query.list(row -> counts.put(row.number(column), (int) row.number("n")));
    return counts;
  }

  @Override
  public Optional<Delivery> lease(long partitionId, String owner, Duration duration, int messages) {
    return database()
        .single(
            tx ->
                delivery(
                    tx.sql("outbox_lease_take")
                        .set("partition_id", partitionId)
                        .set("owner", owner)
                        .set("duration", micros(duration)),
                    messages));
  }

  @Override
  public Optional<Delivery> next(Lease lease, long processedSeq, int messages) {
    return database()
        .single(
            tx ->
                delivery(
                    fenced(tx.sql("outbox_lease_next"), lease)
                        .set("processed_seq", processedSeq)
                        .set("duration", micros(lease.duration())),
                    messages));
  }

  @Override
  public Optional<Delivery> lock(Tx tx, long partitionId, int messages) {
    return delivery(tx.sql("outbox_cursor_take").set("partition_id", partitionId), messages);
  }

  /** The partition's part is repeated in every row; a row without a message has only that. */
  private static Optional<Delivery> delivery(Query query, int limit) {
    record Line(Delivery partition, @Nullable StoredMessage message) {}
    List<Line> lines =
        query
            .set("messages", limit)
            .set("bytes", MOST_BYTES)
            .list(
                row -> {
                  Long seq = row.numberOrNull("seq");
                  return new Line(
                      new Delivery(
                          row.number("processed_seq"),
                          (int) row.number("attempts"),
                          row.number("lease_epoch"),
                          row.number("sequence"),
                          (int) row.number("parked"),
                          List.of()),
                      seq == null
                          ? null
                          : new StoredMessage(
                              seq,
                              row.number("id"),
                              row.textOrNull("type") == null ? null : body(row)));
                });
    if (lines.isEmpty()) {
      return Optional.empty();
    }
    List<StoredMessage> messages = new ArrayList<>(lines.size());
    for (Line line : lines) {
      StoredMessage message = line.message();
      if (message != null) {
        messages.add(message);
      }
    }
    Delivery first = lines.get(0).partition();
    return Optional.of(
        new Delivery(
            first.processedSeq(),
            first.attempts(),
            first.epoch(),
            first.sequence(),
            first.parked(),
            messages));
  }

  @Override
  public Vacuumed vacuum(long partitionId, Duration retention, int segments) {
    return database()
        .single(
            tx ->
                tx.sql("outbox_vacuum_piece")
                    .set("partition_id", partitionId)
                    .set("retention", micros(retention))
                    .set("segments", segments)
                    .one(
                        row -> new Vacuumed((int) row.number("segments"), row.number("messages"))));
  }
}

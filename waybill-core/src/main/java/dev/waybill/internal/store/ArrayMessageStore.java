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
  public Map<Long, Delivery> round(String owner, List<LeaseRequest> requests) {
    if (requests.size() == 1) {
      LeaseRequest only = requests.get(0);
      return alone(owner, only)
          .map(delivery -> Map.of(only.partitionId(), delivery))
          .orElse(Map.of());
    }
    var round = new RoundParameters(requests);
    return database()
        .single(
            tx ->
                deliveries(
                    round
                        .bind(tx.sql("outbox_lease_round"))
                        .set("owner", owner)
                        .set("segment", SEGMENT)
                        .set("bytes", MOST_BYTES)));
  }

  /** One partition needs less of a statement than several. */
  private Optional<Delivery> alone(String owner, LeaseRequest request) {
    if (request instanceof LeaseRequest.Take take) {
      return lease(take.partitionId(), owner, take.duration(), take.messages());
    }
    if (request instanceof LeaseRequest.Next next) {
      return next(next.lease(), next.processedSeq(), next.messages());
    }
    var end = (LeaseRequest.End) request;
    return end(end.lease(), end.move(), List.of()) ? Optional.of(Delivery.NONE) : Optional.empty();
  }

  @Override
  public Optional<Delivery> lock(Tx tx, long partitionId, int messages) {
    return delivery(tx.sql("outbox_cursor_take").set("partition_id", partitionId), messages);
  }

  private static Optional<Delivery> delivery(Query query, int limit) {
    return deliveries(query.set("messages", limit).set("segment", SEGMENT).set("bytes", MOST_BYTES))
        .values()
        .stream()
        .findFirst();
  }

  /** The partition's part is repeated in every row; a row without a message has only that. */
  private static Map<Long, Delivery> deliveries(Query query) {
    Map<Long, Draft> drafts = new LinkedHashMap<>();
    query.list(
        row -> {
          long partitionId = row.number("partition_id");
          Draft draft = drafts.get(partitionId);
          if (draft == null) {
            draft =
                new Draft(
                    row.number("processed_seq"),
                    (int) row.number("attempts"),
                    row.number("lease_epoch"),
                    row.number("sequence"),
                    (int) row.number("parked"),
                    new ArrayList<>());
            drafts.put(partitionId, draft);
          }
          Long seq = row.numberOrNull("seq");
          if (seq != null) {
            MessageBody body = row.textOrNull("type") == null ? null : body(row);
            draft.messages().add(new StoredMessage(seq, row.number("id"), body));
          }
          return draft;
        });
    Map<Long, Delivery> deliveries = new LinkedHashMap<>();
    drafts.forEach((partitionId, draft) -> deliveries.put(partitionId, draft.delivery()));
    return deliveries;
  }

  /** A delivery whose messages are still being read. */
  private record Draft(
      long processedSeq,
      int attempts,
      long epoch,
      long sequence,
      int parked,
      List<StoredMessage> messages) {
    Delivery delivery() {
      return new Delivery(processedSeq, attempts, epoch, sequence, parked, messages);
    }
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

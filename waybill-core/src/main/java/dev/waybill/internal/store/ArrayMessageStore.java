package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL: every step is one statement, its rows bound as arrays. It names only the slots that
 * it is to use, as the last statement told; {@link Rotation} changes them.
 */
final class ArrayMessageStore extends MessageStore {
  private volatile @Nullable Slots known;

  ArrayMessageStore(Database database) {
    super(database);
  }

  /** The slots in use, asked for once; after that every statement tells the latest. */
  private Slots slots(Tx tx) {
    Slots slots = known;
    return slots != null ? slots : learnt(tx.sql("outbox_slots").one(row -> row.number("slots")));
  }

  private Slots slots() {
    Slots slots = known;
    return slots != null ? slots : database().single(this::slots);
  }

  private Slots learnt(long number) {
    Slots slots = known;
    if (slots == null || slots.number() != number) {
      slots = Slots.of(number);
      known = slots;
    }
    return slots;
  }

  @Override
  public long[] enqueue(Tx tx, List<NewMessage> messages) {
    boolean delayed = messages.stream().anyMatch(NewMessage::isDelayed);
    int n = messages.size();
    if (n == 1 && !delayed) {
      return new long[] {enqueueOne(tx, messages.get(0))};
    }
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
    Slots slots = slots(tx);
    Query query =
        tx.sql(delayed ? "outbox_enqueue_delayed" : "outbox_enqueue", slots.written())
            .set("head", slots.head())
            .set("head_" + slots.head(), slots.head())
            .set("intake_" + slots.intake(), slots.intake())
            .longs("partitions", partitions)
            .texts("types", types)
            .texts("keys", keys)
            .texts("headers", headers)
            .blobs("payloads", payloads);
    if (delayed) {
      due(query, messages);
    } else {
      query.set("segment", SEGMENT);
    }
    long[] ids = new long[n];
    int[] at = {0};
    query.list(
        row -> {
          ids[at[0]++] = row.number("id");
          return learnt(row.number("slots"));
        });
    return ids;
  }

  /** What producers do most: without arrays and sorting that is cheaper. */
  private long enqueueOne(Tx tx, NewMessage message) {
    Slots slots = slots(tx);
    return tx.sql("outbox_enqueue_one", slots.writtenOne())
        .set("head", slots.head())
        .set("head_" + slots.head(), slots.head())
        .set("intake_" + slots.intake(), slots.intake())
        .set("partition", message.partitionId())
        .set("type", message.type())
        .set("key", message.key())
        .set("headers", HeaderLines.write(message.headers()))
        .set("payload", message.payload())
        .one(
            row -> {
              learnt(row.number("slots"));
              return row.number("id");
            });
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
    Slots slots = slots();
    String intake = "intake_" + slots.intake();
    return database()
        .single(
            tx ->
                counts(
                    tx.sql("outbox_promote", Set.of(intake))
                        .set(intake, slots.intake())
                        .set("messages", messages),
                    "partition_id"));
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

  @Override
  public Numbered sequence(
      long[] partitions, int messages, String owner, List<LeaseRequest.Take> wanted) {
    return database()
        .single(
            tx ->
                numbered(
                    tx.sql("outbox_sequence_take")
                        .longs("partitions", partitions)
                        .set("messages", messages)
                        .set("segment", SEGMENT)
                        .longs("wanted", longs(wanted, LeaseRequest.Take::partitionId))
                        .longs("durations", longs(wanted, take -> micros(take.duration())))
                        .longs("limits", longs(wanted, LeaseRequest.Take::messages))
                        .set("owner", owner)
                        .set("bytes", MOST_BYTES)));
  }

  @Override
  public Optional<Delivery> depart(Tx tx, long[] ids, String owner, LeaseRequest.Take wanted) {
    Slots slots = slots(tx);
    Map<Long, Draft> drafts = new LinkedHashMap<>();
    tx.sql("outbox_depart", slots.departing())
        .set("head", slots.head())
        .set("head_" + slots.head(), slots.head())
        .set("intake_" + slots.intake(), slots.intake())
        .set("partition", wanted.partitionId())
        .set("n", ids.length)
        .longs("ids", ids)
        .set("owner", owner)
        .set("duration", micros(wanted.duration()))
        .list(row -> drafted(drafts, row));
    return finished(drafts).values().stream().findFirst();
  }

  private static long[] longs(
      List<LeaseRequest.Take> wanted, ToLongFunction<LeaseRequest.Take> number) {
    return wanted.stream().mapToLong(number).toArray();
  }

  /** A row without a lease tells only how many messages the partition got. */
  private Numbered numbered(Query query) {
    Map<Long, Integer> counts = new LinkedHashMap<>();
    Map<Long, Draft> drafts = new LinkedHashMap<>();
    query.list(
        row -> {
          counts.put(row.number("partition_id"), (int) row.number("n"));
          if (row.numberOrNull("lease_epoch") != null) {
            drafted(drafts, row);
          }
          return counts;
        });
    return new Numbered(counts, finished(drafts));
  }

  private static Map<Long, Integer> counts(Query query, String column) {
    Map<Long, Integer> counts = new LinkedHashMap<>();
    query.list(row -> counts.put(row.number(column), (int) row.number("n")));
    return counts;
  }

  @Override
  public Optional<Delivery> lease(long partitionId, String owner, Duration duration, int messages) {
    Slots slots = slots();
    return database()
        .single(
            tx ->
                delivery(
                    reading(tx, "outbox_lease_take", slots, partitionId)
                        .set("owner", owner)
                        .set("duration", micros(duration)),
                    messages))
        .map(found -> whole(found, slots, partitionId, messages));
  }

  @Override
  public Optional<Delivery> next(Lease lease, long processedSeq, int messages) {
    Slots slots = slots();
    return database()
        .single(
            tx ->
                delivery(
                    fenced(reading(tx, "outbox_lease_next", slots, lease.partitionId()), lease)
                        .set("processed_seq", processedSeq)
                        .set("duration", micros(lease.duration())),
                    messages))
        .map(found -> whole(found, slots, lease.partitionId(), messages));
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
    if (requests.stream().allMatch(LeaseRequest.End.class::isInstance)) {
      return ended(owner, round);
    }
    Slots slots = slots();
    Map<Long, Delivery> found =
        database()
            .single(
                tx ->
                    deliveries(
                        round.bind(reading(tx, "outbox_lease_round", slots)).set("owner", owner)));
    for (LeaseRequest request : requests) {
      int messages = request.messages();
      if (messages > 0) {
        found.computeIfPresent(
            request.partitionId(), (id, delivery) -> whole(delivery, slots, id, messages));
      }
    }
    return found;
  }

  private Map<Long, Delivery> ended(String owner, RoundParameters round) {
    Map<Long, Delivery> ended = new LinkedHashMap<>();
    database()
        .single(
            tx ->
                round
                    .bindEnds(tx.sql("outbox_lease_ends"))
                    .set("owner", owner)
                    .list(row -> ended.put(row.number("partition_id"), Delivery.NONE)));
    return ended;
  }

  @Override
  boolean endedAlone(Tx tx, Lease lease, CursorMove move) {
    return !moved(fenced(tx.sql("outbox_lease_end_alone"), lease), move).list(row -> 1).isEmpty();
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
    Slots slots = slots(tx);
    return delivery(reading(tx, "outbox_cursor_take", slots, partitionId), messages)
        .map(
            found ->
                isWhole(found, slots) ? found : again(tx, found, slots, partitionId, messages));
  }

  private Delivery whole(Delivery found, Slots slots, long partitionId, int messages) {
    return isWhole(found, slots)
        ? found
        : database().single(tx -> again(tx, found, slots, partitionId, messages));
  }

  /** A number that should be there and is not may be in a slot that was left out. */
  private static boolean isWhole(Delivery found, Slots slots) {
    long next = found.processedSeq() + 1;
    return slots.unread() == 0
        || next > found.sequence()
        || (!found.messages().isEmpty() && found.messages().get(0).seq() == next);
  }

  private static Delivery again(
      Tx tx, Delivery found, Slots slots, long partitionId, int messages) {
    // What was numbered after the lease was taken may not be durable yet.
    return withMessages(
        found,
        read(tx, slots, partitionId, found.processedSeq(), messages).stream()
            .filter(message -> message.seq() <= found.sequence())
            .toList());
  }

  private static List<StoredMessage> read(
      Tx tx, Slots slots, long partitionId, long after, int messages) {
    return reading(tx, "outbox_read", slots.all(), partitionId)
        .set("processed_seq", after)
        .set("messages", messages)
        .set("bytes", MOST_BYTES)
        .list(ArrayMessageStore::message);
  }

  @Override
  public Delivery peek(long partitionId, long after, int messages) {
    Slots slots = slots();
    return look(
        tx -> {
          PartitionState state = state(tx, partitionId);
          long from = Math.max(after, state.processedSeq());
          return state.with(read(tx, slots, partitionId, from, messages));
        });
  }

  private static Query reading(Tx tx, String statement, Slots slots, long partitionId) {
    return reading(tx, statement, slots).set("partition_id", partitionId);
  }

  private static Query reading(Tx tx, String statement, Slots slots) {
    Set<String> given = new HashSet<>(Set.of("partition_id", "messages", "segment"));
    slots.read().forEach(slot -> given.add("slot_" + slot));
    Query query = tx.sql(statement, given).set("segment", SEGMENT);
    slots.read().forEach(slot -> query.set("slot_" + slot, slot));
    return query;
  }

  private Optional<Delivery> delivery(Query query, int limit) {
    return deliveries(query.set("messages", limit)).values().stream().findFirst();
  }

  /** The partition's part is repeated in every row; a row without a message has only that. */
  private Map<Long, Delivery> deliveries(Query query) {
    Map<Long, Draft> drafts = new LinkedHashMap<>();
    query.set("bytes", MOST_BYTES).list(row -> drafted(drafts, row));
    return finished(drafts);
  }

  private Draft drafted(Map<Long, Draft> drafts, Row row) throws SQLException {
    long partitionId = row.number("partition_id");
    Draft draft = drafts.get(partitionId);
    if (draft == null) {
      learnt(row.number("slots"));
      draft = new Draft(partition(row), new ArrayList<>());
      drafts.put(partitionId, draft);
    }
    if (row.numberOrNull("seq") != null) {
      draft.add(message(row));
    }
    return draft;
  }

  private static Map<Long, Delivery> finished(Map<Long, Draft> drafts) {
    Map<Long, Delivery> deliveries = new LinkedHashMap<>();
    drafts.forEach(
        (partitionId, draft) ->
            deliveries.put(partitionId, withMessages(draft.partition(), draft.messages())));
    return deliveries;
  }

  /** A delivery whose messages are still being read. */
  private record Draft(Delivery partition, List<StoredMessage> messages) {
    /** What follows a missing number is not read yet: see {@link #isWhole}. */
    void add(StoredMessage message) {
      if (messages.isEmpty() || messages.get(messages.size() - 1).seq() + 1 == message.seq()) {
        messages.add(message);
      }
    }
  }

  private static Delivery partition(Row row) throws SQLException {
    return new Delivery(
        row.number("processed_seq"),
        (int) row.number("attempts"),
        row.number("lease_epoch"),
        row.number("sequence"),
        (int) row.number("parked"),
        List.of());
  }

  private static StoredMessage message(Row row) throws SQLException {
    return new StoredMessage(
        row.number("seq"), row.number("id"), row.textOrNull("type") == null ? null : body(row));
  }

  private static Delivery withMessages(Delivery found, List<StoredMessage> messages) {
    return new Delivery(
        found.processedSeq(),
        found.attempts(),
        found.epoch(),
        found.sequence(),
        found.parked(),
        messages);
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

  /** Nothing waits if its row was written anew after this transaction's snapshot was taken. */
  @Override
  public Head look(Tx tx, long partitionId, int messages) {
    return tx.sql("outbox_state")
        .set("partition_id", partitionId)
        .first(MessageStore::stateOf)
        .map(state -> look(tx, partitionId, state, messages))
        .orElse(new Head(0, 0, Map.of()));
  }

  private static Head look(Tx tx, long partitionId, PartitionState state, int messages) {
    Map<Long, Boolean> bodies = new HashMap<>();
    tx.sql("outbox_look")
        .set("partition_id", partitionId)
        .set("processed_seq", state.processedSeq())
        .set("messages", messages)
        .set("segment", SEGMENT)
        .list(row -> bodies.put(row.number("seq"), row.flag("body")));
    return new Head(state.processedSeq(), state.sequence(), bodies);
  }
}

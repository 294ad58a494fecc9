package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/**
 * PostgreSQL: every step is one statement, its rows bound as arrays. It names only the slots that
 * it is to use, as the last statement told; {@link Rotation} changes them.
 */
final class ArrayMessageStore extends MessageStore {
  /** How many messages a row of outgoing has at most: the last of its rows begins in time. */
  static final int LONGEST = SEGMENT + Parcel.MOST_MESSAGES - 1;

  /** Rows that no statement reads: makes plans for this number dearer than any for a few slots. */
  private static final int KEEP_PLAN = 2_000_000;

  private final KnownSlots known;
  private final ArrayIntake intake;

  ArrayMessageStore(Database database) {
    super(database);
    known = new KnownSlots(database);
    intake = new ArrayIntake(known);
  }

  @Override
  public long idsAtATime() {
    return database().single(tx -> tx.sql("outbox_message_cache").one(row -> row.number("cache")));
  }

  @Override
  public long[] enqueue(Tx tx, List<NewMessage> messages) {
    return intake.enqueue(tx, messages, query -> query);
  }

  @Override
  public long[] enqueueLast(Tx tx, List<NewMessage> messages) {
    return intake.enqueue(tx, messages, Query::andCommit);
  }

  @Override
  public Map<Long, Integer> promote(int messages) {
    Slots slots = known.now();
    String to = "intake_" + slots.intake();
    return database()
        .single(
            tx ->
                counts(
                    tx.sql("outbox_promote", Set.of(to))
                        .set(to, slots.intake())
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
                        .set("segment", SEGMENT)
                        .set("keep_plan", KEEP_PLAN),
                    "id"));
  }

  @Override
  public Numbered sequence(
      long[] partitions, int messages, String owner, List<LeaseRequest.Take> wanted) {
    Map<Long, Integer> limits = new HashMap<>();
    wanted.forEach(take -> limits.put(take.partitionId(), take.messages()));
    return database()
        .single(
            tx ->
                numbered(
                    new Drafts(limits),
                    tx.sql("outbox_sequence_take")
                        .longs("partitions", partitions)
                        .set("messages", messages)
                        .set("segment", SEGMENT)
                        .set("keep_plan", KEEP_PLAN)
                        .longs("wanted", longs(wanted, LeaseRequest.Take::partitionId))
                        .longs("durations", longs(wanted, take -> micros(take.duration())))
                        .longs("limits", longs(wanted, LeaseRequest.Take::messages))
                        .set("owner", owner)
                        .set("bytes", MOST_BYTES)));
  }

  @Override
  public Optional<Delivery> depart(Tx tx, long[] ids, String owner, LeaseRequest.Take wanted) {
    Slots slots = known.in(tx);
    Drafts drafts = new Drafts(Map.of(wanted.partitionId(), ids.length));
    tx.sql("outbox_depart", slots.departing())
        .set("head", slots.head())
        .set("head_" + slots.head(), slots.head())
        .set("intake_" + slots.intake(), slots.intake())
        .set("partition", wanted.partitionId())
        .set("n", ids.length)
        .longs("ids", LongStream.of(ids).map(Parcel::row).toArray())
        .set("owner", owner)
        .set("duration", micros(wanted.duration()))
        .list(row -> drafted(drafts, row));
    return drafts.deliveries().values().stream().findFirst();
  }

  @Override
  public Departed departLast(Tx tx, NewMessage message, String owner, LeaseRequest.Take wanted) {
    return intake
        .departingLast(tx, message)
        .set("owner", owner)
        .set("duration", micros(wanted.duration()))
        .andCommit()
        .one(
            row -> {
              known.learnt(row);
              long id = Parcel.id(row.number("id"), 0);
              return row.numberOrNull("lease_epoch") == null
                  ? new Departed(id, Optional.empty())
                  : new Departed(id, Optional.of(departed(row, id, message)));
            });
  }

  /** The message need not be read back. */
  private static Delivery departed(Row row, long id, NewMessage message) throws SQLException {
    MessageBody body =
        new MessageBody(
            message.type(),
            message.payload().clone(),
            HeaderLines.read(HeaderLines.write(message.headers())),
            message.key(),
            row.time("created_at"));
    Delivery delivery = Drafts.partition(row);
    return delivery.with(List.of(new StoredMessage(delivery.sequence(), id, body)));
  }

  static <T> long[] longs(List<T> all, ToLongFunction<T> number) {
    return all.stream().mapToLong(number).toArray();
  }

  /** A row without a lease tells only how many messages the partition got. */
  private Numbered numbered(Drafts drafts, Query query) {
    Map<Long, Integer> counts = new LinkedHashMap<>();
    query.list(
        row -> {
          counts.put(row.number("partition_id"), (int) row.number("numbered"));
          if (row.numberOrNull("lease_epoch") != null) {
            drafted(drafts, row);
          }
          return counts;
        });
    return new Numbered(counts, drafts.deliveries());
  }

  private static Map<Long, Integer> counts(Query query, String column) {
    Map<Long, Integer> counts = new LinkedHashMap<>();
    query.list(row -> counts.put(row.number(column), (int) row.number("n")));
    return counts;
  }

  @Override
  public Optional<Delivery> lease(long partitionId, String owner, Duration duration, int messages) {
    Slots slots = known.now();
    return database()
        .single(
            tx ->
                delivery(
                    leasing(tx, "outbox_lease_take", slots)
                        .set("partition_id", partitionId)
                        .set("owner", owner)
                        .set("duration", micros(duration)),
                    partitionId,
                    messages))
        .map(found -> whole(found, slots, partitionId, messages));
  }

  @Override
  public Optional<Delivery> next(Lease lease, long processedSeq, int messages) {
    Slots slots = known.now();
    return database()
        .single(
            tx ->
                delivery(
                    fenced(
                            leasing(tx, "outbox_lease_next", slots)
                                .set("partition_id", lease.partitionId()),
                            lease)
                        .set("processed_seq", processedSeq)
                        .set("duration", micros(lease.duration())),
                    lease.partitionId(),
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
    Map<Long, Integer> limits = new HashMap<>();
    requests.forEach(request -> limits.put(request.partitionId(), request.messages()));
    Slots slots = known.now();
    Map<Long, Delivery> found =
        database()
            .single(
                tx ->
                    deliveries(
                        round.bind(leasing(tx, "outbox_lease_round", slots)).set("owner", owner),
                        limits));
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
    Slots slots = known.in(tx);
    return delivery(
            leasing(tx, "outbox_cursor_take", slots).set("partition_id", partitionId),
            partitionId,
            messages)
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
    return found.with(
        read(tx, slots, partitionId, found.processedSeq(), messages).stream()
            .filter(message -> message.seq() <= found.sequence())
            .toList());
  }

  private static List<StoredMessage> read(
      Tx tx, Slots slots, long partitionId, long after, int messages) {
    Drafts.Draft draft = new Drafts.Draft(after, messages);
    reading(tx, "outbox_read", slots.all(), partitionId)
        .set("processed_seq", after)
        .set("messages", messages)
        .set("bytes", MOST_BYTES)
        .list(
            row -> {
              draft.add(row);
              return draft;
            });
    return draft.messages();
  }

  @Override
  public Delivery peek(long partitionId, long after, int messages) {
    Slots slots = known.now();
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

  private static Query leasing(Tx tx, String statement, Slots slots) {
    return reading(tx, statement, slots).set("keep_plan", KEEP_PLAN);
  }

  private static Query reading(Tx tx, String statement, Slots slots) {
    Set<String> given = new HashSet<>(Set.of("partition_id", "messages", "longest"));
    slots.read().forEach(slot -> given.add("slot_" + slot));
    Query query = tx.sql(statement, given).set("longest", LONGEST);
    slots.read().forEach(slot -> query.set("slot_" + slot, slot));
    return query;
  }

  private Optional<Delivery> delivery(Query query, long partitionId, int limit) {
    return deliveries(query.set("messages", limit), Map.of(partitionId, limit)).values().stream()
        .findFirst();
  }

  private Map<Long, Delivery> deliveries(Query query, Map<Long, Integer> limits) {
    Drafts drafts = new Drafts(limits);
    query.set("bytes", MOST_BYTES).list(row -> drafted(drafts, row));
    return drafts.deliveries();
  }

  private Drafts drafted(Drafts drafts, Row row) throws SQLException {
    known.learnt(row);
    drafts.add(row);
    return drafts;
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
        .set("longest", LONGEST)
        .list(
            row -> {
              long last = row.number("seq");
              boolean body = row.flag("body");
              LongStream.rangeClosed(last - row.number("n") + 1, last)
                  .filter(seq -> seq > state.processedSeq())
                  .filter(seq -> seq <= state.processedSeq() + messages)
                  .forEach(seq -> bodies.put(seq, body));
              return last;
            });
    return new Head(state.processedSeq(), state.sequence(), bodies);
  }
}

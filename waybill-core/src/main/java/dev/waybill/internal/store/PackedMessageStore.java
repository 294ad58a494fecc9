package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * A database without arrays (SQLite): a step is several statements of one transaction, and the ids
 * of a segment are packed into bytes.
 */
abstract class PackedMessageStore extends MessageStore {
  /** Rows of one statement: below every limit on parameters, and a fair size for a packet. */
  private static final int MOST_ROWS = 1_000;

  /** A fraction of the smallest packet a server is likely to accept. */
  private static final long MOST_STATEMENT_BYTES = 1024L * 1024;

  private static final int FIRST_PAGE = 8;

  PackedMessageStore(Database database) {
    super(database);
  }

  @Override
  public long[] enqueue(Tx tx, List<NewMessage> messages) {
    return tx.wholly(() -> insert(tx, messages));
  }

  private long[] insert(Tx tx, List<NewMessage> messages) {
    long[] ids = new long[messages.size()];
    int from = 0;
    while (from < ids.length) {
      int to = endOfChunk(messages, from);
      List<NewMessage> chunk = messages.subList(from, to);
      Query bodies = tx.sql("outbox_body_insert");
      for (NewMessage message : chunk) {
        bodies.row(
            message.type(), message.key(), HeaderLines.write(message.headers()), message.payload());
      }
      long[] given = insert(tx, bodies, chunk.size());
      queue(tx, chunk, given);
      System.arraycopy(given, 0, ids, from, given.length);
      from = to;
    }
    return ids;
  }

  private static int endOfChunk(List<NewMessage> messages, int from) {
    long bytes = 0;
    int to = from;
    while (to < messages.size()
        && to - from < MOST_ROWS
        && (to == from || bytes + messages.get(to).payload().length <= MOST_STATEMENT_BYTES)) {
      bytes += messages.get(to).payload().length;
      to++;
    }
    return to;
  }

  /** Inserts bodies and gives their ids, in their order. */
  abstract long[] insert(Tx tx, Query bodies, int rows);

  private static void queue(Tx tx, List<NewMessage> messages, long[] ids) {
    Query incoming = tx.sql("outbox_incoming_insert");
    Query later = tx.sql("outbox_delayed_insert");
    int delayed = 0;
    for (int i = 0; i < ids.length; i++) {
      NewMessage message = messages.get(i);
      if (message.isDelayed()) {
        Duration delay = message.delay();
        later.row(
            message.dueAt(), delay == null ? null : micros(delay), ids[i], message.partitionId());
        delayed++;
      } else {
        incoming.row(message.partitionId(), ids[i]);
      }
    }
    if (delayed < ids.length) {
      incoming.update();
    }
    if (delayed > 0) {
      later.update();
    }
  }

  @Override
  public Map<Long, Integer> promote(int messages) {
    return transact(
        tx -> {
          List<Due> due = Due.first(tx, messages);
          Map<Long, Integer> counts = new LinkedHashMap<>();
          if (due.isEmpty()) {
            return counts;
          }
          Query incoming = tx.sql("outbox_incoming_insert");
          List<long[]> pairs = new ArrayList<>();
          for (Due each : due) {
            incoming.row(each.partitionId(), each.id());
            pairs.add(new long[] {each.dueAt(), each.id()});
            counts.merge(each.partitionId(), 1, Integer::sum);
          }
          UnderLock.expect(
              due.size(), tx.sql("outbox_due_delete").set("rows", json(pairs)).update());
          incoming.update();
          return counts;
        });
  }

  @Override
  public Map<Long, Integer> sequence(long[] partitions, int messages) {
    return transact(tx -> sequence(tx, partitions, messages));
  }

  Map<Long, Integer> sequence(Tx tx, long[] partitions, int messages) {
    Map<Long, Long> locked = UnderLock.partitions(tx, partitions);
    Map<Long, Integer> counts = new LinkedHashMap<>();
    if (locked.isEmpty()) {
      return counts;
    }
    Map<Long, List<Long>> chosen = choose(tx, locked.keySet(), messages);
    locked.keySet().forEach(id -> counts.put(id, chosen.getOrDefault(id, List.of()).size()));
    if (!chosen.isEmpty()) {
      number(tx, locked, chosen);
    }
    return counts;
  }

  /**
   * The lowest ids of each partition. In a statement of its own, after the lock: so it sees all
   * that was committed when the lock was had.
   */
  Map<Long, List<Long>> choose(Tx tx, Iterable<Long> partitions, int messages) {
    Query query = tx.sql("outbox_sequence_choose");
    partitions.forEach(partition -> query.row(partition, messages));
    return chosen(query);
  }

  static Map<Long, List<Long>> chosen(Query query) {
    Map<Long, List<Long>> chosen = new LinkedHashMap<>();
    query.list(
        row ->
            chosen
                .computeIfAbsent(row.number("partition_id"), id -> new ArrayList<>())
                .add(row.number("id")));
    chosen.values().forEach(ids -> ids.sort(null));
    return chosen;
  }

  private void number(Tx tx, Map<Long, Long> locked, Map<Long, List<Long>> chosen) {
    int taken = chosen.values().stream().mapToInt(List::size).sum();
    List<long[]> moved = new ArrayList<>();
    Query segments = tx.sql("outbox_outgoing_insert");
    chosen.forEach(
        (partition, list) -> {
          long[] ids = list.stream().mapToLong(Long::longValue).toArray();
          long before = Objects.requireNonNull(locked.get(partition), "locked");
          for (int from = 0; from < ids.length; from += SEGMENT) {
            int to = Math.min(ids.length, from + SEGMENT);
            segments.row(partition, before + to, to - from, PackedIds.pack(ids, from, to));
          }
          moved.add(new long[] {partition, before + ids.length});
        });
    UnderLock.expect(taken, remove(tx, chosen));
    segments.update();
    UnderLock.expect(
        moved.size(), tx.sql("outbox_sequence_move").set("rows", json(moved)).update());
  }

  /** Takes what was chosen out of the incoming ones, and says how many were there. */
  int remove(Tx tx, Map<Long, List<Long>> chosen) {
    List<long[]> pairs = new ArrayList<>();
    chosen.forEach((partition, ids) -> ids.forEach(id -> pairs.add(new long[] {partition, id})));
    return tx.sql("outbox_incoming_delete").set("rows", json(pairs)).update();
  }

  private static String json(List<long[]> pairs) {
    var text = new StringBuilder("[");
    for (long[] pair : pairs) {
      text.append(text.length() == 1 ? "[" : ",[").append(pair[0]).append(',').append(pair[1]);
      text.append(']');
    }
    return text.append(']').toString();
  }

  @Override
  public Optional<Delivery> lease(long partitionId, String owner, Duration duration, int messages) {
    return transact(tx -> lease(tx, partitionId, owner, duration, messages));
  }

  abstract Optional<Delivery> lease(
      Tx tx, long partitionId, String owner, Duration duration, int messages);

  @Override
  public Optional<Delivery> next(Lease lease, long processedSeq, int messages) {
    return transact(tx -> next(tx, lease, processedSeq, messages));
  }

  abstract Optional<Delivery> next(Tx tx, Lease lease, long processedSeq, int messages);

  @Override
  public Map<Long, Delivery> round(String owner, List<LeaseRequest> requests) {
    return transact(tx -> round(tx, owner, requests));
  }

  abstract Map<Long, Delivery> round(Tx tx, String owner, List<LeaseRequest> requests);

  @Override
  public Delivery peek(long partitionId, long after, int messages) {
    return look(tx -> read(tx, partitionId, after, messages));
  }

  Delivery read(Tx tx, long partitionId, int messages) {
    return read(tx, partitionId, 0, messages);
  }

  private Delivery read(Tx tx, long partitionId, long after, int messages) {
    PartitionState state = state(tx, partitionId);
    long from = Math.max(after, state.processedSeq());
    List<StoredMessage> places = places(tx, partitionId, from, messages);
    return state.with(places.isEmpty() ? places : withBodies(tx, places));
  }

  /** Segments may hold one message or two hundred, so they are read in growing pages. */
  private static List<StoredMessage> places(Tx tx, long partitionId, long cursor, int messages) {
    @SuppressWarnings("ArrayRecordComponent") // Read here, never compared.
    record Segment(long lastSeq, long[] ids) {}
    List<StoredMessage> places = new ArrayList<>();
    long after = cursor;
    for (int page = FIRST_PAGE; ; page *= 4) {
      List<Segment> segments =
          tx.sql("outbox_read_segments")
              .set("partition_id", partitionId)
              .set("processed_seq", after)
              .set("segments", page)
              .list(
                  row ->
                      new Segment(
                          row.number("last_seq"),
                          PackedIds.unpack(row.bytes("ids"), (int) row.number("n"))));
      for (Segment segment : segments) {
        long first = segment.lastSeq() - segment.ids().length + 1;
        for (int i = 0; i < segment.ids().length && places.size() < messages; i++) {
          if (first + i > cursor) {
            places.add(new StoredMessage(first + i, segment.ids()[i], null));
          }
        }
        after = segment.lastSeq();
      }
      if (segments.size() < page || places.size() >= messages) {
        return places;
      }
    }
  }

  /** As many as are not too large together; always the first. */
  abstract List<StoredMessage> withBodies(Tx tx, List<StoredMessage> places);

  @Override
  public Vacuumed vacuum(long partitionId, Duration retention, int segments) {
    return transact(
        tx ->
            tx.sql("outbox_vacuum_lock")
                .set("partition_id", partitionId)
                .first(row -> row.number("vacuumed_seq"))
                .map(from -> vacuum(tx, partitionId, from, retention, segments))
                .orElse(new Vacuumed(0, 0)));
  }

  private Vacuumed vacuum(Tx tx, long partitionId, long from, Duration retention, int segments) {
    long processed = state(tx, partitionId).processedSeq();
    Passed passed = passed(tx, new VacuumDue(partitionId, from, processed, retention), segments);
    if (passed.segments() > 0) {
      deleteBodies(tx, passed.ids());
    }
    return passed.vacuumed();
  }

  /** What was taken out of outgoing: the ids of bodies that nobody needs any more. */
  @SuppressWarnings("ArrayRecordComponent") // Read at once, never compared.
  record Passed(int segments, long[] ids) {
    Vacuumed vacuumed() {
      return new Vacuumed(segments, ids.length);
    }
  }

  /** Takes at most so many segments that the cursor has passed out of outgoing. */
  static Passed passed(Tx tx, VacuumDue due, int segments) {
    @SuppressWarnings("ArrayRecordComponent") // Read here, never compared.
    record Segment(long lastSeq, long[] ids) {}
    List<Segment> passed =
        tx.sql("outbox_vacuum_segments")
            .set("partition_id", due.partitionId())
            .set("vacuumed_seq", due.vacuumedSeq())
            .set("processed_seq", due.processedSeq())
            .set("retention", micros(due.retention()))
            .set("segments", segments)
            .list(
                row ->
                    new Segment(
                        row.number("last_seq"),
                        PackedIds.unpack(row.bytes("ids"), (int) row.number("n"))));
    if (!passed.isEmpty()) {
      long lastSeq = passed.get(passed.size() - 1).lastSeq();
      tx.sql("outbox_outgoing_delete")
          .set("partition_id", due.partitionId())
          .set("vacuumed_seq", due.vacuumedSeq())
          .set("last_seq", lastSeq)
          .update();
      tx.sql("outbox_vacuum_progress")
          .set("partition_id", due.partitionId())
          .set("vacuumed_seq", lastSeq)
          .update();
    }
    return new Passed(
        passed.size(), passed.stream().flatMapToLong(each -> LongStream.of(each.ids())).toArray());
  }

  void deleteBodies(Tx tx, long[] ids) {
    tx.sql("outbox_body_delete").set("ids", PackedIds.json(ids)).update();
  }

  @Override
  public Head look(Tx tx, long partitionId, int messages) {
    PartitionState state = state(tx, partitionId);
    List<StoredMessage> places = places(tx, partitionId, state.processedSeq(), messages);
    Set<Long> there = new HashSet<>();
    if (!places.isEmpty()) {
      Query query = tx.sql("outbox_look_bodies");
      places.forEach(place -> query.row(place.id()));
      query.list(row -> there.add(row.number("id")));
    }
    Map<Long, Boolean> bodies = new HashMap<>();
    places.forEach(place -> bodies.put(place.seq(), there.contains(place.id())));
    return new Head(state.processedSeq(), state.sequence(), bodies);
  }
}

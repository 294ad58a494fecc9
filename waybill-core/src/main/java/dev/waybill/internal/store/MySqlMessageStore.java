package dev.waybill.internal.store;

import dev.waybill.DatabaseException;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * MySQL and MariaDB: what one call enqueues into one partition is one row, which stays where it is
 * from the insert to the clean-up. To be numbered means that the row is told the number of its last
 * message.
 */
final class MySqlMessageStore extends MessageStore {
  /** Rows of one statement: below every limit on parameters, and a fair size for a packet. */
  private static final int MOST_ROWS = 1_000;

  /** A fraction of the smallest packet a server is likely to accept. */
  private static final long MOST_STATEMENT_BYTES = 1024L * 1024;

  /** A page of InnoDB takes two rows of this size. What is larger it would keep elsewhere. */
  private static final int MOST_PARCEL_BYTES = 7_000;

  /** Rows that are cleaned up for each segment that others would have. */
  private static final int CLEANED = 50;

  private final boolean returning;

  /** By how much ids grew when somebody last asked (MySQL). */
  private volatile long step = 1;

  MySqlMessageStore(Database database) {
    super(database);
    this.returning = database.dialect() == Dialect.MARIADB;
  }

  @Override
  public long[] enqueue(Tx tx, List<NewMessage> messages) {
    List<Parcel> parcels = Parcel.of(messages, MOST_PARCEL_BYTES);
    boolean single =
        endOfChunk(parcels, 0) == parcels.size()
            && messages.stream().noneMatch(NewMessage::isDelayed);
    return single ? insert(tx, messages, parcels) : tx.wholly(() -> insert(tx, messages, parcels));
  }

  private long[] insert(Tx tx, List<NewMessage> messages, List<Parcel> parcels) {
    long[] ids = new long[messages.size()];
    for (int from = 0; from < parcels.size(); ) {
      int to = endOfChunk(parcels, from);
      insert(tx, parcels.subList(from, to), ids);
      from = to;
    }
    return ids;
  }

  private static int endOfChunk(List<Parcel> parcels, int from) {
    long bytes = 0;
    int to = from;
    while (to < parcels.size()
        && to - from < MOST_ROWS
        && (to == from || bytes + parcels.get(to).bytes() <= MOST_STATEMENT_BYTES)) {
      bytes += parcels.get(to).bytes();
      to++;
    }
    return to;
  }

  private void insert(Tx tx, List<Parcel> parcels, long[] ids) {
    long[] rows = returning ? returned(tx, parcels) : reckoned(tx, parcels);
    Query later = tx.sql("outbox_delayed_insert");
    boolean delayed = false;
    for (int i = 0; i < rows.length; i++) {
      Parcel parcel = parcels.get(i);
      parcel.name(rows[i], ids);
      if (parcel.first().isDelayed()) {
        parcel.delay(later, rows[i]);
        delayed = true;
      }
    }
    if (delayed) {
      later.update();
    }
  }

  /** The ids of the rows as MariaDB tells them. They grow in the order of the rows. */
  private static long[] returned(Tx tx, List<Parcel> parcels) {
    Query insert = tx.sql("outbox_body_insert");
    parcels.forEach(parcel -> insert.row(parcel.row().toArray()));
    return insert.list(row -> row.number("id")).stream().mapToLong(id -> id).sorted().toArray();
  }

  /**
   * The ids of the rows on MySQL, which tells the first. It gives one statement a series of ids
   * without holes, whose steps are the session's, as clusters set them.
   */
  private long[] reckoned(Tx tx, List<Parcel> parcels) {
    boolean alone = parcels.size() == 1;
    long assumed = step;
    try {
      return reckoned(tx, parcels, alone ? null : assumed);
    } catch (DatabaseException e) {
      if (alone || !Tx.refused(e)) {
        throw e;
      }
      long real = tx.sql("outbox_body_step").one(row -> row.number("step"));
      if (real == assumed) {
        throw e;
      }
      step = real;
      return reckoned(tx, parcels, real);
    }
  }

  private static long[] reckoned(Tx tx, List<Parcel> parcels, @Nullable Long step) {
    Query insert = tx.sql("outbox_body_insert");
    for (Parcel parcel : parcels) {
      List<@Nullable Object> row = parcel.row();
      row.add(step);
      insert.row(row.toArray());
    }
    long first = insert.key();
    long each = step == null ? 0 : step;
    return LongStream.range(0, parcels.size()).map(k -> first + k * each).toArray();
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
          List<String> pairs = due.stream().map(each -> json(each.dueAt(), each.id())).toList();
          long[] ids = due.stream().mapToLong(Due::id).toArray();
          UnderLock.expect(
              due.size(), tx.sql("outbox_due_delete").set("rows", json(pairs)).update());
          tx.sql("outbox_due_release").set("ids", PackedIds.json(ids)).update();
          due.forEach(each -> counts.merge(each.partitionId(), 1, Integer::sum));
          return counts;
        });
  }

  @Override
  public Map<Long, Integer> sequence(long[] partitions, int messages) {
    return transact(tx -> sequence(tx, partitions, messages));
  }

  /**
   * In one transaction: nobody waits for the row of a cursor with that of its partition in hand.
   */
  @Override
  public Numbered sequence(
      long[] partitions, int messages, String owner, List<LeaseRequest.Take> wanted) {
    return transact(
        tx -> {
          Map<Long, Integer> counts = sequence(tx, partitions, messages);
          List<LeaseRequest> filled = new ArrayList<>(wanted);
          filled.removeIf(take -> counts.getOrDefault(take.partitionId(), 0) == 0);
          return new Numbered(
              counts, filled.isEmpty() ? Map.of() : MySqlCursors.round(tx, owner, filled));
        });
  }

  private Map<Long, Integer> sequence(Tx tx, long[] partitions, int messages) {
    Map<Long, Long> locked = UnderLock.partitions(tx, partitions);
    Map<Long, Integer> counts = new LinkedHashMap<>();
    if (locked.isEmpty()) {
      return counts;
    }
    Map<Long, NavigableSet<Waiting>> chosen = choose(tx, locked.keySet(), messages);
    List<String> changes = new ArrayList<>();
    int moved = 0;
    for (Map.Entry<Long, Long> partition : locked.entrySet()) {
      long sequence = partition.getValue();
      int count = 0;
      List<long[]> numbers = new ArrayList<>();
      for (Waiting each : chosen.getOrDefault(partition.getKey(), new TreeSet<>())) {
        if (count < messages) {
          count += each.n();
          numbers.add(new long[] {each.row(), sequence + count});
        }
      }
      for (long[] number : numbers) {
        changes.add(json(number[0], number[1], partition.getKey(), sequence + count));
      }
      moved += count > 0 ? 1 : 0;
      counts.put(partition.getKey(), count);
    }
    if (moved > 0) {
      UnderLock.expect(
          changes.size() + moved,
          tx.sql("outbox_sequence_number").set("rows", json(changes)).update());
    }
    return counts;
  }

  /** A row whose n messages have no numbers. */
  private record Waiting(long row, int n) implements Comparable<Waiting> {
    @Override
    public int compareTo(Waiting other) {
      return Long.compare(row, other.row);
    }
  }

  /**
   * The first rows of each partition. In a statement of its own, after the lock: so it sees all
   * that was committed when the lock was had.
   */
  private static Map<Long, NavigableSet<Waiting>> choose(
      Tx tx, Iterable<Long> partitions, int messages) {
    Query query = tx.sql("outbox_sequence_choose");
    partitions.forEach(partition -> query.row(partition, messages));
    Map<Long, NavigableSet<Waiting>> chosen = new HashMap<>();
    query.list(
        row ->
            chosen
                .computeIfAbsent(row.number("partition_id"), id -> new TreeSet<>())
                .add(new Waiting(row.number("id"), (int) row.number("n"))));
    return chosen;
  }

  private static String json(long... numbers) {
    return json(LongStream.of(numbers).mapToObj(Long::toString).toList());
  }

  private static String json(List<String> elements) {
    return "[" + String.join(",", elements) + "]";
  }

  @Override
  public Optional<Delivery> lease(long partitionId, String owner, Duration duration, int messages) {
    var take = new LeaseRequest.Take(partitionId, duration, messages);
    return Optional.ofNullable(round(owner, List.of(take)).get(partitionId));
  }

  @Override
  public Optional<Delivery> next(Lease lease, long processedSeq, int messages) {
    var next = new LeaseRequest.Next(lease, processedSeq, messages);
    return Optional.ofNullable(round(lease.owner(), List.of(next)).get(lease.partitionId()));
  }

  @Override
  public Map<Long, Delivery> round(String owner, List<LeaseRequest> requests) {
    if (MySqlCursors.areHeld(requests)) {
      try {
        return held(owner, requests);
      } catch (MySqlCursors.LeaseLost lost) {
        // Whose it was is found out one by one.
      }
    }
    return transact(tx -> MySqlCursors.round(tx, owner, requests));
  }

  /** One alone has nothing to be taken back with it, so its statements need no transaction. */
  private Map<Long, Delivery> held(String owner, List<LeaseRequest> requests) {
    if (requests.size() > 1) {
      return transact(tx -> MySqlCursors.held(tx, owner, requests));
    }
    boolean again = requests.get(0) instanceof LeaseRequest.Next;
    return database().apart(again, tx -> MySqlCursors.held(tx, owner, requests));
  }

  @Override
  public Optional<Delivery> lock(Tx tx, long partitionId, int messages) {
    return MySqlCursors.lock(tx, partitionId, messages);
  }

  @Override
  public Delivery peek(long partitionId, long after, int messages) {
    return look(
        tx -> {
          PartitionState state = state(tx, partitionId);
          var wanted =
              new Parcels.Wanted(partitionId, Math.max(after, state.processedSeq()), messages);
          return state.with(Parcels.readOn(tx, null, List.of(wanted)).messages(wanted));
        });
  }

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

  private static Vacuumed vacuum(
      Tx tx, long partitionId, long from, Duration retention, int segments) {
    record Passed(long row, long seq, int n, boolean due) {}
    List<Passed> passed =
        tx.sql("outbox_vacuum_passed")
            .set("partition_id", partitionId)
            .set("vacuumed_seq", from)
            .set("processed_seq", state(tx, partitionId).processedSeq())
            .set("retention", micros(retention))
            .set("rows", segments * CLEANED)
            .list(
                row ->
                    new Passed(
                        row.number("id"),
                        row.number("seq"),
                        (int) row.number("n"),
                        row.flag("due")));
    List<Passed> due = passed.stream().takeWhile(Passed::due).toList();
    if (due.isEmpty()) {
      return new Vacuumed(0, 0);
    }
    long[] rows = due.stream().mapToLong(Passed::row).toArray();
    tx.sql("outbox_body_delete").set("ids", PackedIds.json(rows)).update();
    tx.sql("outbox_vacuum_progress")
        .set("partition_id", partitionId)
        .set("vacuumed_seq", due.get(due.size() - 1).seq())
        .update();
    return new Vacuumed(
        (due.size() + CLEANED - 1) / CLEANED, due.stream().mapToLong(Passed::n).sum());
  }

  @Override
  public Head look(Tx tx, long partitionId, int messages) {
    PartitionState state = state(tx, partitionId);
    long after = state.processedSeq();
    long last = Math.min(after + messages, state.sequence());
    Map<Long, Boolean> there = new HashMap<>();
    LongStream.rangeClosed(after + 1, last).forEach(seq -> there.put(seq, false));
    tx.sql("outbox_look_rows")
        .set("partition_id", partitionId)
        .set("after", after)
        .set("before", last + Parcel.MOST_MESSAGES)
        .list(
            row -> {
              long seq = row.number("seq");
              LongStream.rangeClosed(seq - row.number("n") + 1, seq)
                  .forEach(each -> there.computeIfPresent(each, (number, known) -> true));
              return seq;
            });
    return new Head(after, state.sequence(), there);
  }
}

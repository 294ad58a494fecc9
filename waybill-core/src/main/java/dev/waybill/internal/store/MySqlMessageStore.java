package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * MySQL and MariaDB: each statement is a round trip, so all partitions of a round share theirs. The
 * rows are locked and read, what each request may do is decided here, and one statement writes it.
 * A row that somebody else has locked is left to him, unless we hold its lease: then it is waited
 * for.
 */
final class MySqlMessageStore extends PackedMessageStore {
  private static final int MOST_ATTEMPTS = Integer.MAX_VALUE;

  /** Stands for null, which MySQL does not take for a number. */
  private static final long NONE = -1;

  private final boolean returning;

  MySqlMessageStore(Database database) {
    super(database);
    this.returning = database.dialect() == Dialect.MARIADB;
  }

  /**
   * The server gives one statement a series of ids without holes; its steps are the session's, as
   * clusters set them. MariaDB tells with the insert where it begins.
   */
  @Override
  long[] insert(Tx tx, Query bodies, int rows) {
    record Series(long first, long step) {
      static Series of(Row row) throws SQLException {
        return new Series(row.number("first"), row.number("step"));
      }
    }
    Series series;
    if (returning) {
      series =
          bodies.list(Series::of).stream().min(Comparator.comparing(Series::first)).orElseThrow();
    } else {
      bodies.update();
      series = tx.sql("outbox_body_first").one(Series::of);
    }
    return LongStream.range(0, rows).map(k -> series.first + k * series.step).toArray();
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
          return new Numbered(counts, filled.isEmpty() ? Map.of() : round(tx, owner, filled));
        });
  }

  /** A partition's row as it was locked. */
  private record Cursor(
      long partitionId,
      long processedSeq,
      int attempts,
      long epoch,
      int parked,
      long sequence,
      boolean free,
      boolean ours) {
    static Cursor of(Row row) throws SQLException {
      return new Cursor(
          row.number("partition_id"),
          row.number("processed_seq"),
          (int) row.number("attempts"),
          row.number("lease_epoch"),
          (int) row.number("parked"),
          row.number("sequence"),
          row.flag("free"),
          row.flag("ours"));
    }

    boolean isLeasedBy(Lease lease) {
      return ours && epoch == lease.epoch();
    }

    Cursor taken() {
      int tried = Math.min(attempts, MOST_ATTEMPTS - 1) + 1;
      return new Cursor(partitionId, processedSeq, tried, epoch + 1, parked, sequence, false, true);
    }

    Cursor moved(long seq, int attempts) {
      return new Cursor(partitionId, seq, attempts, epoch, parked, sequence, free, ours);
    }

    Delivery with(List<StoredMessage> messages) {
      return new Delivery(processedSeq, attempts, epoch, sequence, parked, messages);
    }
  }

  /**
   * What becomes of a row.
   *
   * @param delay nobody tries again before it has passed; null if that stays as it is
   * @param lease how long it is leased; null if not
   * @param messages how many are to be read
   */
  private record Change(
      Cursor cursor, @Nullable Duration delay, @Nullable Duration lease, int messages) {
    String json() {
      return "[%d,%d,%d,%d,%d,%d]"
          .formatted(
              cursor.partitionId,
              cursor.processedSeq,
              cursor.attempts,
              cursor.epoch,
              delay == null ? NONE : micros(delay),
              lease == null ? NONE : micros(lease));
    }
  }

  @Override
  Optional<Delivery> lease(Tx tx, long partitionId, String owner, Duration duration, int messages) {
    var take = new LeaseRequest.Take(partitionId, duration, messages);
    return Optional.ofNullable(round(tx, owner, List.of(take)).get(partitionId));
  }

  @Override
  Optional<Delivery> next(Tx tx, Lease lease, long processedSeq, int messages) {
    var next = new LeaseRequest.Next(lease, processedSeq, messages);
    return Optional.ofNullable(round(tx, lease.owner(), List.of(next)).get(lease.partitionId()));
  }

  @Override
  Map<Long, Delivery> round(Tx tx, String owner, List<LeaseRequest> requests) {
    Map<Long, Cursor> cursors = locked(tx, "outbox_round_lock", owner, requests);
    List<LeaseRequest> held =
        requests.stream()
            .filter(request -> !(request instanceof LeaseRequest.Take))
            .filter(request -> !cursors.containsKey(request.partitionId()))
            .toList();
    if (!held.isEmpty()) {
      cursors.putAll(locked(tx, "outbox_round_wait", owner, held));
    }
    Map<Long, Delivery> answers = new LinkedHashMap<>();
    List<Change> changes = new ArrayList<>();
    for (LeaseRequest request : requests) {
      Cursor cursor = cursors.get(request.partitionId());
      if (cursor == null) {
        continue;
      }
      if (request instanceof LeaseRequest.End end && end.move().lastError() != null) {
        if (ended(tx, end.lease(), end.move())) {
          answers.put(cursor.partitionId, Delivery.NONE);
        }
      } else {
        change(request, cursor).ifPresent(changes::add);
      }
    }
    if (!changes.isEmpty()) {
      String rows = String.join(",", changes.stream().map(Change::json).toList());
      tx.sql("outbox_round_move").set("rows", "[" + rows + "]").set("owner", owner).update();
      answers.putAll(read(tx, changes));
    }
    return answers;
  }

  private static Map<Long, Cursor> locked(
      Tx tx, String statement, String owner, List<LeaseRequest> requests) {
    Query lock = tx.sql(statement).set("owner", owner);
    requests.forEach(request -> lock.row(request.partitionId()));
    Map<Long, Cursor> cursors = new HashMap<>();
    lock.list(Cursor::of).forEach(cursor -> cursors.put(cursor.partitionId, cursor));
    return cursors;
  }

  private static Optional<Change> change(LeaseRequest request, Cursor cursor) {
    if (request instanceof LeaseRequest.Take take) {
      return cursor.free && cursor.sequence > cursor.processedSeq
          ? Optional.of(new Change(cursor.taken(), null, take.duration(), take.messages()))
          : Optional.empty();
    }
    if (request instanceof LeaseRequest.Next next) {
      return cursor.isLeasedBy(next.lease())
          ? Optional.of(
              new Change(
                  cursor.moved(next.processedSeq(), 1),
                  Duration.ZERO,
                  next.lease().duration(),
                  next.messages()))
          : Optional.empty();
    }
    var end = (LeaseRequest.End) request;
    CursorMove move = end.move();
    return cursor.isLeasedBy(end.lease())
        ? Optional.of(
            new Change(cursor.moved(move.processedSeq(), move.attempts()), move.delay(), null, 0))
        : Optional.empty();
  }

  @Override
  public Optional<Delivery> lock(Tx tx, long partitionId, int messages) {
    return tx.sql("outbox_cursor_open")
        .set("partition_id", partitionId)
        .first(Cursor::of)
        .map(cursor -> new Change(cursor, null, null, messages))
        .map(only -> read(tx, List.of(only)).getOrDefault(partitionId, Delivery.NONE));
  }

  /** What waits beyond each cursor. */
  private Map<Long, Delivery> read(Tx tx, List<Change> changes) {
    Map<Long, List<StoredMessage>> places = places(tx, changes);
    Bodies bodies = Bodies.read(tx, places.values());
    Map<Long, Delivery> read = new HashMap<>();
    for (Change change : changes) {
      long id = change.cursor.partitionId;
      List<StoredMessage> messages = bodies.of(places.getOrDefault(id, List.of()));
      read.put(id, change.messages == 0 ? Delivery.NONE : change.cursor.with(messages));
    }
    return read;
  }

  @Override
  List<StoredMessage> withBodies(Tx tx, List<StoredMessage> places) {
    return Bodies.read(tx, List.of(places)).of(places);
  }

  private static Map<Long, List<StoredMessage>> places(Tx tx, List<Change> changes) {
    List<Change> wanted = changes.stream().filter(change -> change.messages > 0).toList();
    Map<Long, List<StoredMessage>> places = new HashMap<>();
    if (wanted.isEmpty()) {
      return places;
    }
    Query query = tx.sql("outbox_round_segments");
    for (Change change : wanted) {
      long after = change.cursor.processedSeq;
      // A row has at most so many messages: what is wanted lies in rows up to there.
      query.row(change.cursor.partitionId, after, after + change.messages + SEGMENT);
    }
    query.list(
        row -> {
          long id = row.number("partition_id");
          long[] ids = PackedIds.unpack(row.bytes("ids"), (int) row.number("n"));
          long before = row.number("last_seq") - ids.length;
          List<StoredMessage> list = places.computeIfAbsent(id, any -> new ArrayList<>());
          for (int k = 0; k < ids.length; k++) {
            list.add(new StoredMessage(before + k + 1, ids[k], null));
          }
          return id;
        });
    for (Change change : wanted) {
      long after = change.cursor.processedSeq;
      places.computeIfPresent(
          change.cursor.partitionId,
          (id, list) ->
              list.stream()
                  .filter(each -> each.seq() > after && each.seq() <= after + change.messages)
                  .sorted(Comparator.comparing(StoredMessage::seq))
                  .toList());
    }
    return places;
  }
}

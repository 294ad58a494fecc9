package dev.waybill.internal.store;

import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Cursors and leases on MySQL and MariaDB, where each statement is a round trip, so that all
 * partitions of a round share theirs. The rows are locked and read, what each request may do is
 * decided here, and one statement writes it. A row that somebody else has locked is left to him,
 * unless we hold its lease: then it is waited for. Leases that we hold are not locked first, and
 * one alone needs no transaction.
 */
final class MySqlCursors {
  private static final int MOST_ATTEMPTS = Integer.MAX_VALUE;

  /** Stands for null, which MySQL does not take for a number. */
  private static final long NONE = -1;

  private MySqlCursors() {}

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
              delay == null ? NONE : MessageStore.micros(delay),
              lease == null ? NONE : MessageStore.micros(lease));
    }
  }

  /** Answers requests, each for another partition. */
  static Map<Long, Delivery> round(Tx tx, String owner, List<LeaseRequest> requests) {
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
        if (MessageStore.ended(tx, end.lease(), end.move())) {
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

  /**
   * Whether all of them are about leases that we should hold: then there is nothing to decide, and
   * what is written can say on what condition.
   */
  static boolean areHeld(List<LeaseRequest> requests) {
    return requests.stream()
        .noneMatch(
            request ->
                request instanceof LeaseRequest.Take
                    || (request instanceof LeaseRequest.End end && end.move().lastError() != null));
  }

  /**
   * Answers requests that {@link #areHeld}, all of them or, by an exception, none. In one
   * transaction, or one request alone without any: then the cursor is moved by its own statement,
   * and what is read counts only if that move is the last thing that became of the lease, and if no
   * message is missing. So nobody is given what another has taken meanwhile, nor what was read from
   * a copy that lags behind.
   */
  static Map<Long, Delivery> held(Tx tx, String owner, List<LeaseRequest> requests)
      throws LeaseLost {
    String rows = String.join(",", requests.stream().map(MySqlCursors::json).toList());
    int changed =
        tx.sql("outbox_round_held").set("rows", "[" + rows + "]").set("owner", owner).update();
    if (changed != requests.size()) {
      throw new LeaseLost();
    }
    Map<Long, Delivery> answers = new LinkedHashMap<>();
    List<Parcels.Wanted> wanted = new ArrayList<>();
    for (LeaseRequest request : requests) {
      answers.put(request.partitionId(), Delivery.NONE);
      if (request instanceof LeaseRequest.Next next) {
        wanted.add(wanted(next.partitionId(), next.processedSeq(), next.messages()));
      }
    }
    if (!wanted.isEmpty()) {
      Parcels parcels = Parcels.readOn(tx, owner, wanted);
      for (LeaseRequest request : requests) {
        if (request instanceof LeaseRequest.Next next) {
          answers.put(next.partitionId(), read(next, parcels));
        }
      }
    }
    return answers;
  }

  private static Delivery read(LeaseRequest.Next next, Parcels parcels) throws LeaseLost {
    Parcels.Standing standing = parcels.standing(next.partitionId());
    List<StoredMessage> messages =
        parcels.messages(wanted(next.partitionId(), next.processedSeq(), next.messages()));
    if (standing.epoch() != next.lease().epoch()
        || standing.processedSeq() != next.processedSeq()
        || messages.stream().anyMatch(message -> message.body() == null)) {
      throw new LeaseLost();
    }
    return new Delivery(
        next.processedSeq(),
        1,
        next.lease().epoch(),
        standing.sequence(),
        standing.parked(),
        messages);
  }

  private static String json(LeaseRequest request) {
    if (request instanceof LeaseRequest.Next next) {
      return json(
          next.lease(), next.processedSeq(), 1, 0, MessageStore.micros(next.lease().duration()));
    }
    var end = (LeaseRequest.End) request;
    CursorMove move = end.move();
    return json(
        end.lease(), move.processedSeq(), move.attempts(), MessageStore.micros(move.delay()), NONE);
  }

  private static String json(Lease lease, long seq, int attempts, long delay, long duration) {
    return "[%d,%d,%d,%d,%d,%d]"
        .formatted(lease.partitionId(), seq, attempts, lease.epoch(), delay, duration);
  }

  /** A lease was not ours any more, or not beyond doubt. */
  static final class LeaseLost extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LeaseLost() {
      super("A lease is not held any more", null, false, false);
    }
  }

  /** Locks the cursor and reads. Empty if others have it or nobody may try now. */
  static Optional<Delivery> lock(Tx tx, long partitionId, int messages) {
    return tx.sql("outbox_cursor_open")
        .set("partition_id", partitionId)
        .first(Cursor::of)
        .map(cursor -> new Change(cursor, null, null, messages))
        .map(only -> read(tx, List.of(only)).getOrDefault(partitionId, Delivery.NONE));
  }

  /** What waits beyond each cursor. */
  private static Map<Long, Delivery> read(Tx tx, List<Change> changes) {
    List<Parcels.Wanted> wanted = new ArrayList<>();
    Map<Long, Parcels.Standing> standings = new HashMap<>();
    for (Change change : changes) {
      Cursor cursor = change.cursor;
      standings.put(
          cursor.partitionId,
          new Parcels.Standing(cursor.sequence, cursor.parked, cursor.processedSeq, cursor.epoch));
      if (change.messages > 0) {
        wanted.add(wanted(cursor.partitionId, cursor.processedSeq, change.messages));
      }
    }
    Parcels parcels = Parcels.read(tx, wanted, standings);
    Map<Long, Delivery> read = new HashMap<>();
    for (Change change : changes) {
      Cursor cursor = change.cursor;
      var all = wanted(cursor.partitionId, cursor.processedSeq, change.messages);
      read.put(
          cursor.partitionId,
          change.messages == 0 ? Delivery.NONE : cursor.with(parcels.messages(all)));
    }
    return read;
  }

  private static Parcels.Wanted wanted(long partitionId, long after, int messages) {
    return new Parcels.Wanted(partitionId, after, messages);
  }
}

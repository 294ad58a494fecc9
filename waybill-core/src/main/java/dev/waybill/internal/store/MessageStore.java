package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The walk of a message through the tables: enqueue, sequence, take, end, vacuum. The steps whose
 * shape depends on the database are left to its subclasses.
 */
public abstract class MessageStore {
  /** The ids of one row of outgoing: enough to make the row's own cost small. */
  static final int SEGMENT = 200;

  /** More would be held in memory than a handler can make use of. */
  static final long MOST_BYTES = 4L * 1024 * 1024;

  /** Dead letters of one statement, and parked messages. */
  private static final int MOST_OUTCOMES = 1_000;

  private final Database database;

  MessageStore(Database database) {
    this.database = database;
  }

  /** Picks the shape that fits the database. */
  public static MessageStore of(Database database) {
    return switch (database.dialect()) {
      case POSTGRES -> new ArrayMessageStore(database);
      case MYSQL, MARIADB -> new MySqlMessageStore(database);
      case SQLITE -> new SqliteMessageStore(database);
    };
  }

  Database database() {
    return database;
  }

  /**
   * How many ids a session takes at a time: with more than one they are not in the order of calls.
   */
  public long idsAtATime() {
    return 1;
  }

  /** Stores messages in the caller's transaction. Gives their ids, in the order of the messages. */
  public abstract long[] enqueue(Tx tx, List<NewMessage> messages);

  /**
   * The same as the last thing of a transaction of ours, which is committed with it where that
   * saves a round trip: nothing may follow but its end.
   */
  public long[] enqueueLast(Tx tx, List<NewMessage> messages) {
    return enqueue(tx, messages);
  }

  /** Gives messages whose time has come to their partitions; how many each of these got. */
  public abstract Map<Long, Integer> promote(int messages);

  /**
   * Numbers what is committed and visible in these partitions, so many messages of each. Says how
   * many each got; those that are missing are in other hands. Who got fewer has no more; some may
   * get a few more, where those that were enqueued at once are kept together.
   */
  public abstract Map<Long, Integer> sequence(long[] partitions, int messages);

  /**
   * What a visit brought.
   *
   * @param counts how many messages each partition got; those that are missing are in other hands
   * @param taken what was taken at once, by partition; a part of what was numbered, perhaps
   */
  public record Numbered(Map<Long, Integer> counts, Map<Long, Delivery> taken) {
    public Numbered {
      counts = Map.copyOf(counts);
      taken = Map.copyOf(taken);
    }
  }

  /**
   * Numbers as {@link #sequence(long[], int)} does and, where that saves a transaction, takes the
   * leases of those wanted partitions that got messages and had nothing else waiting.
   */
  public Numbered sequence(
      long[] partitions, int messages, String owner, List<LeaseRequest.Take> wanted) {
    return new Numbered(sequence(partitions, messages), Map.of());
  }

  /**
   * Numbers what this transaction has enqueued into one partition and takes its lease, right before
   * the commit: these messages and no others. Empty if something stands in the way, or where it
   * would save nothing; then nothing was changed.
   *
   * @param ids of all that it has enqueued there, the smallest first
   */
  public Optional<Delivery> depart(Tx tx, long[] ids, String owner, LeaseRequest.Take wanted) {
    return Optional.empty();
  }

  /**
   * A message that was the last thing of its transaction.
   *
   * @param taken if it was numbered and taken at once
   */
  public record Departed(long id, Optional<Delivery> taken) {}

  /**
   * Does {@link #enqueueLast} and {@link #depart} with one message that is not delayed, where that
   * saves something; if anything stands in the way it is only enqueued.
   */
  public Departed departLast(Tx tx, NewMessage message, String owner, LeaseRequest.Take wanted) {
    return new Departed(enqueueLast(tx, List.of(message))[0], Optional.empty());
  }

  /** How many messages of these partitions have a number and are not delivered. */
  public Map<Long, Long> waiting(Collection<Long> partitions) {
    Map<Long, Long> waiting = new HashMap<>();
    database.single(
        tx -> {
          Query query = tx.sql("outbox_waiting");
          partitions.forEach(query::row);
          return query.list(row -> waiting.put(row.number("partition_id"), row.number("waiting")));
        });
    return waiting;
  }

  /**
   * Takes the lease of a partition that has messages and reads some. Empty if it has none, or if
   * something stands in the way: {@link #state} says what.
   */
  public abstract Optional<Delivery> lease(
      long partitionId, String owner, Duration duration, int messages);

  /**
   * Moves the cursor, prolongs the lease and reads on. Empty if the lease is no longer ours; then
   * nothing was changed, unless it was lost after the move. Without messages the lease is still
   * held.
   */
  public abstract Optional<Delivery> next(Lease lease, long processedSeq, int messages);

  /**
   * Answers several requests in one transaction, each for another partition and in their order. A
   * partition whose lease is not to be had, or no longer the owner's, is missing in the answer, and
   * nothing was changed there. What was ended comes without messages. One request alone may be two
   * transactions: then a lease that is lost in between is missing, too, but its cursor has moved.
   */
  public abstract Map<Long, Delivery> round(String owner, List<LeaseRequest> requests);

  /**
   * The same, for those that have come when its transaction begins, where one may have to stand in
   * line for it. If it has to be repeated they are asked for again, and none may be missing then.
   */
  public Map<Long, Delivery> round(String owner, Supplier<List<LeaseRequest>> requests) {
    return round(owner, requests.get());
  }

  /** Locks the cursor and reads. Empty if others have it or nobody may try now. */
  public abstract Optional<Delivery> lock(Tx tx, long partitionId, int messages);

  /** Reads what waits beyond the cursor and beyond this number, without taking it. */
  public abstract Delivery peek(long partitionId, long after, int messages);

  /** Removes at most so many segments that every cursor has passed. */
  public abstract Vacuumed vacuum(long partitionId, Duration retention, int segments);

  /** Of how many partitions a piece of clean-up is made. */
  public int cleanedTogether() {
    return 1;
  }

  /**
   * Removes at most so many segments of each of these partitions, no more of them than {@link
   * #cleanedTogether}. Says what it removed of each, in their order; those that are missing at the
   * end would have made the piece too large.
   */
  public List<Vacuumed> vacuum(List<VacuumDue> due, int segments) {
    return due.stream()
        .map(each -> vacuum(each.partitionId(), each.retention(), segments))
        .toList();
  }

  /** What a piece of clean-up removed. */
  public record Vacuumed(int segments, long messages) {}

  /** A partition whose clean-up is behind, and how long its messages are to stay. */
  public record VacuumDue(
      long partitionId, long vacuumedSeq, long processedSeq, Duration retention) {}

  /** Partitions with something to clean up, in order. */
  public List<VacuumDue> vacuumDue() {
    return database.single(
        tx ->
            tx.sql("outbox_vacuum_due")
                .list(
                    row ->
                        new VacuumDue(
                            row.number("partition_id"),
                            row.number("vacuumed_seq"),
                            row.number("processed_seq"),
                            Duration.of(row.number("retention"), ChronoUnit.MICROS))));
  }

  /** Forgets de-duplication keys whose window is over, at most so many; says how many. */
  public int expireDedup(int rows) {
    return database.single(tx -> tx.sql("outbox_dedup_expire").set("rows", rows).update());
  }

  /** Prolongs the lease. False if it is no longer ours. */
  public boolean renew(Lease lease) {
    return database.single(
        tx ->
            fenced(tx.sql("outbox_lease_renew"), lease)
                    .set("duration", micros(lease.duration()))
                    .update()
                > 0);
  }

  /**
   * Stores the outcome of a delivery and ends the lease. False if the lease was no longer ours:
   * then nothing was changed, the dead letters included.
   */
  public boolean end(Lease lease, CursorMove move, List<NewDeadLetter> deadLetters) {
    return end(lease, move, deadLetters, List.of());
  }

  /** The same, with messages that the cursor passes but that are not done. */
  public boolean end(
      Lease lease, CursorMove move, List<NewDeadLetter> deadLetters, List<NewParked> parked) {
    if (deadLetters.isEmpty() && parked.isEmpty()) {
      return database.single(tx -> endedAlone(tx, lease, move));
    }
    return database.transact(
        tx -> {
          boolean ours = ended(tx, lease, move);
          if (ours) {
            bury(tx, deadLetters);
            ParkedStore.park(tx, lease.partitionId(), parked);
          }
          return ours;
        });
  }

  /** The same as {@link #ended}, in a transaction of its own. */
  boolean endedAlone(Tx tx, Lease lease, CursorMove move) {
    return ended(tx, lease, move);
  }

  static boolean ended(Tx tx, Lease lease, CursorMove move) {
    return moved(fenced(tx.sql("outbox_lease_end"), lease), move).update() > 0;
  }

  /** Gives back every lease of a process that has stopped. Says how many there were. */
  public int releaseAll(String owner) {
    return database.single(tx -> tx.sql("outbox_lease_release_all").set("owner", owner).update());
  }

  /** Stores the outcome of a delivery in the transaction that locked the cursor. */
  public void move(Tx tx, long partitionId, CursorMove move, List<NewDeadLetter> deadLetters) {
    bury(tx, deadLetters);
    moved(tx.sql("outbox_cursor_move").set("partition_id", partitionId), move).update();
  }

  /** The same, with messages that the cursor passes but that are not done. */
  public void move(
      Tx tx,
      long partitionId,
      CursorMove move,
      List<NewDeadLetter> deadLetters,
      List<NewParked> parked) {
    move(tx, partitionId, move, deadLetters);
    ParkedStore.park(tx, partitionId, parked);
  }

  static void bury(Tx tx, List<NewDeadLetter> deadLetters) {
    for (List<NewDeadLetter> piece : pieces(deadLetters)) {
      buryPiece(tx, piece);
    }
  }

  /** A batch may be as large as its user likes; the parameters of a statement are limited. */
  static <T> List<List<T>> pieces(List<T> rows) {
    List<List<T>> pieces = new ArrayList<>();
    for (int from = 0; from < rows.size(); from += MOST_OUTCOMES) {
      pieces.add(rows.subList(from, Math.min(rows.size(), from + MOST_OUTCOMES)));
    }
    return pieces;
  }

  private static void buryPiece(Tx tx, List<NewDeadLetter> deadLetters) {
    Query insert = tx.sql("outbox_dead_letters_insert");
    for (NewDeadLetter each : deadLetters) {
      StoredMessage message = each.message();
      MessageBody body = Objects.requireNonNullElse(message.body(), MessageBody.MISSING);
      insert.row(
          each.partitionId(),
          message.seq(),
          message.id(),
          body.type(),
          body.key(),
          HeaderLines.write(body.headers()),
          body.payload(),
          body.createdAt(),
          each.reason(),
          each.attempts());
    }
    insert.update();
  }

  /** How a partition stands. */
  public PartitionState state(long partitionId) {
    return database.single(tx -> state(tx, partitionId));
  }

  static PartitionState state(Tx tx, long partitionId) {
    return tx.sql("outbox_state").set("partition_id", partitionId).one(MessageStore::stateOf);
  }

  static PartitionState stateOf(Row row) throws SQLException {
    return new PartitionState(
        row.number("sequence"),
        row.number("processed_seq"),
        (int) row.number("attempts"),
        row.number("lease_epoch"),
        row.textOrNull("lease_owner"),
        row.textOrNull("last_error"),
        until(row, "not_before"),
        until(row, "lease_until"),
        (int) row.number("parked"),
        until(row, "parked_due"),
        row.flag("paused"));
  }

  /**
   * What a partition's head looks like.
   *
   * @param bodies the numbers that are there beyond the cursor, and whether each has its body
   */
  public record Head(long processedSeq, long sequence, Map<Long, Boolean> bodies) {
    public Head {
      bodies = Map.copyOf(bodies);
    }
  }

  /** Looks at the first so many messages, without payloads, and takes nothing. */
  public abstract Head look(Tx tx, long partitionId, int messages);

  /** A column with the microseconds from now to a moment, which may have passed. */
  static Duration until(Row row, String column) throws SQLException {
    return Duration.of(Math.max(0, row.number(column)), ChronoUnit.MICROS);
  }

  static Query fenced(Query query, Lease lease) {
    return query
        .set("partition_id", lease.partitionId())
        .set("epoch", lease.epoch())
        .set("owner", lease.owner());
  }

  static Query moved(Query query, CursorMove move) {
    return query
        .set("processed_seq", move.processedSeq())
        .set("attempts", move.attempts())
        .set("last_error", move.lastError())
        .set("delay", micros(move.delay()));
  }

  static MessageBody body(Row row) throws SQLException {
    return new MessageBody(
        row.text("type"),
        row.bytes("payload"),
        HeaderLines.read(row.textOrNull("headers")),
        row.textOrNull("message_key"),
        row.time("created_at"));
  }

  /** Rounded up, so that nothing comes due before its time. */
  static long micros(Duration duration) {
    long micros = Math.multiplyExact(duration.getSeconds(), 1_000_000L);
    return Math.addExact(micros, (duration.getNano() + 999) / 1_000);
  }

  /** In its own transaction. */
  <T> T transact(Function<Tx, T> work) {
    return database.transact(work);
  }

  <T> T look(Function<Tx, T> work) {
    return database.looking().transact(work);
  }
}

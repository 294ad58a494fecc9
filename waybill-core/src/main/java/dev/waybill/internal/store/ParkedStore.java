package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Tx;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Messages that the cursor has passed though they are not done: each waits in the lane of its key.
 * They carry their own payload, so the clean-up behind the cursor does not concern them.
 *
 * <p>The partition's row says how many there are and when the first lane is due, so that looking
 * for work costs the same whether many are parked or none.
 */
public final class ParkedStore {
  private final Database database;

  public ParkedStore(Database database) {
    this.database = database;
  }

  /**
   * The lanes of a partition.
   *
   * @param nextDue the time until the first of them may be tried
   */
  public record Lanes(Set<Long> lanes, Duration nextDue) {
    public Lanes {
      lanes = Set.copyOf(lanes);
    }
  }

  /**
   * The lane of a key. Two keys share one once in 2^64 times; then they wait for each other, which
   * breaks no order.
   */
  public static long lane(String key) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(hash).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JVM has SHA-256", e);
    }
  }

  /** Parks messages in the transaction that moves the cursor past them. */
  static void park(Tx tx, long partitionId, List<NewParked> messages) {
    if (messages.isEmpty()) {
      return;
    }
    for (List<NewParked> piece : MessageStore.pieces(messages)) {
      parkPiece(tx, partitionId, piece);
    }
    added(tx, partitionId, messages.size());
  }

  private static void parkPiece(Tx tx, long partitionId, List<NewParked> messages) {
    Query insert = tx.sql("outbox_park");
    for (NewParked each : messages) {
      StoredMessage message = each.message();
      MessageBody body = Objects.requireNonNull(message.body(), "has a key");
      String key = Objects.requireNonNull(body.key(), "key");
      Duration delay = each.delay();
      insert.row(
          partitionId,
          lane(key),
          message.seq(),
          message.id(),
          body.type(),
          key,
          HeaderLines.write(body.headers()),
          body.payload(),
          body.createdAt(),
          each.attempts(),
          each.reason(),
          delay == null ? null : MessageStore.micros(delay));
    }
    insert.update();
  }

  private static void added(Tx tx, long partitionId, int messages) {
    tx.sql("outbox_parked_added").set("partition_id", partitionId).set("added", messages).update();
  }

  /** The lanes of a partition that the caller has leased. */
  public Lanes lanes(long partitionId) {
    return database.single(tx -> lanes(tx, partitionId));
  }

  /** The lanes of a partition that this transaction has locked. */
  public Lanes lanes(Tx tx, long partitionId) {
    Set<Long> lanes = new HashSet<>();
    Duration next =
        tx
            .sql("outbox_parked_lanes")
            .set("partition_id", partitionId)
            .list(
                row -> {
                  lanes.add(row.number("lane"));
                  return MessageStore.until(row, "wait");
                })
            .stream()
            .min(Duration::compareTo)
            .orElse(Duration.ZERO);
    return new Lanes(lanes, next);
  }

  /**
   * Takes the partition's lease, if a lane is due, and reads the one that has been for longest.
   * Empty if none is, or something stands in the way: {@link MessageStore#state} says what. The
   * cursor's message is not concerned: its attempts stay as they are.
   */
  public Optional<ParkedLane> lease(
      long partitionId, String owner, Duration duration, int messages) {
    return database.transact(
        tx -> {
          int taken =
              tx.sql("outbox_parked_lease")
                  .set("partition_id", partitionId)
                  .set("owner", owner)
                  .set("duration", MessageStore.micros(duration))
                  .update();
          if (taken == 0) {
            return Optional.empty();
          }
          long epoch = MessageStore.state(tx, partitionId).epoch();
          Optional<ParkedLane> lane = read(tx, partitionId, epoch, messages, true);
          if (lane.isEmpty()) {
            MessageStore.fenced(
                    tx.sql("outbox_parked_release"), new Lease(partitionId, owner, epoch, duration))
                .update();
          }
          return lane;
        });
  }

  /** Locks the partition, if a lane is due, and reads the one that has been for longest. */
  public Optional<ParkedLane> lock(Tx tx, long partitionId, int messages) {
    return tx.sql("outbox_parked_lock")
        .set("partition_id", partitionId)
        .first(row -> row.number("parked"))
        .flatMap(parked -> read(tx, partitionId, 0, messages, false));
  }

  private record First(long lane, long seq, int attempts) {}

  /** A message that failed before is read alone, so that those behind it are not held up by it. */
  private static Optional<ParkedLane> read(
      Tx tx, long partitionId, long epoch, int messages, boolean counted) {
    Optional<First> due =
        tx.sql("outbox_parked_first")
            .set("partition_id", partitionId)
            .first(
                row ->
                    new First(row.number("lane"), row.number("seq"), (int) row.number("attempts")));
    if (due.isEmpty()) {
      // Foreign hands have removed it.
      added(tx, partitionId, 0);
      return Optional.empty();
    }
    First first = due.get();
    if (counted) {
      tx.sql("outbox_parked_try")
          .set("partition_id", partitionId)
          .set("lane", first.lane())
          .set("seq", first.seq())
          .update();
    }
    List<StoredMessage> read =
        tx.sql("outbox_parked_read")
            .set("partition_id", partitionId)
            .set("lane", first.lane())
            .set("messages", first.attempts() > 0 ? 1 : messages)
            .set("bytes", MessageStore.MOST_BYTES)
            .list(
                row ->
                    new StoredMessage(
                        row.number("seq"), row.number("message_id"), MessageStore.body(row)));
    int attempts =
        counted ? Math.min(first.attempts(), Integer.MAX_VALUE - 1) + 1 : first.attempts();
    return Optional.of(new ParkedLane(first.lane(), new Delivery(0, attempts, epoch, 0, 0, read)));
  }

  /**
   * Stores the outcome of a lane's delivery and ends the lease. False if the lease was no longer
   * ours: then nothing was changed.
   */
  public boolean end(Lease lease, ParkedMove move, List<NewDeadLetter> deadLetters) {
    return database.transact(
        tx -> {
          boolean ours = MessageStore.fenced(tx.sql("outbox_parked_release"), lease).update() > 0;
          if (ours) {
            move(tx, lease.partitionId(), move, deadLetters);
          }
          return ours;
        });
  }

  /** Stores the outcome of a lane's delivery in the transaction that locked the partition. */
  public void move(Tx tx, long partitionId, ParkedMove move, List<NewDeadLetter> deadLetters) {
    MessageStore.bury(tx, deadLetters);
    if (move.done() > 0) {
      tx.sql("outbox_parked_delete")
          .set("partition_id", partitionId)
          .set("lane", move.lane())
          .set("seq", move.doneSeq())
          .update();
    }
    tx.sql("outbox_parked_next")
        .set("partition_id", partitionId)
        .set("lane", move.lane())
        .set("attempts", move.attempts())
        .set("last_error", move.lastError())
        .set("delay", MessageStore.micros(move.delay()))
        .update();
    tx.sql("outbox_parked_removed")
        .set("partition_id", partitionId)
        .set("removed", move.done())
        .update();
  }
}

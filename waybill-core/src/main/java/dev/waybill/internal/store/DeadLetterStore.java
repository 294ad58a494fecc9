package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.sql.Tx;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.DeadLetterStatus;
import dev.waybill.outbox.DeadLetters;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Dead letters. Whatever changes some picks them first, locked, and changes them by their ids in
 * the same transaction.
 */
public final class DeadLetterStore {
  private static final Comparator<DeadLetterRow> NEWEST_FIRST =
      Comparator.comparing(DeadLetterRow::failedAt).thenComparing(DeadLetterRow::id).reversed();

  /** Ids of one statement. */
  private static final int MOST_IDS = 1_000;

  /** Payloads held in memory at a time while messages are made of them. */
  private static final int MOST_PAYLOADS = 100;

  private final Database database;
  private final MessageStore messages;

  public DeadLetterStore(Database database, MessageStore messages) {
    this.database = database;
    this.messages = messages;
  }

  /** Those of the statuses that meet the filter, the newest failure first. */
  public List<DeadLetterRow> list(DeadLetterFilter filter, Set<DeadLetterStatus> statuses) {
    return onOneSnapshot(
        tx -> {
          List<DeadLetterRow> rows = new ArrayList<>();
          // One status at a time: then the index has them in order, and nothing is sorted.
          for (DeadLetterStatus status : statuses) {
            rows.addAll(
                Filtered.query(tx, "dead_letters_list", filter, Map.of("status", stored(status)))
                    .set("limit", filter.limit())
                    .list(DeadLetterStore::read));
          }
          return rows.stream().sorted(NEWEST_FIRST).limit(filter.limit()).toList();
        });
  }

  /** How many of the statuses meet the filter. */
  public long count(DeadLetterFilter filter, Set<DeadLetterStatus> statuses) {
    return onOneSnapshot(
        tx ->
            statuses.stream()
                .mapToLong(
                    status ->
                        Filtered.query(
                                tx, "dead_letters_count", filter, Map.of("status", stored(status)))
                            .one(row -> row.number("n")))
                .sum());
  }

  private <T> T onOneSnapshot(Function<Tx, T> reading) {
    try (Session session = database.looking().session()) {
      return session.snapshot(
          tx -> {
            if (database.dialect() == Dialect.POSTGRES) {
              // Before the snapshot is taken, so that no row is written anew after it.
              tx.sql("dead_letters_hold_names").execute();
            }
            return reading.apply(tx);
          });
    }
  }

  /** Claims free ones: pending, or claimed with a passed deadline. As they are then. */
  public List<DeadLetterRow> claim(
      DeadLetterFilter filter, Set<DeadLetterStatus> statuses, String token, Duration timeout) {
    return database.transact(
        tx -> {
          List<Long> ids = pickFree(tx, filter, statuses, Map.of());
          List<DeadLetterRow> rows = new ArrayList<>(ids.size());
          for (List<Long> chunk : chunks(ids, MOST_IDS)) {
            withIds(
                    tx.sql("dead_letters_claim")
                        .set("claim", token)
                        .set("timeout", MessageStore.micros(timeout)),
                    chunk)
                .update();
            rows.addAll(read(tx, chunk));
          }
          return rows;
        });
  }

  /** Resolves those that the token holds; how many that were. */
  public int resolve(String token, Collection<Long> ids) {
    return ids.isEmpty() ? 0 : database.transact(tx -> resolve(tx, token, ids));
  }

  /** The same in the caller's transaction. */
  public int resolve(Tx tx, String token, Collection<Long> ids) {
    return changed(
        sorted(ids), chunk -> withIds(tx.sql("dead_letters_resolve").set("claim", token), chunk));
  }

  /** Gives those back that the token holds; how many that were. */
  public int reject(String token, Collection<Long> ids, String reason) {
    return ids.isEmpty()
        ? 0
        : database.transact(
            tx ->
                changed(
                    sorted(ids),
                    chunk ->
                        withIds(
                            tx.sql("dead_letters_reject").set("claim", token).set("reason", reason),
                            chunk)));
  }

  /** In one order for all: who ends the same dead letters must not wait crosswise. */
  private static List<Long> sorted(Collection<Long> ids) {
    return ids.stream().distinct().sorted().toList();
  }

  /** Discards free ones; how many that were. */
  public int discard(DeadLetterFilter filter, Set<DeadLetterStatus> statuses) {
    return database.transact(
        tx -> complete(tx, pickFree(tx, filter, statuses, Map.of()), DeadLetterStatus.DISCARDED));
  }

  /** Where messages were put, and how many. */
  public record Requeued(long partitionId, String queue) {}

  /** Makes messages of free ones that have a body, in the order in which they failed. */
  public Map<Requeued, Integer> requeue(DeadLetterFilter filter, Set<DeadLetterStatus> statuses) {
    String lost = MessageBody.MISSING.type();
    return database.transact(
        tx -> {
          List<Long> ids = pickFree(tx, filter, statuses, Map.of("not_type", lost));
          Map<Requeued, Integer> counts = new LinkedHashMap<>();
          for (List<Long> chunk : chunks(ids, MOST_PAYLOADS)) {
            List<DeadLetterRow> rows = read(tx, chunk);
            messages.enqueue(tx, rows.stream().map(DeadLetterStore::message).toList());
            for (DeadLetterRow row : rows) {
              counts.merge(new Requeued(row.partitionId(), row.queue()), 1, Integer::sum);
            }
          }
          complete(tx, ids, DeadLetterStatus.RESOLVED);
          return counts;
        });
  }

  private static NewMessage message(DeadLetterRow row) {
    MessageBody body = row.body();
    var headers = new LinkedHashMap<>(body.headers());
    headers.put(DeadLetters.REQUEUE_HEADER, Long.toString(row.messageId()));
    return new NewMessage(
        row.partitionId(), body.type(), body.key(), headers, body.payload(), null, null);
  }

  /** Removes those that were resolved or discarded so long ago; how many that were. */
  public int cleanup(DeadLetterFilter filter, Set<DeadLetterStatus> statuses, Duration olderThan) {
    Map<String, Object> options =
        statuses.size() == 1 ? Map.of("status", stored(statuses.iterator().next())) : Map.of();
    return database.transact(
        tx -> {
          Query completed =
              Filtered.query(tx, "dead_letters_pick_completed", filter, options)
                  .set("age", MessageStore.micros(olderThan));
          return changed(
              pick(completed, filter.limit()),
              chunk -> withIds(tx.sql("dead_letters_delete"), chunk));
        });
  }

  /** Locks free ones: first those that somebody has claimed and left, then those that wait. */
  private static List<Long> pickFree(
      Tx tx, DeadLetterFilter filter, Set<DeadLetterStatus> statuses, Map<String, Object> options) {
    List<Long> ids = new ArrayList<>();
    if (statuses.contains(DeadLetterStatus.REPROCESSING)) {
      ids.addAll(
          pick(Filtered.query(tx, "dead_letters_pick_abandoned", filter, options), filter.limit()));
    }
    if (statuses.contains(DeadLetterStatus.PENDING) && ids.size() < filter.limit()) {
      ids.addAll(
          pick(
              Filtered.query(tx, "dead_letters_pick_pending", filter, options),
              filter.limit() - ids.size()));
    }
    return ids;
  }

  private static List<Long> pick(Query query, int limit) {
    return query.set("limit", limit).list(row -> row.number("id"));
  }

  private static int complete(Tx tx, List<Long> ids, DeadLetterStatus status) {
    return changed(
        ids,
        chunk -> withIds(tx.sql("dead_letters_complete").set("status", stored(status)), chunk));
  }

  private static int changed(List<Long> ids, Function<List<Long>, Query> statement) {
    return chunks(ids, MOST_IDS).stream().mapToInt(chunk -> statement.apply(chunk).update()).sum();
  }

  private static List<List<Long>> chunks(List<Long> ids, int most) {
    List<List<Long>> chunks = new ArrayList<>();
    for (int from = 0; from < ids.size(); from += most) {
      chunks.add(ids.subList(from, Math.min(ids.size(), from + most)));
    }
    return chunks;
  }

  private static Query withIds(Query query, List<Long> ids) {
    ids.forEach(query::row);
    return query;
  }

  private static List<DeadLetterRow> read(Tx tx, List<Long> ids) {
    return withIds(tx.sql("dead_letters_read"), ids).list(DeadLetterStore::read);
  }

  private static DeadLetterRow read(Row row) throws SQLException {
    return new DeadLetterRow(
        row.number("id"),
        row.number("partition_id"),
        row.text("queue"),
        (int) row.number("number"),
        row.number("seq"),
        row.number("message_id"),
        MessageStore.body(row),
        (int) row.number("attempts"),
        DeadLetterStatus.valueOf(row.text("status").toUpperCase(Locale.ROOT)),
        row.time("failed_at"),
        row.text("last_error"),
        row.timeOrNull("deadline"),
        row.timeOrNull("completed_at"));
  }

  private static String stored(DeadLetterStatus status) {
    return status.name().toLowerCase(Locale.ROOT);
  }
}

package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import dev.waybill.outbox.OutboxException.PartitionCountMismatch;
import dev.waybill.outbox.PartitionStatus;
import dev.waybill.outbox.QueueStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Queues, their partitions, and which of these have work. */
public final class QueueStore {
  private final Database database;

  public QueueStore(Database database) {
    this.database = database;
  }

  /**
   * A queue as a process wants it.
   *
   * @param retention how long its delivered messages stay; null to leave that to others
   */
  public record Wanted(String name, int partitions, @Nullable Duration retention) {}

  /** A queue and the rows of its partitions, by number. */
  public record QueueRow(long id, String name, Duration retention, List<Long> partitionIds) {
    public QueueRow {
      partitionIds = List.copyOf(partitionIds);
    }
  }

  /**
   * A partition with messages beyond its cursor, or parked ones.
   *
   * @param dueIn the time until somebody may deliver them
   * @param reckoned whether news may shorten it: somebody has the partition, who may be done
   *     before, or nothing waits but parked messages
   */
  public record Backlog(long partitionId, Duration dueIn, boolean reckoned) {}

  private record Stored(long id, String name, int partitions) {}

  /**
   * Makes sure that these queues exist with these numbers of partitions. When several processes do
   * so at once, the first one's numbers hold: the others wait for its commit at the unique name.
   *
   * @throws PartitionCountMismatch if one exists with another number; then nothing is changed
   */
  public List<QueueRow> register(List<Wanted> wanted) {
    if (wanted.isEmpty()) {
      return List.of();
    }
    List<QueueRow> known = database.single(this::queues);
    List<QueueRow> found = found(wanted, known);
    return found.size() == wanted.size() ? found : database.transact(tx -> create(tx, wanted));
  }

  /** Those that are as they are wanted, in the order in which they are wanted. */
  private static List<QueueRow> found(List<Wanted> wanted, List<QueueRow> known) {
    Map<String, QueueRow> byName =
        known.stream().collect(Collectors.toMap(QueueRow::name, Function.identity()));
    List<QueueRow> found = new ArrayList<>();
    for (Wanted queue : wanted) {
      QueueRow row = byName.get(queue.name());
      if (row != null
          && row.partitionIds().size() == queue.partitions()
          && (queue.retention() == null || row.retention().equals(queue.retention()))) {
        found.add(row);
      }
    }
    return found;
  }

  private List<QueueRow> create(Tx tx, List<Wanted> wanted) {
    Query insert = tx.sql("outbox_queues_insert");
    // In one order for all: processes that register the same queues must not wait crosswise.
    List<Wanted> sorted = wanted.stream().sorted(Comparator.comparing(Wanted::name)).toList();
    for (Wanted queue : sorted) {
      insert.row(queue.name(), queue.partitions(), micros(queue.retention()));
    }
    insert.update();
    Map<String, Stored> stored =
        stored(tx).stream().collect(Collectors.toMap(Stored::name, Function.identity()));
    for (Wanted queue : sorted) {
      Stored row = Objects.requireNonNull(stored.get(queue.name()), "inserted above");
      if (row.partitions() != queue.partitions()) {
        throw new PartitionCountMismatch(queue.name(), queue.partitions(), row.partitions());
      }
      if (queue.retention() != null) {
        tx.sql("outbox_queue_retention")
            .set("id", row.id())
            .set("retention", micros(queue.retention()))
            .update();
      }
    }
    complete(tx);
    return found(wanted, queues(tx));
  }

  private static long micros(@Nullable Duration retention) {
    return retention == null ? 0 : MessageStore.micros(retention);
  }

  /** The rows that the queues' numbers of partitions ask for. */
  private static void complete(Tx tx) {
    tx.sql("outbox_partitions_insert").update();
    tx.sql("outbox_processors_insert").update();
    tx.sql("outbox_vacuums_insert").update();
  }

  /** Gives a queue more partitions. Empty if there is no such queue. */
  public Optional<QueueRow> grow(String name, int partitions) {
    return database.transact(
        tx -> {
          Optional<Stored> queue =
              stored(tx).stream().filter(each -> each.name().equals(name)).findFirst();
          if (queue.isEmpty()) {
            return Optional.empty();
          }
          tx.sql("outbox_queue_grow")
              .set("id", queue.get().id())
              .set("partitions", partitions)
              .update();
          complete(tx);
          return queues(tx).stream().filter(each -> each.name().equals(name)).findFirst();
        });
  }

  private static List<Stored> stored(Tx tx) {
    return tx.sql("outbox_queues")
        .list(
            row -> new Stored(row.number("id"), row.text("name"), (int) row.number("partitions")));
  }

  private List<QueueRow> queues(Tx tx) {
    return tx
        .sql("outbox_queue_partitions")
        .list(
            row ->
                new Line(
                    row.number("queue_id"),
                    row.text("name"),
                    Duration.of(row.number("retention"), ChronoUnit.MICROS),
                    row.number("id")))
        .stream()
        .collect(Collectors.groupingBy(Line::queueId, LinkedHashMap::new, Collectors.toList()))
        .values()
        .stream()
        .map(
            lines ->
                new QueueRow(
                    lines.get(0).queueId(),
                    lines.get(0).name(),
                    lines.get(0).retention(),
                    lines.stream().map(Line::partitionId).toList()))
        .toList();
  }

  private record Line(long queueId, String name, Duration retention, long partitionId) {}

  /** Whether other processes may use the database as well. */
  public boolean isShared() {
    return switch (database.dialect()) {
      case POSTGRES, MYSQL, MARIADB -> true;
      case SQLITE -> false;
    };
  }

  /** Every queue there is. */
  public List<QueueRow> all() {
    return database.single(this::queues);
  }

  /** Partitions with messages that have no number yet. */
  public List<Long> dirty() {
    return database.single(tx -> tx.sql("outbox_dirty").list(row -> row.number("id")));
  }

  /** Partitions with messages to deliver, except those that are paused. */
  public List<Backlog> backlog() {
    return database.single(
        tx ->
            tx.sql("outbox_backlog")
                .list(
                    row ->
                        new Backlog(
                            row.number("id"),
                            MessageStore.until(row, "wait"),
                            row.flag("reckoned"))));
  }

  /** How many messages of each queue have a number and are not done, by the queue's id. */
  public Map<Long, Long> lags() {
    Map<Long, Long> lags = new HashMap<>();
    database.single(
        tx ->
            tx.sql("outbox_lag")
                .list(row -> lags.put(row.number("queue_id"), row.number("behind"))));
    return lags;
  }

  /** How every queue stands. */
  public List<QueueStatus> status() {
    Map<String, List<PartitionStatus>> queues = new LinkedHashMap<>();
    database
        .looking()
        .single(
            tx ->
                tx.sql("outbox_status")
                    .list(
                        row ->
                            queues
                                .computeIfAbsent(row.text("name"), name -> new ArrayList<>())
                                .add(partitionStatus(row))));
    return queues.entrySet().stream()
        .map(queue -> new QueueStatus(queue.getKey(), queue.getValue()))
        .toList();
  }

  private static PartitionStatus partitionStatus(Row row) throws SQLException {
    Long waiting = row.numberOrNull("waiting");
    Duration leaseFor = MessageStore.until(row, "lease_until");
    return new PartitionStatus(
        (int) row.number("number"),
        row.number("sequence"),
        row.number("processed_seq"),
        (int) row.number("attempts"),
        row.textOrNull("last_error"),
        (int) row.number("parked"),
        row.flag("paused"),
        MessageStore.until(row, "not_before"),
        leaseFor.isZero() ? null : row.textOrNull("lease_owner"),
        row.number("lease_epoch"),
        leaseFor,
        waiting == null ? null : Duration.of(Math.max(0, waiting), ChronoUnit.MICROS));
  }

  /** The time until the next delayed message is due; empty if there is none. */
  public Optional<Duration> untilNextDue() {
    return database.single(
        tx ->
            tx
                .sql("outbox_next_due")
                .list(row -> Optional.ofNullable(row.numberOrNull("wait")))
                .stream()
                .flatMap(Optional::stream)
                .map(micros -> Duration.of(Math.max(0, micros), ChronoUnit.MICROS))
                .findFirst());
  }

  /** Stops the delivery of these partitions of a queue. Says how many it concerned. */
  public int pause(String queue, int first, int last) {
    return switchDelivery("outbox_pause", queue, first, last);
  }

  /** Lets it go on. */
  public int resume(String queue, int first, int last) {
    return switchDelivery("outbox_resume", queue, first, last);
  }

  private int switchDelivery(String statement, String queue, int first, int last) {
    return database.single(
        tx -> tx.sql(statement).set("queue", queue).set("first", first).set("last", last).update());
  }
}

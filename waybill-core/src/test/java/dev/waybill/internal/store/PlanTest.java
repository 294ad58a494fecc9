package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * With 200,000 rows in each table that can grow, no statement reads one of them from end to end.
 * The statements are the real ones with real values, caught on their way.
 */
@Tag("long")
@Tag("once")
@EveryDatabase(alsoOldest = true)
class PlanTest {
  /** The tables that grow, by name and by the names that statements give them. */
  private static final String GROWING =
      "(waybill_outbox_(incoming|outgoing|body|delayed|dedup|dead_letters|parked)|i|o|b|d|f|k)";

  private static final Pattern POSTGRES_SCAN =
      Pattern.compile(
          "Seq Scan on waybill_outbox_((incoming|outgoing|body)_[0-9]|delayed|dedup|dead|parked).*");

  private static final Pattern MYSQL_SCAN =
      Pattern.compile(".*\\|table=" + GROWING + "\\|.*\\|type=(ALL|index)\\|.*");

  private static final Pattern SQLITE_SCAN = Pattern.compile("detail=SCAN " + GROWING + "\\b.*");

  private final TestDatabase database;

  PlanTest(TestDatabase database) {
    this.database = database.fresh();
  }

  @Test
  void noStatementScansATableThatGrows() throws SQLException {
    Stores plain = new Stores(database);
    List<Long> partitions = plain.queue("orders", 4);
    long first = partitions.get(0);
    fill(partitions);
    Explaining explaining = new Explaining(database.dataSource(), database.product());
    Stores stores = new Stores(explaining.source());

    everything(stores, partitions, first);

    Map<String, List<String>> plans = explaining.plans();
    assertThat(plans).hasSizeGreaterThan(15);
    // What a slot holds that is to be cleared is counted, once; whether there is a row ends at the
    // first.
    plans.keySet().removeIf(sql -> sql.contains("sum(o.n)") || sql.endsWith("limit 1) x"));
    plans.forEach(
        (sql, plan) ->
            assertThat(plan.stream().filter(this::scans))
                .as("%s%n%s", sql, String.join("\n", plan))
                .isEmpty());
    if (database.product() == DatabaseProduct.POSTGRESQL) {
      // Else all of a backlog would be sorted to number the first of it.
      assertThat(plans)
          .anySatisfy(
              (sql, plan) ->
                  assertThat(sql + plan).contains("with locked").contains("Merge Append"));
    }
    // A plan does not say how far a range is read.
    assertThat(explaining.reads())
        .allSatisfy((sql, rows) -> assertThat(rows).as(sql).isLessThan(2_000));
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "a bitmap, which meets deleted rows again and again, is PostgreSQL's")
  void whatWaitsIsReadInOrderAlsoWhereThereIsLittle() throws SQLException {
    long[] partitions =
        new Stores(database).queue("orders", 4).stream().mapToLong(Long::longValue).toArray();
    Explaining explaining = new Explaining(database.dataSource(), database.product());
    new Stores(explaining.source()).messages.sequence(partitions, 5_000);
    assertThat(explaining.plans())
        .anySatisfy((sql, plan) -> assertThat(sql + plan).contains("with locked", "Merge Append"))
        .allSatisfy(
            (sql, plan) ->
                assertThat(plan.toString())
                    .doesNotContain("Bitmap Heap Scan on waybill_outbox_incoming"));
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "only PostgreSQL keeps the plan of a small table while it grows")
  void bodiesAreFoundByTheirIdsAlsoWhereThereAreFew() throws SQLException {
    Stores plain = new Stores(database);
    long partition = plain.queue("orders", 1).get(0);
    Explaining explaining = new Explaining(database.dataSource(), database.product());
    Stores stores = new Stores(explaining.source());
    Delivery taken = new Delivery(0, 0, 0, 0, 0, List.of());
    for (int more : List.of(1, 30, 300, 1_000)) {
      plain.enqueue(partition, "x".repeat(100).repeat(more).split("(?<=\\G.{100})"));
      plain.messages.sequence(new long[] {partition}, more);
      stores.messages.releaseAll("me");
      taken = stores.messages.lease(partition, "me", Stores.MINUTE, 2_000).orElseThrow();
      Lease lease = new Lease(partition, "me", taken.epoch(), Stores.MINUTE);
      assertThat(stores.messages.next(lease, 0, 2_000).orElseThrow().messages())
          .hasSameSizeAs(taken.messages())
          .noneMatch(message -> message.body() == null);
    }
    assertThat(taken.messages()).hasSize(1_331);
    assertThat(explaining.plans())
        .anySatisfy((sql, plan) -> assertThat(sql + plan).contains("with lease", "Full Join"))
        .allSatisfy(
            (sql, plan) ->
                assertThat(plan.toString()).doesNotContain("Seq Scan on waybill_outbox_body"));
  }

  /** MySQL shows an insert as if it read, and skipping from group to group as reading an index. */
  private boolean scans(String line) {
    return switch (database.product()) {
      case POSTGRESQL -> POSTGRES_SCAN.matcher(line).find();
      case MYSQL, MARIADB ->
          MYSQL_SCAN.matcher(line).matches()
              && !line.contains("select_type=INSERT")
              && !line.contains("Using index for group-by");
      case SQLITE -> SQLITE_SCAN.matcher(line).find() && !line.contains("SCAN d");
    };
  }

  private static void everything(Stores stores, List<Long> partitions, long first) {
    MessageStore messages = stores.messages;
    DedupStore dedup = new DedupStore();
    stores.enqueue(first, "a", "b");
    NewMessage later =
        new NewMessage(first, "test", null, Map.of(), new byte[1], null, Duration.ofMillis(1));
    stores.database.transact(tx -> messages.enqueue(tx, List.of(later)));
    stores.database.transact(tx -> dedup.claim(tx, 1, List.of("key"), Duration.ofDays(1)));
    stores.queues.untilNextDue();
    messages.promote(100);
    stores.queues.dirty();
    messages.sequence(partitions.stream().mapToLong(Long::longValue).toArray(), 100);
    numberedAndTaken(stores, partitions.get(2), partitions.get(3));
    stores.database.transact(
        tx ->
            messages.departLast(
                tx,
                Stores.message(partitions.get(2), "last"),
                "me",
                new LeaseRequest.Take(partitions.get(2), Stores.MINUTE, 1)));
    stores.queues.backlog();
    stores.queues.lags();
    stores.queues.status();
    assertThat(stores.database.transact(tx -> messages.look(tx, first, 100)).bodies())
        .isNotEmpty()
        .doesNotContainValue(false);
    Delivery taken = messages.lease(first, "me", Stores.MINUTE, 10).orElseThrow();
    Lease lease = new Lease(first, "me", taken.epoch(), Stores.MINUTE);
    messages.renew(lease);
    messages.next(lease, taken.processedSeq() + 1, 10);
    messages.end(
        lease,
        CursorMove.doneUpTo(taken.processedSeq() + 2),
        List.of(new NewDeadLetter(first, taken.messages().get(0), "no", 0)));
    stores.database.transact(
        tx -> {
          assertThat(messages.lock(tx, first, 10)).isPresent();
          messages.move(tx, first, CursorMove.doneUpTo(taken.processedSeq() + 3), List.of());
          return true;
        });
    parked(stores, partitions.get(1));
    messages.state(first);
    messages.waiting(partitions);
    messages.vacuumDue();
    messages.vacuum(first, Duration.ZERO, 16);
    manyDelivered(stores, first);
    messages.vacuum(messages.vacuumDue().stream().limit(1).toList(), 16);
    messages.expireDedup(10);
    messages.releaseAll("me");
    Rotation.of(stores.database, new Rotation.Limits(1, 1, 1, Duration.ZERO))
        .ifPresent(
            rotation -> {
              rotation.turn();
              rotation.turn();
            });
  }

  /** Enough for neighbours to be removed as such. */
  private static void manyDelivered(Stores stores, long partition) {
    stores.enqueue(partition, "x".repeat(50).split(""));
    stores.messages.sequence(new long[] {partition}, 100);
    Delivery taken = stores.messages.lease(partition, "me", Stores.MINUTE, 1).orElseThrow();
    stores.messages.end(
        new Lease(partition, "me", taken.epoch(), Stores.MINUTE),
        CursorMove.doneUpTo(taken.sequence()),
        List.of());
  }

  private static void numberedAndTaken(Stores stores, long one, long other) {
    stores.enqueue(one, "a");
    stores.enqueue(other, "b");
    var wanted =
        List.of(
            new LeaseRequest.Take(one, Stores.MINUTE, 10),
            new LeaseRequest.Take(other, Stores.MINUTE, 10));
    stores.messages.sequence(new long[] {one, other}, 100, "me", wanted);
    stores.messages.round(
        "me",
        List.of(
            new LeaseRequest.End(new Lease(one, "me", 0, Stores.MINUTE), CursorMove.doneUpTo(0)),
            new LeaseRequest.End(
                new Lease(other, "me", 0, Stores.MINUTE), CursorMove.doneUpTo(0))));
  }

  /** In a partition where 200,000 messages are parked, of 200 keys of which one is due. */
  private static void parked(Stores stores, long partition) {
    ParkedStore parked = new ParkedStore(stores.database);
    MessageBody body = new MessageBody("test", new byte[1], Map.of(), "key", Instant.EPOCH);
    stores.database.transact(
        tx -> {
          stores.messages.move(
              tx,
              partition,
              CursorMove.doneUpTo(1001),
              List.of(),
              List.of(
                  new NewParked(new StoredMessage(1001, 1001, body), 1, "no", Duration.ZERO),
                  NewParked.follower(new StoredMessage(1002, 1002, body))));
          return true;
        });
    assertThat(parked.lanes(partition).lanes()).hasSize(201);
    ParkedLane due = parked.lease(partition, "me", Stores.MINUTE, 10).orElseThrow();
    assertThat(due.delivery().messages()).hasSize(1);
    assertThat(
            parked.end(
                new Lease(partition, "me", due.delivery().epoch(), Stores.MINUTE),
                new ParkedMove(due.lane(), 1, 1001, 0, null, Duration.ZERO),
                List.of()))
        .isTrue();
    stores.database.transact(
        tx -> {
          ParkedLane next = parked.lock(tx, partition, 10).orElseThrow();
          parked.move(
              tx,
              partition,
              new ParkedMove(next.lane(), 1, 1002, 0, null, Duration.ZERO),
              List.of());
          return true;
        });
    assertThat(parked.lanes(partition).lanes()).hasSize(200);
  }

  private boolean parcels() {
    return database.product() == DatabaseProduct.MYSQL
        || database.product() == DatabaseProduct.MARIADB;
  }

  /** A backlog in every stage, all of it in the second partition, and little delivered. */
  private void fill(List<Long> partitions) throws SQLException {
    boolean postgres = database.product() == DatabaseProduct.POSTGRESQL;
    String digit =
        "(select 0 as n union all select 1 union all select 2 union all select 3 union all select 4"
            + " union all select 5 union all select 6 union all select 7 union all select 8 union"
            + " all select 9)";
    String numbers =
        " from (select a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n + 100000 * f.n + 1 as k"
            + " from "
            + String.join(
                ", ", digit + " a", digit + " b", digit + " c", digit + " d", digit + " e")
            + ", (select 0 as n union all select 1) f) x";
    String bytes = postgres ? "cast('x' as bytea)" : "'x'";
    String ids = postgres ? "array[x.k]::bigint[]" : "'x'";
    // Of PostgreSQL's slots, the one that new messages go to.
    String slot = postgres ? "_1" : "";
    long second = partitions.get(1);
    if (parcels()) {
      String row =
          "insert into waybill_outbox_body (partition_id, seq, n, sequenced_at, type, payload,"
              + " created_at) select "
              + second
              + ", %s, 1, 1, 'test', 'x', 1"
              + numbers;
      database.execute(
          row.formatted(Parcel.WAITING), row.formatted(Parcel.DELAYED), row.formatted("x.k"));
    } else {
      database.execute(
          "insert into waybill_outbox_body"
              + slot
              + " (id, type, payload, created_at) select x.k, 'test', "
              + bytes
              + ", 1"
              + numbers,
          "insert into waybill_outbox_incoming"
              + slot
              + " (partition_id, id) select "
              + second
              + ", x.k"
              + numbers,
          "insert into waybill_outbox_outgoing"
              + slot
              + " (partition_id, last_seq, n, ids, sequenced_at) select "
              + second
              + ", x.k, 1, "
              + ids
              + ", 1"
              + numbers);
    }
    database.execute(
        "insert into waybill_outbox_delayed (due_at, id, partition_id) select 9000000000000000 + x.k,"
            + " x.k, "
            + second
            + numbers,
        "insert into waybill_outbox_dedup (queue_id, dedup_key, expires_at) select 1, "
            + (parcels() ? "concat('k', x.k)" : "'k' || x.k")
            + ", 9000000000000000 + x.k"
            + numbers,
        "insert into waybill_outbox_parked (partition_id, lane, seq, message_id, type, message_key,"
            + " payload, created_at, attempts, due_at) select "
            + second
            + ", (x.k - 1) - (x.k - 1) % 1000, x.k + 1000000, x.k, 'test', 'k', "
            + bytes
            + ", 1, 0, case when (x.k - 1) % 1000 = 0 then 9000000000000000 + x.k end"
            + numbers,
        "update waybill_outbox_processor set parked = 200000 where partition_id = " + second,
        "update waybill_outbox_partitions set sequence = 200000 where id = " + second,
        "update waybill_outbox_processor set processed_seq = 1000 where partition_id = " + second);
    // PostgreSQL's slots have no statistics, as autovacuum leaves them alone.
    List<String> analyzed =
        postgres
            ? List.of("delayed", "dedup", "parked")
            : Stream.concat(StoredRows.tables(database.product()).stream(), Stream.of("dedup"))
                .toList();
    for (String table : analyzed) {
      String name = "waybill_outbox_" + table;
      database.execute(
          switch (database.product()) {
            case POSTGRESQL, SQLITE -> "analyze " + name;
            case MYSQL, MARIADB -> "analyze table " + name;
          });
    }
    if (postgres) {
      database.execute(
          "insert into waybill_outbox_body_0 select id + 200000, type, null, null, payload from waybill_outbox_body_1",
          "insert into waybill_outbox_outgoing_0 (partition_id, last_seq, n, ids, lasts) select"
              + " partition_id + 1, last_seq, n, ids, lasts from waybill_outbox_outgoing_1",
          "analyze waybill_outbox_body_0",
          "analyze waybill_outbox_outgoing_0");
      database.execute("select setval('waybill_outbox_message_sq', 1000000)");
    }
  }
}

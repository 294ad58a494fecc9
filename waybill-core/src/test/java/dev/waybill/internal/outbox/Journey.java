package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.DatabaseException;
import dev.waybill.internal.store.StoredRows;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.HeadFailure;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxMessage;
import dev.waybill.outbox.Partitions;
import dev.waybill.outbox.QueueConfig;
import dev.waybill.outbox.QueueHandler;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * Some messages of every kind on their way through every stage, on queues of their own. What was
 * committed is told by a table that the same transactions write.
 */
final class Journey {
  private static final List<String> LEASED = List.of("m1", "bad2", "again3", "m4", "m5");
  private static final List<String> LEDGER = List.of("t1", "bad2", "again3", "t4");

  /** Called after their keys; the second digit is their place within the key. */
  private static final List<String> KEYED =
      List.of("a-again1", "b1", "a2", "b-again2", "a-bad3", "a4", "b3", "c1");

  private final DatabaseProduct product;
  private final Connection eyes;
  private final String leased;
  private final String ledger;
  private final String parkedLeased;
  private final String parkedLedger;
  private final List<OutboxMessage> received = new ArrayList<>();

  /**
   * A journey.
   *
   * @param eyes looks at the tables from outside
   */
  Journey(DatabaseProduct product, Connection eyes, int number) {
    this.product = product;
    this.eyes = eyes;
    this.leased = "leased" + number;
    this.ledger = "ledger" + number;
    this.parkedLeased = "parked-leased" + number;
    this.parkedLedger = "parked-ledger" + number;
  }

  static void prepare(TestDatabase database) throws SQLException {
    database.execute(
        "create table business (queue varchar(50) not null, note varchar(50) not null)",
        "create table effects (queue varchar(50) not null, note varchar(50) not null)");
  }

  private QueueConfig queue(String name, int partitions, QueueHandler handler) {
    return queue(name, partitions, handler, HeadFailure.block());
  }

  private QueueConfig queue(
      String name, int partitions, QueueHandler handler, HeadFailure onFailure) {
    return new QueueConfig(
        name,
        Partitions.of(partitions),
        handler,
        Line.LEASE,
        onFailure,
        0,
        Duration.ZERO,
        Duration.ofMillis(1),
        null);
  }

  /** A process that has just started. */
  Line line(DataSource source, String owner) {
    return new Line(
        source,
        owner,
        List.of(
            queue(leased, 2, new QueueHandler.Leased(this::handle)),
            queue(ledger, 1, new QueueHandler.Transactional((tx, m) -> write(tx.connection(), m))),
            queue(
                parkedLeased,
                1,
                new QueueHandler.Leased(this::handle),
                HeadFailure.parkKey().withLimit(3)),
            queue(
                parkedLedger,
                1,
                new QueueHandler.Transactional((tx, m) -> write(tx.connection(), m)),
                HeadFailure.parkKey())));
  }

  private MessageResult handle(OutboxMessage message) {
    received.add(message);
    if (message.text().contains("bad")) {
      return MessageResult.reject("bad");
    }
    boolean first = received.stream().filter(each -> isSame(each, message)).count() == 1;
    return message.text().contains("again") && first
        ? MessageResult.retry("again")
        : MessageResult.ok();
  }

  private static boolean isSame(OutboxMessage one, OutboxMessage other) {
    return one.queue().equals(other.queue()) && one.text().equals(other.text());
  }

  private HandlerResult write(Connection connection, OutboxMessage message) throws SQLException {
    insert(connection, "effects", message.queue(), message.text());
    if (message.text().contains("bad")) {
      return HandlerResult.reject("bad");
    }
    return message.text().contains("again") && message.attempts() == 0
        ? HandlerResult.retry("again")
        : HandlerResult.success();
  }

  /** Producers; each transaction may fail by itself. */
  void produce(Outbox outbox) {
    attempt(
        () ->
            outbox.inTransaction(
                connection -> {
                  for (String note : LEASED) {
                    enqueue(outbox, connection, leased, note, message(note).partition(0));
                  }
                  enqueue(outbox, connection, leased, "other", message("other").partition(1));
                  enqueue(
                      outbox,
                      connection,
                      leased,
                      "later",
                      message("later").partition(1).delay(Duration.ofMillis(1)));
                }));
    attempt(
        () ->
            outbox.inTransaction(
                connection -> {
                  enqueue(outbox, connection, leased, "never", message("never").partition(0));
                  throw new IllegalStateException("rolled back");
                }));
    attempt(
        () ->
            outbox.inTransaction(
                connection -> {
                  for (String note : LEDGER) {
                    enqueue(outbox, connection, ledger, note, message(note).dedupKey(note));
                  }
                }));
    attempt(
        () ->
            outbox.inTransaction(
                connection -> {
                  for (String note : KEYED) {
                    EnqueueMessage keyed = message(note).key(note.substring(0, 1));
                    enqueue(outbox, connection, parkedLeased, note, keyed);
                    enqueue(outbox, connection, parkedLedger, note, keyed);
                  }
                }));
  }

  private static EnqueueMessage message(String text) {
    return EnqueueMessage.of("test", text);
  }

  private static void enqueue(
      Outbox outbox, Connection connection, String queue, String note, EnqueueMessage message)
      throws SQLException {
    insert(connection, "business", queue, note);
    outbox.enqueue(connection, queue, message);
  }

  private static void insert(Connection connection, String table, String queue, String note)
      throws SQLException {
    try (var statement = connection.prepareStatement("insert into " + table + " values (?, ?)")) {
      statement.setString(1, queue);
      statement.setString(2, note);
      statement.executeUpdate();
    }
  }

  private interface Attempt {
    void run() throws Exception;
  }

  private static void attempt(Attempt attempt) {
    try {
      attempt.run();
    } catch (DatabaseException | IllegalStateException | SQLException disturbed) {
      // The caller's business; the table says what became of it.
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** After the end: all of it happened as it should. */
  void check(String as) throws SQLException {
    List<String> committed = rows("select note from business where queue = '" + leased + "'");
    assertThat(committed.size()).as(as).isIn(0, LEASED.size() + 2);
    List<String> booked = rows("select note from business where queue = '" + ledger + "'");
    assertThat(booked.size()).as(as).isIn(0, LEDGER.size());

    Map<Long, String> first = numbered(leased, 0);
    assertThat(first.values())
        .as("%s: order of the first partition", as)
        .containsExactlyElementsOf(committed.isEmpty() ? List.of() : LEASED);
    Map<Long, String> second = numbered(leased, 1);
    assertThat(second.values())
        .as("%s: the second partition", as)
        .containsExactlyInAnyOrderElementsOf(
            committed.isEmpty() ? List.of() : List.of("other", "later"));
    inOrder(as);
    assertThat(rows("select note from effects where queue = '" + ledger + "'"))
        .as("%s: effects, exactly once", as)
        .containsExactlyInAnyOrderElementsOf(
            booked.isEmpty() ? List.of() : List.of("t1", "again3", "t4"));
    assertThat(numbersOf(ledger, 0)).as(as).isEqualTo(booked.size());
    assertThat(dead(leased)).as(as).hasSize(committed.isEmpty() ? 0 : 1);
    assertThat(dead(ledger)).as(as).hasSize(booked.isEmpty() ? 0 : 1);
    checkParked(as);
    for (String table : StoredRows.tables(product)) {
      assertThat(rows("select '" + table + "' from waybill_outbox_" + table)).as(as).isEmpty();
    }
  }

  /** Per key in order, each after those before it were done; effects once. */
  private void checkParked(String as) throws SQLException {
    List<String> committed = rows("select note from business where queue = '" + parkedLeased + "'");
    assertThat(committed.size()).as(as).isIn(0, KEYED.size());
    for (String key : List.of("a", "b", "c")) {
      List<String> expected =
          committed.isEmpty()
              ? List.of()
              : KEYED.stream().filter(each -> each.startsWith(key)).toList();
      List<String> order = new ArrayList<>();
      List<String> tries = new ArrayList<>();
      for (OutboxMessage each : received) {
        if (each.queue().equals(parkedLeased) && key.equals(each.key())) {
          tries.add(each.text());
          boolean repeated = tries.stream().filter(each.text()::equals).count() > 1;
          if (!order.contains(each.text()) && (repeated || !each.text().contains("again"))) {
            order.add(each.text());
          }
          // Whatever comes, those before it were done; whatever came before may come again.
          int at = expected.indexOf(each.text());
          assertThat(order)
              .as("%s: %s in %s", as, each, tries)
              .containsAll(expected.subList(0, at));
        }
      }
      assertThat(order).as("%s: %s", as, tries).containsExactlyElementsOf(expected);
    }
    assertThat(rows("select note from effects where queue = '" + parkedLedger + "'"))
        .as("%s: effects of parked ones, exactly once", as)
        .containsExactlyInAnyOrderElementsOf(
            committed.isEmpty()
                ? List.of()
                : KEYED.stream().filter(each -> !each.contains("bad")).toList());
    assertThat(dead(parkedLeased)).as(as).hasSize(committed.isEmpty() ? 0 : 1);
    assertThat(dead(parkedLedger)).as(as).hasSize(committed.isEmpty() ? 0 : 1);
    assertThat(
            rows(
                "select c.parked from waybill_outbox_processor c where c.parked <> 0 or"
                    + " c.parked_due is not null"))
        .as(as)
        .isEmpty();
  }

  /** The texts by number, as the handler was told; the numbers are 1 to the last one given. */
  private Map<Long, String> numbered(String queue, int partition) throws SQLException {
    Map<Long, String> texts = new TreeMap<>();
    for (OutboxMessage each : received) {
      if (each.queue().equals(queue) && each.partition() == partition) {
        String before = texts.put(each.seq(), each.text());
        assertThat(before).isIn(null, each.text());
      }
    }
    long last = numbersOf(queue, partition);
    assertThat(texts).hasSize((int) last);
    assertThat(texts.keySet()).allMatch(seq -> seq >= 1 && seq <= last);
    return texts;
  }

  /** Nobody is passed by: each delivery is of a message seen before or of the one after those. */
  private void inOrder(String as) {
    for (int partition = 0; partition < 2; partition++) {
      long furthest = 0;
      for (OutboxMessage each : received) {
        if (each.queue().equals(leased) && each.partition() == partition) {
          assertThat(each.seq()).as(as).isLessThanOrEqualTo(furthest + 1);
          furthest = Math.max(furthest, each.seq());
        }
      }
    }
  }

  private long numbersOf(String queue, int partition) throws SQLException {
    return Long.parseLong(
        rows("select p.sequence from waybill_outbox_partitions p join waybill_outbox_queues q"
                + " on q.id = p.queue_id where q.name = '"
                + queue
                + "' and p.number = "
                + partition)
            .get(0));
  }

  private List<String> dead(String queue) throws SQLException {
    return rows(
        "select d.seq from waybill_outbox_dead_letters d join waybill_outbox_partitions p on"
            + " p.id = d.partition_id join waybill_outbox_queues q on q.id = p.queue_id"
            + " where q.name = '"
            + queue
            + "'");
  }

  private List<String> rows(String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (var statement = eyes.createStatement();
        var result = statement.executeQuery(sql)) {
      while (result.next()) {
        rows.add(result.getString(1));
      }
    }
    return rows;
  }
}

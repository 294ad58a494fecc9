package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.TransactionRequiredException;
import dev.waybill.Waybill;
import dev.waybill.internal.store.StoredRows;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The whole walk of a message, through the doors that users have. */
@EveryDatabase
class OutboxTest {
  private final TestDatabase database;
  private final Received received = new Received();
  private final List<Waybill> running = new ArrayList<>();

  OutboxTest(TestDatabase database) throws SQLException {
    this.database = Migrated.on(database);
    this.database.execute("create table ledger (id bigint not null, note varchar(100) not null)");
  }

  @AfterEach
  void stop() {
    running.forEach(Waybill::close);
  }

  private Outbox start(Consumer<OutboxBuilder> setup) {
    Waybill waybill = Waybill.builder(database.pool(10)).outbox(setup).start();
    running.add(waybill);
    return waybill.outbox();
  }

  private static EnqueueMessage message(String text) {
    return EnqueueMessage.of("test", text);
  }

  @Test
  void aCommittedMessageReachesALeasedHandler() throws Exception {
    Outbox outbox =
        start(
            o ->
                o.queue("orders", Partitions.of(4))
                    .leased(
                        message -> {
                          received.add(message);
                          return MessageResult.ok();
                        }));

    outbox.inTransaction(
        connection ->
            outbox.enqueue(
                connection, "orders", message("hello").key("customer").header("a", "b")));

    assertThat(received.await(1)).containsExactly("hello");
    OutboxMessage message = received.soFar().get(0);
    assertThat(message.queue()).isEqualTo("orders");
    assertThat(message.seq()).isEqualTo(1);
    assertThat(message.attempts()).isZero();
    assertThat(message.headers()).containsEntry("a", "b");
    assertThat(message.key()).isEqualTo("customer");
  }

  @Test
  void manyMessagesArriveInOrderPerPartition() throws Exception {
    Outbox outbox =
        start(
            o ->
                o.profile(OutboxProfile.highThroughput())
                    .queue("orders", Partitions.of(4))
                    .leased(
                        message -> {
                          received.add(message);
                          return MessageResult.ok();
                        }));

    for (int i = 0; i < 10; i++) {
      int from = i * 100;
      outbox.inTransaction(
          connection ->
              outbox.enqueueBatch(
                  connection,
                  "orders",
                  IntStream.range(from, from + 100)
                      .mapToObj(n -> message("" + n).partition(n % 4))
                      .toList()));
    }

    received.await(1_000);
    for (int p = 0; p < 4; p++) {
      int partition = p;
      List<OutboxMessage> mine =
          received.soFar().stream().filter(m -> m.partition() == partition).toList();
      assertThat(mine).hasSize(250);
      assertThat(mine.stream().map(OutboxMessage::seq))
          .containsExactlyElementsOf(
              IntStream.rangeClosed(1, 250).mapToObj(n -> (long) n).toList());
      assertThat(mine.stream().map(m -> Integer.parseInt(m.text()))).isSorted();
    }
  }

  @Test
  void aTransactionalHandlersWritesHappenExactlyOnceAlthoughItRetries() throws Exception {
    Outbox outbox =
        start(
            o ->
                o.profile(
                        OutboxProfile.lowLatency()
                            .withRetry(
                                new RetryTuning(Duration.ofMillis(1), Duration.ofMillis(5), 3)))
                    .queue("ledger", Partitions.of(1))
                    .transactional(
                        (tx, message) -> {
                          insert(tx.connection(), message.seq(), message.text());
                          received.add(message);
                          return message.text().equals("c") && message.attempts() < 2
                              ? HandlerResult.retry("not yet")
                              : HandlerResult.success();
                        }));

    outbox.inTransaction(
        connection ->
            outbox.enqueueBatch(
                connection,
                "ledger",
                List.of(message("a"), message("b"), message("c"), message("d"))));

    received.await(all -> all.stream().anyMatch(m -> m.text().equals("d")));
    stop();
    assertThat(notes()).containsExactly("a", "b", "c", "d");
  }

  @Test
  void aRejectedMessageIsADeadLetterAndTheOthersGoOn() throws Exception {
    Outbox outbox =
        start(
            o ->
                o.queue("ledger", Partitions.of(1))
                    .transactional(
                        (tx, message) -> {
                          insert(tx.connection(), message.seq(), message.text());
                          received.add(message);
                          return message.text().equals("bad")
                              ? HandlerResult.reject("never")
                              : HandlerResult.success();
                        }));

    outbox.inTransaction(
        connection ->
            outbox.enqueueBatch(
                connection, "ledger", List.of(message("a"), message("bad"), message("c"))));

    received.await(3);
    stop();
    assertThat(notes()).containsExactly("a", "c");
    assertThat(count("select count(*) from waybill_outbox_dead_letters where seq = 2"))
        .isEqualTo(1);
  }

  @Test
  void aRolledBackMessageNeverArrives() throws Exception {
    Outbox outbox =
        start(
            o ->
                o.queue("orders", Partitions.of(1))
                    .leased(
                        message -> {
                          received.add(message);
                          return MessageResult.ok();
                        }));

    assertThatThrownBy(
            () ->
                outbox.inTransaction(
                    connection -> {
                      outbox.enqueue(connection, "orders", message("lost"));
                      throw new IllegalStateException("no");
                    }))
        .isInstanceOf(IllegalStateException.class);
    outbox.inTransaction(connection -> outbox.enqueue(connection, "orders", message("kept")));

    assertThat(received.await(1)).containsExactly("kept");
    assertThat(received.soFar().get(0).seq()).isEqualTo(1);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "one process at a time, so nobody polls for others")
  void aProcessThatOnlyEnqueuesWakesTheOneThatDelivers() throws Exception {
    OutboxProfile patient = OutboxProfile.defaults().withReconcileInterval(Duration.ofHours(1));
    start(
        o ->
            o.profile(patient)
                .queue("orders", Partitions.of(2))
                .leased(
                    message -> {
                      received.add(message);
                      return MessageResult.ok();
                    }));
    Outbox producer =
        start(o -> o.withoutWorkers().queue("orders", Partitions.of(2)).produceOnly());

    for (int i = 0; i < 5; i++) {
      String text = "m" + i;
      producer.inTransaction(
          connection -> producer.enqueue(connection, "orders", message(text).partition(0)));
    }

    assertThat(received.await(5)).containsExactly("m0", "m1", "m2", "m3", "m4");
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "nobody can be told there: the promoter looks once per safety poll")
  void aProcessThatOnlyEnqueuesTellsTheOthersOfDelayedMessages() throws Exception {
    start(
        o ->
            o.profile(Service.NEVER_LOOKS)
                .queue("orders", Partitions.of(1))
                .leased(
                    message -> {
                      received.add(message);
                      return MessageResult.ok();
                    }));
    Outbox producer =
        start(o -> o.withoutWorkers().queue("orders", Partitions.of(1)).produceOnly());

    // The first one may be found by a look at the start; then all is silent.
    for (int i = 1; i <= 3; i++) {
      String text = "m" + i;
      producer.inTransaction(
          connection ->
              producer.enqueue(connection, "orders", message(text).delay(Duration.ofMillis(50))));
      received.await(i);
    }

    assertThat(received.await(3)).containsExactly("m1", "m2", "m3");
  }

  @Test
  void autoCommitIsRefusedBeforeAnythingIsWritten() throws Exception {
    Outbox outbox = start(o -> o.queue("orders", Partitions.of(1)).produceOnly());
    try (Connection connection = database.connect()) {
      assertThatThrownBy(() -> outbox.enqueue(connection, "orders", message("x")))
          .isInstanceOf(TransactionRequiredException.class);
    }
    assertThat(count("select count(*) from waybill_outbox_body")).isZero();
  }

  @Test
  @SuppressWarnings("NullAway") // what a caller without such checks may do
  void nullsAreRefusedBeforeAnythingIsWritten() throws Exception {
    Outbox outbox = start(o -> o.queue("orders", Partitions.of(1)).produceOnly());
    assertThatThrownBy(() -> outbox.enqueue(null, "orders", message("x")))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("connection must not be null");
    outbox.inTransaction(
        connection -> {
          assertThatThrownBy(() -> outbox.enqueue(connection, null, message("x")))
              .hasMessageContaining("queue's name must not be null");
          assertThatThrownBy(() -> outbox.enqueue(connection, "orders", null))
              .hasMessageContaining("message must not be null");
          assertThatThrownBy(() -> outbox.enqueueBatch(connection, "orders", null))
              .hasMessageContaining("messages must not be null");
          assertThat(outbox.enqueueBatch(connection, "orders", List.of()).ids()).isEmpty();
        });
    assertThat(count("select count(*) from waybill_outbox_body")).isZero();
  }

  @Test
  void duplicatesAreLeftOut() throws Exception {
    Outbox outbox = start(o -> o.queue("orders", Partitions.of(1)).produceOnly());
    List<Enqueued> all = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      outbox.inTransaction(
          connection ->
              all.add(
                  outbox.enqueueBatch(
                      connection,
                      "orders",
                      List.of(
                          message("a").dedupKey("k1"),
                          message("b"),
                          message("c").dedupKey("k1"),
                          message("d").dedupKey("Ünique")))));
    }
    assertThat(all.get(0).duplicates()).containsExactly(2);
    assertThat(all.get(0).ids().get(2)).isEqualTo(all.get(0).ids().get(0));
    assertThat(all.get(1).duplicates()).containsExactly(0, 2, 3);
    assertThat(all.get(1).ids().get(0)).isEqualTo(all.get(0).ids().get(0));
    assertThat(all.get(1).ids().get(3)).isEqualTo(all.get(0).ids().get(3));
    assertThat(count(StoredRows.count(database.product()))).isEqualTo(4);
  }

  private void insert(Connection connection, long id, String note) throws SQLException {
    try (var statement =
        connection.prepareStatement("insert into ledger (id, note) values (?, ?)")) {
      statement.setLong(1, id);
      statement.setString(2, note);
      statement.executeUpdate();
    }
  }

  private List<String> notes() throws SQLException {
    List<String> notes = new ArrayList<>();
    try (Connection connection = database.connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery("select note from ledger order by id, note")) {
      while (rows.next()) {
        notes.add(rows.getString(1));
      }
    }
    return notes;
  }

  private long count(String sql) throws SQLException {
    try (Connection connection = database.connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}

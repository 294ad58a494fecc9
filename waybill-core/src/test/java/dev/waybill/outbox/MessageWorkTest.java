package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.internal.store.StoredRows;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that go with the commit of the work that returns them. */
@EveryDatabase
class MessageWorkTest {
  private final TestDatabase database;
  private final DatabaseProduct product;
  private final Service service;
  private final Received received = new Received();

  MessageWorkTest(TestDatabase database) throws SQLException {
    this.database = database.fresh();
    product = this.database.product();
    service = new Service(this.database);
    this.database.execute("create table effects (note varchar(50) not null)");
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private Outbox working() {
    return service.start(
        o ->
            o.profile(Service.NEVER_LOOKS)
                .queue("orders", Partitions.of(2))
                .leased(
                    message -> {
                      received.add(message);
                      return MessageResult.ok();
                    }));
  }

  /** Nobody works here, so everything waits. */
  private Outbox producing() {
    return service.start(o -> o.withoutWorkers().queue("orders", Partitions.of(2)).produceOnly());
  }

  private static EnqueueMessage message(String text) {
    return EnqueueMessage.of("test", text).partition(0);
  }

  private static void write(Connection connection, String note) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("insert into effects values ('" + note + "')");
    }
  }

  private long effects() throws SQLException {
    return service.number("select count(*) from effects");
  }

  /** Messages that wait for a number, or have one. */
  private long messages(Outbox outbox) throws SQLException {
    outbox.flush();
    return service.number(StoredRows.count(product));
  }

  @Test
  void theyAreDeliveredInOrderWithTheirIds() throws Exception {
    Outbox outbox = working();
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      String text = "m" + i;
      Enqueued one =
          outbox.inTransaction(
              "orders",
              connection -> {
                write(connection, text);
                return List.of(message(text));
              });
      ids.add(one.id());
    }
    Enqueued several =
        outbox.inTransaction("orders", connection -> List.of(message("a"), message("b")));
    ids.addAll(several.ids());

    List<String> texts = received.await(32);

    assertThat(texts.subList(29, 32)).containsExactly("m29", "a", "b");
    assertThat(texts).startsWith("m0", "m1", "m2");
    assertThat(received.soFar()).extracting(OutboxMessage::id).containsExactlyElementsOf(ids);
    assertThat(effects()).isEqualTo(30);
  }

  @Test
  void workThatFailsSendsNothing() throws Exception {
    Outbox outbox = producing();
    assertThatThrownBy(
            () ->
                outbox.inTransaction(
                    "orders",
                    connection -> {
                      write(connection, "a");
                      throw new IOException("no");
                    }))
        .isInstanceOf(IOException.class);
    assertThat(effects()).isZero();
    assertThat(messages(outbox)).isZero();
  }

  @Test
  @SuppressWarnings("NullAway") // what a caller without such checks may do
  void messagesThatAreNotFitTakeTheWorkBack() throws Exception {
    Outbox outbox = producing();
    assertThatThrownBy(
            () ->
                outbox.inTransaction(
                    "orders",
                    connection -> {
                      write(connection, "a");
                      return List.of(message("fine"), message("bad").partition(7));
                    }))
        .isInstanceOf(InvalidMessageException.class);
    assertThatThrownBy(
            () ->
                outbox.inTransaction(
                    "orders",
                    connection -> {
                      write(connection, "a");
                      return null;
                    }))
        .hasMessageContaining("must not return null");
    assertThat(effects()).isZero();
    assertThat(messages(outbox)).isZero();
  }

  @Test
  void aQueueThatNobodyNamedIsRefusedBeforeTheWork() {
    Outbox outbox = producing();
    List<String> worked = new ArrayList<>();
    assertThatThrownBy(
            () ->
                outbox.inTransaction(
                    "order",
                    connection -> {
                      worked.add("x");
                      return List.of();
                    }))
        .isInstanceOf(OutboxException.QueueNotRegistered.class);
    assertThat(worked).isEmpty();
  }

  @Test
  void workWithoutMessagesIsCommittedAllTheSame() throws Exception {
    Outbox outbox = producing();
    Enqueued none =
        outbox.inTransaction(
            "orders",
            connection -> {
              write(connection, "a");
              return List.of();
            });
    assertThat(none.ids()).isEmpty();
    assertThat(effects()).isEqualTo(1);
  }

  @Test
  void duplicatesAreLeftOutAndOthersOfTheWorkAreSentToo() throws Exception {
    Outbox outbox = producing();
    for (int i = 0; i < 2; i++) {
      boolean again = i == 1;
      Enqueued enqueued =
          outbox.inTransaction(
              "orders",
              connection -> {
                write(connection, "a");
                outbox.enqueue(connection, "orders", message("first"));
                return List.of(message("x").dedupKey("k"), message("y"));
              });
      assertThat(enqueued.duplicates()).isEqualTo(again ? List.of(0) : List.of());
    }
    assertThat(effects()).isEqualTo(2);
    assertThat(messages(outbox)).isEqualTo(5);
  }

  /** On PostgreSQL no answer but that of the messages is waited for: the commit is done by then. */
  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "there is no connection that could break")
  void aConnectionThatBreaksAfterTheMessagesHasCommittedThemOrHasNot() throws Exception {
    Outbox outbox = producing();
    service.faulty().reset();
    service.faulty().on(Fault.commit(1)).cut(Moment.BEFORE);
    assertThatThrownBy(
            () ->
                outbox.inTransaction(
                    "orders",
                    connection -> {
                      write(connection, "a");
                      return List.of(message("x"));
                    }))
        .isInstanceOf(DatabaseException.class);
    service.faulty().reset();
    long committed = product == DatabaseProduct.POSTGRESQL ? 1 : 0;
    assertThat(effects()).isEqualTo(committed);
    assertThat(messages(outbox)).isEqualTo(committed);
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MARIADB, DatabaseProduct.MYSQL, DatabaseProduct.SQLITE},
      why = "no constraint is deferred there")
  void aCommitThatIsRefusedTakesTheMessagesBack() throws Exception {
    Outbox outbox = producing();
    service.update("create table parents (id int primary key)");
    service.update(
        "create table children (parent int references parents deferrable initially deferred)");
    assertThatThrownBy(
            () ->
                outbox.inTransaction(
                    "orders",
                    connection -> {
                      try (Statement statement = connection.createStatement()) {
                        statement.execute("insert into children values (7)");
                      }
                      return List.of(message("x"));
                    }))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("23503");
    assertThat(messages(outbox)).isZero();
    assertThat(service.number("select count(*) from children")).isZero();
    outbox.inTransaction("orders", connection -> List.of(message("y")));
    assertThat(messages(outbox)).isEqualTo(1);
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MARIADB, DatabaseProduct.MYSQL, DatabaseProduct.SQLITE},
      why = "an error ends a statement there, not the transaction")
  void workThatHidesAnErrorIsNotCommitted() throws Exception {
    Outbox outbox = producing();
    assertThatThrownBy(
            () ->
                outbox.inTransaction(
                    "orders",
                    connection -> {
                      write(connection, "a");
                      try (Statement statement = connection.createStatement()) {
                        statement.execute("select 1 / 0");
                      } catch (SQLException hidden) {
                        // As a careless caller would.
                      }
                      return List.of(message("x"));
                    }))
        .isInstanceOf(DatabaseException.class);
    assertThat(effects()).isZero();
    assertThat(messages(outbox)).isZero();
  }

  /** Who has the key may keep it for as long as his transaction takes. */
  @Test
  @Timeout(120)
  @NotOn(value = DatabaseProduct.SQLITE, why = "there is one writer")
  void whoWaitsForAKeyHoldsUpNobodyElse() throws Exception {
    Outbox outbox = working();
    try (Connection other = database.connect()) {
      other.setAutoCommit(false);
      Enqueued theirs = outbox.enqueue(other, "orders", message("theirs").dedupKey("k"));
      service.faulty().reset();
      CompletableFuture<Enqueued> waiting =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return outbox.inTransaction(
                      "orders",
                      connection -> {
                        outbox.enqueue(connection, "orders", message("first"));
                        return List.of(message("again").dedupKey("k"));
                      });
                } catch (Exception e) {
                  throw new AssertionError(e);
                }
              });
      Service.await(() -> service.saw("waybill_outbox_dedup"));
      Service.send(outbox, "orders", "others");
      assertThat(received.await(1)).containsExactly("others");
      other.commit();
      theirs.flush();
      assertThat(waiting.get(30, TimeUnit.SECONDS).duplicates()).containsExactly(0);
    }
    assertThat(received.await(3)).containsExactlyInAnyOrder("others", "theirs", "first");
  }
}

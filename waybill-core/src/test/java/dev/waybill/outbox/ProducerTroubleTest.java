package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.store.StoredRows;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What can befall a producer in its transaction: it is told, and nothing is half there. */
@EveryDatabase
class ProducerTroubleTest {
  private static final String QUEUE = "orders";

  private final TestDatabase database;
  private final Service service;
  private final Outbox outbox;

  ProducerTroubleTest(TestDatabase database) {
    this.database = database.fresh();
    this.service = new Service(this.database);
    this.outbox =
        service.start(o -> o.withoutWorkers().queue(QUEUE, Partitions.of(1)).produceOnly());
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private Connection producer() throws SQLException {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    return connection;
  }

  private long messages() throws SQLException {
    return service.number(StoredRows.count(database.product()));
  }

  private @Nullable DatabaseException failure(Connection connection, String key) {
    try {
      outbox.enqueue(connection, QUEUE, EnqueueMessage.of("test", key).dedupKey(key));
      return null;
    } catch (DatabaseException e) {
      return e;
    }
  }

  /** The other waits for what this one has, until it ends. */
  private @Nullable DatabaseException failureRolledBack(Connection connection, String key) {
    DatabaseException failure = failure(connection, key);
    if (failure != null) {
      try {
        connection.rollback();
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }
    return failure;
  }

  @Test
  @Timeout(60)
  @NotOn(value = DatabaseProduct.SQLITE, why = "there is one writer")
  void ofTwoThatDeadlockOneIsToldAndTriesAgain() throws Exception {
    try (Connection one = producer();
        Connection two = producer()) {
      assertThat(failure(one, "a")).isNull();
      assertThat(failure(two, "b")).isNull();
      CompletableFuture<@Nullable DatabaseException> second =
          CompletableFuture.supplyAsync(() -> failureRolledBack(two, "a"));
      DatabaseException ofOne = failureRolledBack(one, "b");
      DatabaseException ofTwo = second.get(20, TimeUnit.SECONDS);
      List<DatabaseException> told = new ArrayList<>();
      for (DatabaseException each : new DatabaseException[] {ofOne, ofTwo}) {
        if (each != null) {
          told.add(each);
        }
      }
      assertThat(told).hasSize(1);
      assertThat(told.get(0).kind()).isEqualTo(Kind.CONTENTION);
      Connection winner = ofOne == null ? one : two;
      Connection other = ofOne == null ? two : one;
      winner.commit();
      assertThat(messages()).isEqualTo(2);
      Enqueued again =
          outbox.enqueueBatch(
              other,
              QUEUE,
              List.of(
                  EnqueueMessage.of("test", "a").dedupKey("a"),
                  EnqueueMessage.of("test", "b").dedupKey("b"),
                  EnqueueMessage.of("test", "c").dedupKey("c")));
      assertThat(again.duplicates()).containsExactly(0, 1);
      other.commit();
    }
    assertThat(messages()).isEqualTo(3);
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB},
      why = "tables are named with their database there, so they are found")
  void aConnectionToADatabaseWithoutOurTablesIsToldByTheStatement() throws Exception {
    try (Connection elsewhere = database.fresh().connect()) {
      elsewhere.setAutoCommit(false);
      assertThatThrownBy(
              () -> outbox.enqueue(elsewhere, QUEUE, EnqueueMessage.of("test", "secret")))
          .isInstanceOf(DatabaseException.class)
          .hasMessageContaining("waybill_outbox_")
          .hasMessageNotContaining("secret");
    }
    assertThat(messages()).isZero();
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.MYSQL, DatabaseProduct.MARIADB},
      why = "they cannot be told that their disk is full; FullDiskTest fills one")
  void aFileThatMayNotGrowIsToldAndNothingIsHalfThere() throws Exception {
    List<EnqueueMessage> large =
        IntStream.range(0, 40).mapToObj(i -> EnqueueMessage.of("big", new byte[60_000])).toList();
    List<List<EnqueueMessage>> calls =
        List.of(large, large.subList(0, 1), List.of(large.get(0).dedupKey("k")));
    long before = 0;
    for (List<EnqueueMessage> call : calls) {
      try (Connection connection = producer();
          Statement statement = connection.createStatement()) {
        statement.execute("pragma max_page_count = 1");
        outbox.enqueue(connection, QUEUE, EnqueueMessage.of("small", ""));
        DatabaseException full =
            catchThrowableOfType(
                DatabaseException.class, () -> outbox.enqueueBatch(connection, QUEUE, call));
        assertThat(full).hasMessageContaining("full");
        boolean committed = committed(connection);
        before += committed ? 1 : 0;
        assertThat(messages()).isEqualTo(before);
      }
    }
    outbox.inTransaction(connection -> outbox.enqueueBatch(connection, QUEUE, large));
    assertThat(messages()).isEqualTo(before + large.size());
  }

  /** SQLite may have ended the transaction with the error; then there is nothing to commit. */
  private static boolean committed(Connection connection) {
    try {
      connection.commit();
      return true;
    } catch (SQLException ended) {
      return false;
    }
  }
}

package dev.waybill.internal.store;

import static dev.waybill.internal.store.Background.promptly;
import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.DatabaseException;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two transactions and one de-duplication key. */
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "a transaction that writes has the whole database")
class DedupRaceTest {
  private static final Duration DAY = Duration.ofDays(1);

  private final TestDatabase database;
  private final Stores stores;
  private final DedupStore dedup = new DedupStore();

  DedupRaceTest(TestDatabase database) {
    this.database = database;
    this.stores = new Stores(database);
  }

  private Connection producer(int isolation) throws SQLException {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(isolation);
    return connection;
  }

  private Map<String, Long> claim(Connection connection, long queue, String key) {
    return dedup.claim(stores.database.join(connection), queue, List.of(key), DAY);
  }

  @Test
  void aKeyThatWasClaimedAfterASnapshotWasTakenIsKnownAllTheSame() throws Exception {
    for (int isolation :
        List.of(Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ)) {
      long queue = 1_000L + isolation;
      try (Connection late = producer(isolation);
          Statement look = late.createStatement()) {
        look.executeQuery("select count(*) from waybill_outbox_dedup").close();
        stores.database.transact(
            tx -> {
              dedup.claim(tx, queue, List.of("key"), DAY);
              dedup.name(tx, queue, Map.of("key", 7L));
              return true;
            });
        try {
          assertThat(claim(late, queue, "key")).containsEntry("key", 7L);
        } catch (DatabaseException e) {
          // PostgreSQL refuses a repeatable read that would have to see what came later.
          assertThat(e.kind()).isEqualTo(DatabaseException.Kind.CONTENTION);
          assertThat(database.product()).isEqualTo(DatabaseProduct.POSTGRESQL);
        }
        late.rollback();
      }
    }
  }

  @Test
  void whoEnqueuesTheSameKeyWaitsForTheOtherAndThenKnows() throws Exception {
    for (boolean commits : List.of(true, false)) {
      long queue = commits ? 2_001 : 2_002;
      try (Connection one = producer(Connection.TRANSACTION_READ_COMMITTED);
          Connection two = producer(Connection.TRANSACTION_READ_COMMITTED)) {
        assertThat(claim(one, queue, "key")).isEmpty();
        dedup.name(stores.database.join(one), queue, Map.of("key", 7L));
        Background<Map<String, Long>> second = Background.run(() -> claim(two, queue, "key"));
        // Another key is nobody's business.
        promptly(() -> claim(one, queue, "other"));
        if (commits) {
          one.commit();
        } else {
          one.rollback();
        }
        assertThat(second.get()).isEqualTo(commits ? Map.of("key", 7L) : Map.of());
        two.rollback();
      }
    }
  }

  @Test
  void theVacuumPassesKeysThatAnOpenProducerHasClaimedAnew() throws Exception {
    database.execute(
        "insert into waybill_outbox_dedup (queue_id, dedup_key, expires_at) values (1, 'a', 1)",
        "insert into waybill_outbox_dedup (queue_id, dedup_key, expires_at) values (1, 'b', 2)",
        "insert into waybill_outbox_dedup (queue_id, dedup_key, expires_at) values (1, 'c', 3)");
    try (Connection open = producer(Connection.TRANSACTION_READ_COMMITTED)) {
      assertThat(claim(open, 1, "b")).isEmpty();
      assertThat(promptly(() -> stores.messages.expireDedup(10))).isEqualTo(2);
      // What it has passed is free at once, also for the one it passed by.
      promptly(() -> claim(open, 1, "a"));
      open.commit();
    }
    assertThat(stores.messages.expireDedup(10)).isZero();
  }
}

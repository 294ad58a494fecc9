package dev.waybill.internal.store;

import static dev.waybill.internal.store.Background.promptly;
import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A caller's transaction has the isolation that the caller needs, and perhaps a snapshot from long
 * ago. Whatever it is, producers wait neither for one another nor for those who work, nobody waits
 * for them, and the order is right.
 */
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "there is one writer")
class CallersIsolationTest {
  private static final Duration DAY = Duration.ofDays(1);

  private final TestDatabase database;
  private final Stores stores;
  private final long partition;

  CallersIsolationTest(TestDatabase database, TestInfo test) {
    this.database = database.fresh();
    this.stores = new Stores(this.database);
    this.partition = stores.queue("orders", 1).get(0);
  }

  /** A caller who has looked at everything there is, which fixes its snapshot. */
  private Connection caller(int isolation) throws SQLException {
    Connection connection = database.connect();
    connection.setTransactionIsolation(isolation);
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.executeQuery("select count(*) from notes").close();
    }
    return connection;
  }

  private void enqueue(Connection caller, List<NewMessage> messages) throws Exception {
    promptly(() -> stores.messages.enqueue(stores.database.join(caller), messages));
  }

  private List<NewMessage> batch(String name) {
    return IntStream.range(0, 5).mapToObj(i -> Stores.message(partition, name + i)).toList();
  }

  private void number() throws Exception {
    promptly(() -> stores.messages.sequence(new long[] {partition}, 100));
  }

  /** Numbers what is visible, delivers it, and clears it away. */
  private void work(List<String> delivered) throws Exception {
    number();
    promptly(() -> stores.messages.lease(partition, "me", Stores.MINUTE, 100))
        .ifPresent(
            delivery -> {
              delivery.messages().forEach(each -> delivered.add(each.seq() + Stores.text(each)));
              Lease lease = new Lease(partition, "me", delivery.epoch(), Stores.MINUTE);
              stores.messages.end(lease, CursorMove.doneUpTo(delivery.sequence()), List.of());
            });
    promptly(() -> stores.messages.vacuum(partition, Duration.ZERO, 100));
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        Connection.TRANSACTION_READ_UNCOMMITTED,
        Connection.TRANSACTION_READ_COMMITTED,
        Connection.TRANSACTION_REPEATABLE_READ,
        Connection.TRANSACTION_SERIALIZABLE
      })
  void nobodyWaitsAndTheOrderIsRight(int isolation) throws Exception {
    database.execute("create table notes (note varchar(20) not null)");
    List<String> delivered = new ArrayList<>();
    try (Connection one = caller(isolation);
        Connection two = caller(isolation)) {
      stores.enqueue(partition, "first");
      work(delivered);
      enqueue(one, batch("a"));
      enqueue(two, List.of(Stores.message(partition, "b")));
      stores.enqueue(partition, "between");
      work(delivered);
      enqueue(one, List.of(Stores.message(partition, "c")));
      enqueue(two, batch("d"));
      one.commit();
      work(delivered);
      stores.enqueue(partition, "behind one");
      two.commit();
      work(delivered);
    }
    assertThat(delivered)
        .containsExactly(
            "1first",
            "2between",
            "3a0",
            "4a1",
            "5a2",
            "6a3",
            "7a4",
            "8c",
            "9b",
            "10d0",
            "11d1",
            "12d2",
            "13d3",
            "14d4",
            "15behind one");
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        Connection.TRANSACTION_READ_COMMITTED,
        Connection.TRANSACTION_REPEATABLE_READ,
        Connection.TRANSACTION_SERIALIZABLE
      })
  void keysOfOthersAreNobodysBusiness(int isolation) throws Exception {
    database.execute("create table notes (note varchar(20) not null)");
    DedupStore dedup = new DedupStore();
    for (int keys : List.of(1, 3, 40)) {
      long queue = keys;
      try (Connection one = caller(isolation);
          Connection two = caller(isolation)) {
        for (Connection each : List.of(one, two)) {
          int own = each == one ? 0 : 1;
          // Those of the one lie between those of the other.
          List<String> all =
              IntStream.range(0, keys).mapToObj(i -> "k%03d".formatted(2 * i + own)).toList();
          assertThat(promptly(() -> dedup.claim(stores.database.join(each), queue, all, DAY)))
              .isEmpty();
          Map<String, Long> named = new HashMap<>();
          all.forEach(key -> named.put(key, 1L + named.size()));
          promptly(
              () -> {
                dedup.name(stores.database.join(each), queue, named);
                return true;
              });
        }
        two.commit();
        one.commit();
      }
    }
  }
}

package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A visit takes several statements, and each may see another moment, or all the same one: that
 * depends on the session. Whatever is committed between any two of them, with whatever id, is
 * numbered once and behind what came before, and nobody finds a number without its message.
 */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.SQLITE},
    why = "a step is one statement, or there is one writer")
class TwoViewsTest {
  private static final Duration PROMPT = Duration.ofSeconds(20);

  private final TestDatabase database;
  private final Stores stores;

  TwoViewsTest(TestDatabase database) {
    this.database = database;
    this.stores = new Stores(database);
  }

  /** Where a visit is stopped, before the statement with this text. */
  private static final Map<String, String> PLACES =
      Map.of(
          "choose", "seq = 9223372036854775807 order by id",
          "number", "set b.seq = t.seq",
          "lock the cursor", "for update skip locked",
          "take", "set c.processed_seq = t.processed_seq",
          "read", "octet_length(payload)");

  @ParameterizedTest(name = "{0} before {1}")
  @CsvSource({
    "READ_COMMITTED, choose", "READ_COMMITTED, number", "READ_COMMITTED, lock the cursor",
    "READ_COMMITTED, take", "READ_COMMITTED, read", "REPEATABLE_READ, choose",
    "REPEATABLE_READ, number", "REPEATABLE_READ, lock the cursor", "REPEATABLE_READ, take",
    "REPEATABLE_READ, read"
  })
  void whatIsCommittedBetweenTwoStatementsOfAVisitIsNeitherSkippedNorLost(
      String isolation, String place) throws Exception {
    long first = stores.queue(isolation + place.replace(' ', '-'), 1).get(0);
    try (Connection late = database.connect()) {
      late.setAutoCommit(false);
      stores.messages.enqueue(stores.database.join(late), List.of(Stores.message(first, "late")));
      stores.enqueue(first, "a");
      Visit visit = new Visit(isolation, place);
      MessageStore.Numbered numbered =
          visit.meanwhile(
              () ->
                  visit.slow.messages.sequence(
                      new long[] {first},
                      100,
                      "me",
                      List.of(new LeaseRequest.Take(first, Stores.MINUTE, 100))),
              () -> {
                // Has the smallest id.
                late.commit();
                stores.enqueue(first, "c");
                stores.messages.sequence(new long[] {first}, 100);
              });
      assertInOrder(Objects.requireNonNull(numbered.taken().get(first), "taken").messages());
    }
    stores.messages.sequence(new long[] {first}, 100);
    List<StoredMessage> all = stores.messages.peek(first, 0, 100).messages();
    assertInOrder(all);
    assertThat(all)
        .extracting(Stores::text)
        .containsExactlyInAnyOrder("late", "a", "c")
        .endsWith("c");
  }

  @ParameterizedTest(name = "{0} before {1}")
  @CsvSource({
    "READ_COMMITTED, lock the cursor", "READ_COMMITTED, take", "READ_COMMITTED, read",
    "REPEATABLE_READ, lock the cursor", "REPEATABLE_READ, take", "REPEATABLE_READ, read"
  })
  void whatIsNumberedBetweenTwoStatementsOfAReaderIsReadWithItsBodyOrLater(
      String isolation, String place) throws Exception {
    long first = stores.queue("read" + isolation + place.replace(' ', '-'), 1).get(0);
    stores.enqueue(first, "a");
    stores.messages.sequence(new long[] {first}, 100);
    Visit take = new Visit(isolation, place);
    Delivery taken =
        take.meanwhile(
            () -> take.slow.messages.lease(first, "me", Stores.MINUTE, 100).orElseThrow(),
            () -> numberOneMore(first, "b"));
    assertInOrder(taken.messages());
    Lease lease = new Lease(first, "me", taken.epoch(), Stores.MINUTE);
    Visit next = new Visit(isolation, "read");
    Delivery more =
        next.meanwhile(
            () -> next.slow.messages.next(lease, 0, 100).orElseThrow(),
            () -> numberOneMore(first, "c"));
    assertInOrder(more.messages());
    assertThat(stores.messages.next(lease, 0, 100).orElseThrow().messages())
        .extracting(Stores::text)
        .containsExactly("a", "b", "c");
  }

  private void numberOneMore(long to, String text) {
    stores.enqueue(to, text);
    stores.messages.sequence(new long[] {to}, 100);
  }

  /** From 1 on without a gap, each with its body. */
  private static void assertInOrder(List<StoredMessage> messages) {
    assertThat(messages).isNotEmpty();
    for (int i = 0; i < messages.size(); i++) {
      assertThat(messages.get(i).seq()).isEqualTo(i + 1);
      assertThat(messages.get(i).body()).as("body of %s", i + 1).isNotNull();
    }
  }

  /** One that stops before a statement. */
  private final class Visit {
    private final FaultyDataSource faulty;
    private final Stores slow;
    private final String place;

    Visit(String isolation, String place) {
      this.faulty =
          new FaultyDataSource(
              isolation.equals("READ_COMMITTED")
                  ? database.dataSource()
                  : stubborn(database.dataSource()));
      this.slow = new Stores(faulty);
      this.place = place;
    }

    <T> T meanwhile(Callable<T> visit, Step meanwhile) throws Exception {
      String text = PLACES.get(place);
      boolean cursor = place.equals("lock the cursor");
      Hold hold =
          faulty
              .on(Fault.sql(sql -> sql.contains(text) && (!cursor || sql.contains("lease_epoch"))))
              .hold();
      Background<T> running = Background.run(visit);
      hold.awaitReached(PROMPT);
      Background.promptly(
          () -> {
            meanwhile.run();
            return true;
          });
      hold.release();
      return running.get();
    }
  }

  private interface Step {
    void run() throws SQLException;
  }

  /** Sessions that stay at REPEATABLE READ whatever is asked of them, and keep it to themselves. */
  private static DataSource stubborn(DataSource real) {
    return (DataSource)
        Proxy.newProxyInstance(
            TwoViewsTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, args) -> {
              Object result = invoke(real, method, args);
              if (!(result instanceof Connection connection)) {
                return result;
              }
              connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
              return stubborn(connection);
            });
  }

  private static Connection stubborn(Connection real) {
    List<Integer> asked = new ArrayList<>(List.of(Connection.TRANSACTION_REPEATABLE_READ));
    return (Connection)
        Proxy.newProxyInstance(
            TwoViewsTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, args) ->
                switch (method.getName()) {
                  case "setTransactionIsolation" -> {
                    asked.set(0, (Integer) args[0]);
                    yield null;
                  }
                  case "getTransactionIsolation" -> asked.get(0);
                  default -> invoke(real, method, args);
                });
  }

  private static Object invoke(Object target, Method method, Object[] args) throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}

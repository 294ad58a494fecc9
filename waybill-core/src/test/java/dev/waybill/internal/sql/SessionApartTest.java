package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Work whose statements need no transaction together, where a change of the mode is a call. */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.SQLITE},
    why = "PostgreSQL's driver changes the mode without a call; SQLite is not called")
@Timeout(120)
class SessionApartTest extends SampleTable {
  SessionApartTest(TestDatabase database) {
    super(database);
  }

  private Session over(Connection connection) {
    return over(connection, Retry.never());
  }

  private Session over(Connection connection, Retry retry) {
    return Session.over(Sources.neverClosed(connection), open(database.dataSource(), retry));
  }

  private static long setAndRead(Session session, int value) {
    return session.apart(
        true,
        tx -> {
          set(tx, value);
          return value(tx);
        });
  }

  /** A session that does such work not for the first time. */
  private Session standingApart(Connection connection, Retry retry) {
    Session session = over(connection, retry);
    for (int i = 1; i <= 3; i++) {
      assertThat(setAndRead(session, i)).isEqualTo(i);
    }
    assertThat(session.standsApart()).isTrue();
    return session;
  }

  @Test
  void whatComesASecondTimeInARowNeedsNoCommit() throws SQLException {
    for (DataSource source : Sources.throughEachDriver(database)) {
      try (Connection connection = source.getConnection();
          Session session = over(connection)) {
        var calls = new Calls(connection);
        assertThat(calls.of(() -> setAndRead(session, 1))).as("with its commit").isEqualTo(3);
        assertThat(calls.of(() -> setAndRead(session, 2))).as("and the change").isEqualTo(3);
        assertThat(calls.of(() -> setAndRead(session, 3))).isEqualTo(2);
        assertThat(calls.of(() -> setAndRead(session, 4))).isEqualTo(2);
        assertThat(calls.of(() -> session.apart(false, tx -> set(tx, 5)))).isEqualTo(1);
        assertThat(calls.of(() -> session.transact(tx -> set(tx, 6)))).isEqualTo(3);
        assertThat(calls.of(() -> session.transact(tx -> set(tx, 7)))).isEqualTo(2);
        assertThat(calls.of(() -> session.apart(false, tx -> set(tx, 8)))).isEqualTo(2);
        assertThat(calls.of(() -> setAndRead(session, 9))).isEqualTo(3);
        assertThat(value()).isEqualTo(9);
      }
    }
  }

  /** What the server was asked on one connection; to be told that is a question as well. */
  private record Calls(Connection connection) {
    private long questions() throws SQLException {
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("show session status like 'Questions'")) {
        assertThat(row.next()).isTrue();
        return row.getLong(2);
      }
    }

    long of(Runnable work) throws SQLException {
      long before = questions();
      work.run();
      return questions() - before - 1;
    }
  }

  @Test
  void whatFailedHalfwayIsGoneOrItsBeginningStays() throws SQLException {
    try (Connection connection = database.connect();
        Session session = over(connection)) {
      Function<Tx, Integer> half =
          tx -> {
            set(tx, -1);
            throw new IllegalArgumentException("no");
          };
      assertThatThrownBy(() -> session.apart(true, half)).hasMessage("no");
      assertThat(value()).isZero();
      for (int i = 1; i <= 2; i++) {
        setAndRead(session, i);
      }
      assertThatThrownBy(() -> session.apart(true, half))
          .hasMessage("no")
          .hasNoSuppressedExceptions();
      assertThat(value()).isEqualTo(-1);
      set(session, 4);
      assertThatThrownBy(() -> session.transact(half)).hasMessage("no");
      assertThat(value()).as("transactions are such again").isEqualTo(4);
    }
  }

  private static void set(Session session, int value) {
    assertThat(session.<Integer>transact(tx -> set(tx, value))).isEqualTo(1);
  }

  @Test
  void whoeverNeedsATransactionHasOne() throws SQLException {
    try (Connection connection = database.connect()) {
      Session session = standingApart(connection, Retry.never());
      session.transact(
          tx -> {
            set(tx, 10);
            assertThat(value()).as("seen by nobody yet").isEqualTo(3);
            return 0;
          });
      assertThat(value()).isEqualTo(10);
      setAndRead(session, 11);
      setAndRead(session, 12);
      session.rehearse(tx -> set(tx, 13));
      assertThat(value()).isEqualTo(12);
      setAndRead(session, 14);
      setAndRead(session, 15);
      assertThatThrownBy(() -> session.snapshot(tx -> set(tx, 16)))
          .isInstanceOf(DatabaseException.class);
      assertThat(session.<Long>glance(SampleTable::value)).isEqualTo(15);
      session.close();
    }
  }

  @Test
  void itIsReadCommittedAndGivesTheConnectionBackAsItWas() throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      try (Session session = standingApart(connection, Retry.never())) {
        session.apart(
            true,
            tx -> {
              assertThat(isolation(tx)).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
              assertThat(value(tx)).isEqualTo(3);
              inOtherTransaction(other -> set(other, 4));
              assertThat(value(tx)).isEqualTo(4);
              return 0;
            });
      }
      assertThat(connection.getAutoCommit()).isTrue();
      assertThat(connection.getTransactionIsolation())
          .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }
  }

  private static int isolation(Tx tx) {
    try {
      return tx.connection().getTransactionIsolation();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void allOfItIsRepeatedOnContention() throws SQLException {
    try (Connection connection = database.connect();
        Session session = standingApart(connection, recording(3, duration -> {}))) {
      var runs = new AtomicInteger();
      assertThat(
              session.<Long>apart(
                  true,
                  tx -> {
                    set(tx, 10 + runs.incrementAndGet());
                    if (runs.get() == 1) {
                      throw contention();
                    }
                    return value(tx);
                  }))
          .isEqualTo(12);
      assertThat(pauses).containsExactly(Duration.ofMillis(4));
    }
  }

  @Test
  void aPoolThatWantsNoAutoCommitHasItsWay() throws SQLException {
    for (DataSource source : Sources.throughEachDriver(database)) {
      try (Connection connection = source.getConnection()) {
        connection.setAutoCommit(false);
        try (Session session = over(connection)) {
          for (int i = 1; i <= 3; i++) {
            assertThat(setAndRead(session, i)).isEqualTo(i);
            assertThat(value()).isEqualTo(i);
            assertThat(session.standsApart()).isFalse();
          }
        }
        assertThat(connection.getAutoCommit()).isFalse();
      }
    }
  }

  /** A statement that a pool runs on each connection, say, of which MySQL's driver is not told. */
  @Test
  void aModeThatTheDriverDoesNotKnowOfIsNotReliedUpon() throws SQLException {
    for (DataSource source : Sources.throughEachDriver(database)) {
      try (Connection connection = source.getConnection()) {
        Sessions.execute(connection, "set autocommit = 0");
        try (Session session = over(connection)) {
          for (int i = 1; i <= 4; i++) {
            setAndRead(session, i);
            assertThat(value()).as("it is committed").isEqualTo(i);
          }
        }
      }
    }
  }

  @Test
  void aSessionOfWhichNobodyKnowsTheModeIsEnded() throws SQLException {
    for (boolean to : new boolean[] {true, false}) {
      try (Connection connection = database.connect()) {
        boolean[] broken = {false};
        Session session = over(refusing(connection, to, broken));
        setAndRead(session, 1);
        if (!to) {
          setAndRead(session, 1);
        }
        broken[0] = true;
        assertThatThrownBy(
                () -> {
                  if (to) {
                    session.apart(true, tx -> set(tx, 9));
                  } else {
                    session.transact(tx -> set(tx, 9));
                  }
                })
            .isInstanceOf(DatabaseException.class);
        assertThat(session.isOpen()).isFalse();
        assertThat(connection.isClosed()).isTrue();
        assertThat(value()).isEqualTo(1);
      }
    }
  }

  private static Connection refusing(Connection real, boolean mode, boolean[] broken) {
    return (Connection)
        Proxy.newProxyInstance(
            SessionApartTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, args) -> {
              if (broken[0]
                  && method.getName().equals("setAutoCommit")
                  && Boolean.valueOf(mode).equals(args[0])) {
                throw new SQLException("refused", "HY000");
              }
              try {
                return method.invoke(real, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}

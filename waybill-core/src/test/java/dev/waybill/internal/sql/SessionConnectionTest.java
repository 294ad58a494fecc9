package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.DatabaseException;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What our connections are while we have them, and afterwards. */
@EveryDatabase(alsoOldest = true)
@Timeout(120)
class SessionConnectionTest extends SampleTable {
  SessionConnectionTest(TestDatabase database) {
    super(database);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "It is serializable by having one writer")
  void ourTransactionsAreReadCommittedWhateverThePoolSays() throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      connection.setReadOnly(true);
      connection.setAutoCommit(false);
      try (Session session = over(connection)) {
        session.transact(
            tx -> {
              assertThat(value(tx)).isZero();
              inOtherTransaction(other -> set(other, 1));
              assertThat(value(tx)).isEqualTo(1);
              return set(tx, 2);
            });
      }
      assertThat(connection.getTransactionIsolation())
          .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
      assertThat(connection.isReadOnly()).isTrue();
      assertThat(connection.getAutoCommit()).isFalse();
    }
    assertThat(value()).isEqualTo(2);
  }

  private Session over(Connection connection) {
    return Session.over(Sources.neverClosed(connection), open(database.dataSource()));
  }

  @Test
  void aConnectionIsGivenBackAsItWas() throws SQLException {
    for (boolean autoCommit : new boolean[] {true, false}) {
      try (Connection connection =
          dialect == Dialect.SQLITE
              ? Sources.withoutParameters(database).getConnection()
              : database.connect()) {
        if (dialect == Dialect.SQLITE) {
          Sessions.execute(connection, "pragma busy_timeout = 1234");
        }
        int isolation = connection.getTransactionIsolation();
        connection.setAutoCommit(autoCommit);
        try (Session session = over(connection)) {
          session.transact(tx -> set(tx, 1));
          session.snapshot(SampleTable::value);
          assertThatThrownBy(() -> session.snapshot(tx -> set(tx, 2)))
              .isInstanceOf(DatabaseException.class);
        }
        assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
        assertThat(connection.getTransactionIsolation()).isEqualTo(isolation);
        assertThat(connection.isReadOnly()).isFalse();
        Sessions.execute(connection, "update waybill_sample set v = 7");
        if (dialect == Dialect.SQLITE) {
          assertThat(Sessions.ask(connection, "pragma busy_timeout")).isEqualTo("1234");
        }
        if (!autoCommit) {
          connection.rollback();
        }
      }
    }
  }

  @Test
  void aSessionWorksThroughEachDriver() throws SQLException {
    int value = 0;
    for (DataSource source : Sources.throughEachDriver(database)) {
      int next = ++value;
      try (Session session = open(source).session()) {
        assertThat(session.<Integer>transact(tx -> set(tx, next))).isEqualTo(1);
        assertThat(session.<Integer>transact(tx -> set(tx, next)))
            .as("found, not changed")
            .isEqualTo(1);
        assertThat(session.<Long>snapshot(SampleTable::value)).isEqualTo(next);
        assertThatThrownBy(() -> session.snapshot(tx -> set(tx, 99)))
            .isInstanceOf(DatabaseException.class);
      }
    }
  }

  @Test
  void aClosedSessionDoesNothingMore() {
    Session session = open(database.dataSource()).session();
    session.close();
    session.close();
    session.discard();
    assertThatThrownBy(() -> session.transact(tx -> 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> session.snapshot(tx -> 1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aDiscardedConnectionIsEndedBehindThePool() throws SQLException {
    HikariDataSource pool = database.pool(1);
    Database open = open(pool);
    Session session = open.session();
    Connection physical =
        session.transact(
            tx -> {
              try {
                return tx.connection().unwrap(Connection.class);
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    long id =
        dialect == Dialect.SQLITE
            ? 0
            : session.transact(tx -> Sessions.id(dialect, tx.connection()));
    session.discard();
    assertThat(physical.isClosed()).isTrue();
    assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    if (dialect != Dialect.SQLITE) {
      assertThat(open.<Long>transact(tx -> Sessions.id(dialect, tx.connection()))).isNotEqualTo(id);
      assertThat(open.<Integer>transact(tx -> set(tx, 1))).isEqualTo(1);
    }
  }

  // SQLite's single writer.

  @Test
  @NotOn(
      value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.MYSQL, DatabaseProduct.MARIADB},
      why = "They have many writers")
  void aTransactionIsTheWriterFromItsBeginning() throws SQLException {
    for (DataSource source :
        new DataSource[] {database.dataSource(), Sources.withoutParameters(database)}) {
      try (Connection other = Sources.withoutParameters(database).getConnection()) {
        Sessions.execute(other, "pragma busy_timeout = 0");
        Session session = open(source).session();
        session.transact(
            tx -> {
              assertThat(value(tx)).isZero();
              assertThatThrownBy(() -> Sessions.execute(other, "update waybill_sample set v = 5"))
                  .isInstanceOf(SQLException.class);
              return set(tx, 0);
            });
        // The session is open still, but holds no lock.
        Sessions.execute(other, "update waybill_sample set v = 0");
        session.close();
      }
    }
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.MYSQL, DatabaseProduct.MARIADB},
      why = "They have no such mode")
  void writingTurnsWriteAheadLoggingOnAndReadingDoesNot() throws SQLException {
    DataSource source = Sources.withoutParameters(database.fresh());
    try (Session session = open(source).session()) {
      session.snapshot(tx -> tx.query("select 1 as n").one(row -> row.number("n")));
      assertThat(journalMode(source)).isEqualTo("delete");
      session.transact(tx -> tx.query("select 1 as n").one(row -> row.number("n")));
      assertThat(journalMode(source)).isEqualTo("wal");
    }
  }

  private static String journalMode(DataSource source) throws SQLException {
    try (Connection connection = source.getConnection()) {
      return Sessions.ask(connection, "pragma journal_mode");
    }
  }
}

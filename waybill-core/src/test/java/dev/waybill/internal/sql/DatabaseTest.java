package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.TransactionRequiredException;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sqlite.SQLiteConfig;

@EveryDatabase
@Timeout(120)
class DatabaseTest {
  private final TestDatabase database;

  DatabaseTest(TestDatabase database) {
    this.database = database.fresh();
  }

  @BeforeEach
  void createTable() throws SQLException {
    database.execute("create table waybill_sample (id bigint not null primary key)");
  }

  private static Database open(DataSource source) {
    return Database.open(source, Naming.standard(), List.of(), Retry.never());
  }

  private static int insert(Tx tx, long id) {
    return tx.query("insert into waybill_sample (id) values (:id)").set("id", id).update();
  }

  private long count() {
    return open(database.dataSource())
        .transact(
            tx -> tx.query("select count(*) as n from waybill_sample").one(row -> row.number("n")));
  }

  @Test
  void aTransactionIsCommitted() {
    assertThat(open(database.dataSource()).<Integer>transact(tx -> insert(tx, 1))).isEqualTo(1);
    assertThat(count()).isEqualTo(1);
  }

  @Test
  void aFailureRollsBackAndComesOutAsItIs() {
    var failure = new IllegalStateException("mine");
    assertThatThrownBy(
            () ->
                open(database.dataSource())
                    .transact(
                        tx -> {
                          insert(tx, 1);
                          throw failure;
                        }))
        .isSameAs(failure);
    assertThat(count()).isZero();
  }

  @Test
  void everyConnectionIsGivenBack() {
    HikariDataSource pool = database.pool(1);
    Database open = open(pool);
    for (int i = 0; i < 3; i++) {
      long id = i;
      open.transact(tx -> insert(tx, id));
      assertThat(
              catchThrowableOfType(
                      DatabaseException.class, () -> open.transact(tx -> insert(tx, id)))
                  .kind())
          .isEqualTo(Kind.DUPLICATE);
    }
    assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "Its connections do not die")
  void aConnectionThatCannotBePreparedIsNotKept() throws SQLException {
    Database open = open(database.dataSource());
    try (Connection connection = database.connect()) {
      database.execute(Sessions.ending(open.dialect(), connection));
      assertThat(
              catchThrowableOfType(DatabaseException.class, () -> Session.over(connection, open))
                  .kind())
          .isEqualTo(Kind.DISCONNECTED);
      assertThat(connection.isClosed()).isTrue();
    }
  }

  @Test
  void aFailureWhileConnectingIsClassified() {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    Database open = open(faulty);
    faulty.on(Fault.connect(1)).fail(Fault.Moment.BEFORE, new SQLException("no", "08001"));
    assertThat(catchThrowableOfType(DatabaseException.class, open::session).kind())
        .isEqualTo(Kind.DISCONNECTED);
  }

  @Test
  void theSameTablesCanBeHadWithOtherPatience() {
    Retry other = Retry.standard(duration -> {});
    Database open = open(database.dataSource());
    assertThat(open.retrying(other).retry()).isSameAs(other);
    assertThat(open.retrying(other).naming()).isEqualTo(open.naming());
  }

  @Test
  void aJoinedTransactionIsNeitherCommittedNorClosed() throws SQLException {
    Database open = open(database.dataSource());
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      insert(open.join(connection), 1);
      assertThat(connection.isClosed()).isFalse();
      assertThat(connection.getAutoCommit()).isFalse();
      connection.rollback();
      insert(open.join(connection), 2);
      insert(open.join(connection), 3);
      connection.commit();
    }
    assertThat(count()).isEqualTo(2);
  }

  @Test
  void aJoinedConnectionIsUsedAsItIs() throws SQLException {
    Database open = open(database.dataSource());
    try (Connection connection = database.connect()) {
      if (open.dialect() != Dialect.SQLITE) {
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      }
      int isolation = connection.getTransactionIsolation();
      connection.setAutoCommit(false);
      insert(open.join(connection), 1);
      assertThat(connection.getTransactionIsolation()).isEqualTo(isolation);
      connection.rollback();
    }
  }

  @Test
  void oneOfOurOwnTransactionsCanBeJoined() {
    Database open = open(database.dataSource());
    open.transact(tx -> insert(open.join(tx.connection()), 1));
    assertThat(count()).isEqualTo(1);
  }

  @Test
  void whatIsNoTransactionIsRefusedAndNotChanged() throws SQLException {
    Database open = open(database.dataSource());
    Connection connection = database.connect();
    assertThatThrownBy(() -> open.join(connection))
        .isInstanceOf(TransactionRequiredException.class)
        .hasMessageContaining("auto-commit")
        .hasMessageContaining("setAutoCommit(false)");
    assertThat(connection.getAutoCommit()).isTrue();
    assertThat(connection.isClosed()).isFalse();
    connection.close();
    assertThatThrownBy(() -> open.join(connection))
        .isInstanceOf(TransactionRequiredException.class)
        .hasMessageContaining("is closed");
  }

  @Test
  void aReadOnlyConnectionIsRefusedAndNotChanged() throws SQLException {
    Database open = open(database.dataSource());
    SQLiteConfig readOnlyFile = new SQLiteConfig();
    readOnlyFile.setReadOnly(true);
    try (Connection connection =
        open.dialect() == Dialect.SQLITE
            ? DriverManager.getConnection(
                database.url().replaceFirst("\\?.*", ""), readOnlyFile.toProperties())
            : database.connect()) {
      if (open.dialect() != Dialect.SQLITE) {
        connection.setReadOnly(true);
      }
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> open.join(connection))
          .isInstanceOf(TransactionRequiredException.class)
          .hasMessageContaining("is read-only");
      assertThat(connection.isReadOnly()).isTrue();
      assertThat(connection.getAutoCommit()).isFalse();
    }
  }
}

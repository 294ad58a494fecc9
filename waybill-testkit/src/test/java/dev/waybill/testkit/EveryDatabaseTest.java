package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

@EveryDatabase(alsoOldest = true)
class EveryDatabaseTest {

  private final TestDatabase database;

  EveryDatabaseTest(TestDatabase database) {
    this.database = database;
  }

  @Test
  void answersInTheVersionThatItsLabelSays() throws SQLException {
    try (Connection connection = database.connect()) {
      String productAndVersion =
          connection.getMetaData().getDatabaseProductName()
              + " "
              + connection.getMetaData().getDatabaseProductVersion();
      // Of a server of the user's own the label says where it is, and not which version.
      assertThat(productAndVersion).startsWith(database.label().replaceFirst(" at .*", ""));
      assertThat(ask(connection, "select 1")).isEqualTo("1");
    }
  }

  @Test
  void isInjectedIntoMethodsToo(TestDatabase sameDatabase) {
    assertThat(sameDatabase).isSameAs(database);
  }

  @Test
  void keepsWhatItCommitted() throws SQLException {
    assumeFalse(database.isOnUsersServer(), "a server of the user's own is as durable as it is");
    String setting =
        switch (database.product()) {
          case POSTGRESQL -> "show fsync";
          case MARIADB, MYSQL -> "select @@innodb_flush_log_at_trx_commit";
          case SQLITE -> "pragma journal_mode";
        };
    String durable =
        switch (database.product()) {
          case POSTGRESQL -> "on";
          case MARIADB, MYSQL -> "1";
          case SQLITE -> "wal";
        };
    try (Connection connection = database.connect()) {
      assertThat(ask(connection, setting)).isEqualTo(durable);
    }
  }

  @Test
  void freshDatabasesKnowNothingOfEachOther() throws SQLException {
    TestDatabase one = database.fresh();
    TestDatabase other = database.fresh();
    one.execute("create table parcel (id int)", "insert into parcel values (1)");
    other.execute("create table parcel (id int)");
    try (Connection connection = other.connect()) {
      assertThat(ask(connection, "select count(*) from parcel")).isEqualTo("0");
    }
  }

  private static final Preparation PARCELS =
      prepared -> {
        try {
          prepared.execute(
              "create table parcel (id int primary key, note varchar(20))",
              "create table label (parcel int references parcel (id))",
              "insert into parcel values (1, null), (2, 'fragile')");
        } catch (SQLException e) {
          throw new AssertionError(e);
        }
      };

  @Test
  void preparedDatabasesKnowNothingOfEachOther() throws SQLException {
    TestDatabase one = database.prepared(PARCELS);
    TestDatabase other = database.prepared(PARCELS);
    one.execute("delete from parcel");
    try (Connection connection = other.connect()) {
      assertThat(ask(connection, "select count(*) from parcel")).isEqualTo("2");
    }
  }

  @Test
  void preparedDatabasesAreLikeNewForTheNextTest() throws SQLException {
    TestDatabase first = database.prepared(PARCELS);
    first.execute(
        "delete from parcel where id = 1",
        "update parcel set note = 'lost'",
        "insert into label values (2)",
        "create table other (id int)");
    try (Connection forgotten = first.connect()) {
      forgotten.setAutoCommit(false);
      assertThat(ask(forgotten, "select note from parcel")).isEqualTo("lost");
      database.endOfTest();
    } catch (SQLException closingABrokenConnectionMayFail) {
      assertThat(database.product()).isNotEqualTo(DatabaseProduct.SQLITE);
    }

    TestDatabase next = database.prepared(PARCELS);
    next.execute("create table other (id int)");
    try (Connection connection = next.connect()) {
      assertThat(ask(connection, "select count(*) from label")).isEqualTo("0");
      assertThat(ask(connection, "select count(*) from parcel")).isEqualTo("2");
      assertThat(ask(connection, "select note from parcel where id = 1")).isNull();
      assertThat(ask(connection, "select note from parcel where id = 2")).isEqualTo("fragile");
    }
  }

  @Test
  void isGoneOnceClosedEvenWithConnectionsOpen() throws SQLException {
    TestDatabase closed = database.fresh();
    closed.execute("create table parcel (id int)", "insert into parcel values (1)");
    HikariDataSource pool = closed.pool(2);
    try (Connection forgotten = closed.connect()) {
      forgotten.setAutoCommit(false);
      assertThat(ask(forgotten, "select count(*) from parcel")).isEqualTo("1");
      closed.close();
    } catch (SQLException closingABrokenConnectionMayFail) {
      assertThat(database.product()).isNotEqualTo(DatabaseProduct.SQLITE);
    }
    assertThat(pool.isClosed()).isTrue();
    assertThatThrownBy(() -> closed.execute("select count(*) from parcel"))
        .isInstanceOf(SQLException.class);
  }

  @Test
  void plainConnectionsAreNewAndPooledOnesAreNot() throws SQLException {
    try (Connection first = database.dataSource().getConnection();
        Connection second = database.dataSource().getConnection()) {
      assertThat(first).isNotSameAs(second);
    }
    HikariDataSource pool = database.pool(1);
    Connection underlying;
    try (Connection borrowed = pool.getConnection()) {
      underlying = borrowed.unwrap(Connection.class);
    }
    try (Connection borrowed = pool.getConnection()) {
      assertThat(borrowed.unwrap(Connection.class)).isSameAs(underlying);
    }
  }

  private static String ask(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      assertThat(row.next()).isTrue();
      return row.getString(1);
    }
  }
}

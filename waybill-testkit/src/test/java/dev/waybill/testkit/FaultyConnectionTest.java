package dev.waybill.testkit;

import static dev.waybill.testkit.Fault.Moment.AFTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.testkit.Operation.Kind;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteException;

/** Apart from its faults it is the real thing, with a trace. */
class FaultyConnectionTest {
  @TempDir private Path folder;
  private SQLiteDataSource real;
  private FaultyDataSource faulty;

  @BeforeEach
  void createTable() throws SQLException {
    real = new SQLiteDataSource();
    real.setUrl("jdbc:sqlite:" + folder.resolve("test.db") + "?busy_timeout=10000");
    try (var connection = real.getConnection();
        var statement = connection.createStatement()) {
      statement.execute("create table t (id integer primary key)");
    }
    faulty = new FaultyDataSource(real);
  }

  @Test
  void tracesWhatEachConnectionDid() throws SQLException {
    var first = faulty.getConnection();
    try (var second = faulty.getConnection();
        var statement = second.createStatement()) {
      first.setAutoCommit(false);
      try (var prepared = first.prepareStatement("insert into t values (?)")) {
        prepared.setInt(1, 1);
        prepared.execute();
      }
      first.commit();
      assertThat(statement.executeQuery("select id from t").getInt(1)).isOne();
      first.rollback();
    } finally {
      first.close();
      first.close();
    }
    assertThat(faulty.trace())
        .extracting(Operation::toString)
        .containsExactly(
            "#1 connect",
            "#2 connect",
            "#1 insert into t values (?)",
            "#1 commit",
            "#2 select id from t",
            "#1 rollback",
            "#2 close",
            "#1 close");
    assertThat(faulty.counts()).isEqualTo(new FaultyDataSource.Counts(2, 1));
    faulty.reset();
    assertThat(faulty.trace()).isEmpty();
    assertThat(faulty.counts()).isEqualTo(new FaultyDataSource.Counts(0, 0));
  }

  @Test
  void aBatchCountsOnce() throws SQLException {
    try (var connection = faulty.getConnection();
        var prepared = connection.prepareStatement("insert into t values (?)");
        var plain = connection.createStatement()) {
      for (int id = 1; id <= 3; id++) {
        prepared.setInt(1, id);
        prepared.addBatch();
      }
      assertThat(prepared.executeBatch()).containsExactly(1, 1, 1);
      plain.addBatch("never executed");
      plain.clearBatch();
      plain.addBatch("delete from t where id = 1");
      plain.addBatch("delete from t where id > 1");
      assertThat(plain.executeBatch()).containsExactly(1, 2);
    }
    assertThat(faulty.trace())
        .filteredOn(operation -> operation.kind() == Kind.STATEMENT)
        .extracting(Operation::text)
        .containsExactly(
            "insert into t values (?)", "delete from t where id = 1; delete from t where id > 1");
  }

  @Test
  void savepointsAreStatements() throws SQLException {
    try (var connection = faulty.getConnection()) {
      connection.setAutoCommit(false);
      var savepoint = connection.setSavepoint("here");
      connection.rollback(savepoint);
      connection.commit();
    }
    assertThat(faulty.trace())
        .extracting(Operation::text)
        .containsExactly("connect", "SAVEPOINT", "ROLLBACK TO SAVEPOINT", "commit", "close");
  }

  @Test
  void unwrapsToItselfOrToTheRealThing() throws SQLException {
    assertThat(faulty.unwrap(FaultyDataSource.class)).isSameAs(faulty);
    assertThat(faulty.unwrap(DataSource.class)).isSameAs(faulty);
    assertThat(faulty.unwrap(SQLiteDataSource.class)).isSameAs(real);
    assertThat(faulty.isWrapperFor(SQLiteDataSource.class)).isTrue();
    try (var connection = faulty.getConnection();
        var statement = connection.createStatement()) {
      assertThat(connection.unwrap(Connection.class)).isSameAs(connection);
      assertThat(connection.unwrap(SQLiteConnection.class)).isInstanceOf(SQLiteConnection.class);
      assertThat(connection.isWrapperFor(SQLiteConnection.class)).isTrue();
      assertThat(connection.isWrapperFor(Runnable.class)).isFalse();
      assertThat(statement.unwrap(Statement.class)).isSameAs(statement);
    }
  }

  @Test
  void statementsKnowTheConnectionTheirCallerKnows() throws SQLException {
    try (var connection = faulty.getConnection();
        var statement = connection.createStatement();
        var prepared = connection.prepareStatement("select 1", ResultSet.TYPE_FORWARD_ONLY, 1007)) {
      assertThat(statement.getConnection()).isSameAs(connection);
      assertThat(prepared).isInstanceOf(PreparedStatement.class);
      assertThat(prepared.getConnection()).isSameAs(connection).isEqualTo(connection);
      assertThat(connection).hasSameHashCodeAs(prepared.getConnection()).isNotEqualTo(statement);
      assertThat(connection.toString()).startsWith("faulty ");
    }
  }

  @Test
  void errorsOfTheDriverArriveAsTheyAre() throws SQLException {
    try (var connection = faulty.getConnection();
        var statement = connection.createStatement()) {
      statement.execute("insert into t values (1)");
      assertThatThrownBy(() -> statement.execute("insert into t values (1)"))
          .isInstanceOf(SQLiteException.class);
      assertThatThrownBy(() -> connection.prepareStatement("no such thing"))
          .isInstanceOf(SQLiteException.class);
    }
    real.setUrl("jdbc:sqlite:" + folder.resolve("no/such/folder.db"));
    assertThatThrownBy(faulty::getConnection).isInstanceOf(SQLException.class);
  }

  @Test
  void abortReachesTheDriver() throws SQLException {
    var called = new Signals();
    var recording =
        new SQLiteDataSource() {
          @Override
          public Connection getConnection() {
            return (Connection)
                Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (self, method, args) -> {
                      called.fire(method.getName());
                      return null;
                    });
          }
        };
    try (var connection = new FaultyDataSource(recording).getConnection()) {
      connection.abort(Runnable::run);
    }
    assertThat(called.events()).containsExactly("abort", "close");
  }

  @Test
  void aPoolOnTopEvictsTheConnectionThatWasCut() throws SQLException {
    try (var pool = pool(faulty)) {
      faulty.on(Fault.commit(1)).cut(AFTER);
      try (var connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        assertThat(connection.isClosed()).isTrue();
      }
      assertUsable(pool);
    }
  }

  @Test
  void aCutGoesThroughAPoolUnderneath() throws SQLException {
    try (var pool = pool(real)) {
      var overPool = new FaultyDataSource(pool);
      overPool.on(Fault.statement(1)).cut(AFTER);
      try (var connection = overPool.getConnection()) {
        var driver = connection.unwrap(SQLiteConnection.class);
        assertThatThrownBy(() -> connection.createStatement().execute("select 1"))
            .isInstanceOf(SQLException.class);
        assertThat(driver.isClosed()).isTrue();
      }
    }
  }

  @Test
  void countsAcrossThreads() throws Exception {
    var all = new ArrayList<CompletableFuture<Void>>();
    for (int thread = 0; thread < 4; thread++) {
      int from = thread * 100;
      all.add(CompletableFuture.runAsync(() -> insertMany(from, 25)));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    assertThat(faulty.counts()).isEqualTo(new FaultyDataSource.Counts(100, 4));
  }

  private void insertMany(int from, int count) {
    try (var connection = faulty.getConnection();
        var statement = connection.prepareStatement("insert or ignore into t values (?)")) {
      connection.setAutoCommit(false);
      for (int id = from; id < from + count; id++) {
        statement.setInt(1, id);
        statement.executeUpdate();
      }
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static HikariDataSource pool(DataSource underneath) {
    var config = new HikariConfig();
    config.setDataSource(underneath);
    config.setMaximumPoolSize(1);
    return new HikariDataSource(config);
  }

  private static void assertUsable(DataSource dataSource) throws SQLException {
    try (var connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      assertThat(statement.execute("select 1")).isTrue();
    }
  }
}

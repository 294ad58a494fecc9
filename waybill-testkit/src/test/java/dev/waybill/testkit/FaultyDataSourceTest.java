package dev.waybill.testkit;

import static dev.waybill.testkit.Fault.Moment.AFTER;
import static dev.waybill.testkit.Fault.Moment.BEFORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.testkit.Fault.Moment;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sqlite.SQLiteDataSource;

/** Faults, before and after the effect: the rows tell which it was. */
class FaultyDataSourceTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  @TempDir private Path folder;
  private SQLiteDataSource real;
  private FaultyDataSource faulty;

  @BeforeEach
  void createTable() throws SQLException {
    real = new SQLiteDataSource();
    real.setUrl("jdbc:sqlite:" + folder.resolve("test.db"));
    try (var connection = real.getConnection();
        var statement = connection.createStatement()) {
      statement.execute("create table t (id integer)");
    }
    faulty = new FaultyDataSource(real);
  }

  @ParameterizedTest
  @CsvSource({"BEFORE, 0", "AFTER, 1"})
  void failsAStatement(Moment moment, int rows) throws SQLException {
    faulty.on(Fault.statement(1)).fail(moment);
    try (var connection = faulty.getConnection()) {
      assertThatThrownBy(() -> insert(connection, 1))
          .isInstanceOf(SQLException.class)
          .hasMessage("injected at STATEMENT 1");
      assertThat(rows()).isEqualTo(rows);
      insert(connection, 2);
    }
    assertThat(rows()).isEqualTo(rows + 1);
  }

  @ParameterizedTest
  @CsvSource({"BEFORE, 0", "AFTER, 1"})
  void failsACommit(Moment moment, int rows) throws SQLException {
    var error = new SQLException("deadlock", "40001", 7);
    faulty.on(Fault.commit(1)).fail(moment, error);
    try (var connection = faulty.getConnection()) {
      connection.setAutoCommit(false);
      insert(connection, 1);
      assertThatThrownBy(connection::commit).isSameAs(error);
      assertThat(rows()).isEqualTo(rows);
      connection.rollback();
    }
    assertThat(rows()).isEqualTo(rows);
  }

  @ParameterizedTest
  @CsvSource({"BEFORE, 0", "AFTER, 1"})
  void cutsTheConnectionAtACommit(Moment moment, int rows) throws SQLException {
    faulty.on(Fault.commit(1)).cut(moment);
    try (var connection = faulty.getConnection()) {
      connection.setAutoCommit(false);
      insert(connection, 1);
      assertThatThrownBy(connection::commit)
          .asInstanceOf(InstanceOfAssertFactories.type(SQLException.class))
          .returns("08006", SQLException::getSQLState);
      assertThat(connection.isClosed()).isTrue();
      assertThatThrownBy(() -> insert(connection, 2)).isInstanceOf(SQLException.class);
    }
    assertThat(rows()).isEqualTo(rows);
  }

  @ParameterizedTest
  @CsvSource({"BEFORE, 1", "AFTER, 2"})
  void cutsTheConnectionAtTheNthStatement(Moment moment, int rows) throws SQLException {
    faulty.on(Fault.statement(2)).cut(moment);
    try (var connection = faulty.getConnection()) {
      insert(connection, 1);
      assertThatThrownBy(() -> insert(connection, 2)).hasMessageContaining("cut at STATEMENT 2");
      assertThat(connection.isClosed()).isTrue();
    }
    assertThat(rows()).isEqualTo(rows);
    try (var connection = faulty.getConnection()) {
      insert(connection, 3);
    }
    assertThat(rows()).isEqualTo(rows + 1);
  }

  @Test
  void aCutEndsTheTransactionThatWasOpen() throws SQLException {
    faulty.on(Fault.statement(2)).cut(AFTER);
    try (var connection = faulty.getConnection()) {
      connection.setAutoCommit(false);
      insert(connection, 1);
      assertThatThrownBy(() -> insert(connection, 2)).isInstanceOf(SQLException.class);
    }
    assertThat(rows()).isZero();
  }

  @Test
  void choosesStatementsByTheirText() throws SQLException {
    faulty.on(Fault.sql(2, sql -> sql.startsWith("delete"))).fail(BEFORE);
    try (var connection = faulty.getConnection();
        var statement = connection.createStatement()) {
      statement.executeUpdate("delete from t where id = 1");
      insert(connection, 1);
      assertThatThrownBy(() -> statement.execute("delete from t")).isInstanceOf(SQLException.class);
    }
    assertThat(rows()).isOne();
  }

  @ParameterizedTest
  @CsvSource({"BEFORE, 1", "AFTER, 0"})
  void failsARollback(Moment moment, int rows) throws SQLException {
    faulty.on(Fault.rollback(1)).fail(moment);
    try (var connection = faulty.getConnection()) {
      connection.setAutoCommit(false);
      insert(connection, 1);
      assertThatThrownBy(connection::rollback).isInstanceOf(SQLException.class);
      connection.commit();
    }
    assertThat(rows()).isEqualTo(rows);
  }

  @ParameterizedTest
  @CsvSource({"BEFORE, false", "AFTER, true"})
  void failsAClose(Moment moment, boolean closed) throws SQLException {
    faulty.on(Fault.close(2)).fail(moment);
    faulty.getConnection().close();
    try (var connection = faulty.getConnection()) {
      assertThatThrownBy(connection::close).isInstanceOf(SQLException.class);
      assertThat(connection.isClosed()).isEqualTo(closed);
    }
  }

  @ParameterizedTest
  @CsvSource({"BEFORE", "AFTER"})
  void failsToConnect(Moment moment) throws SQLException {
    faulty.on(Fault.connect(1)).cut(moment);
    assertThatThrownBy(faulty::getConnection)
        .asInstanceOf(InstanceOfAssertFactories.type(SQLException.class))
        .returns("08006", SQLException::getSQLState);
    try (var connection = faulty.getConnection()) {
      insert(connection, 1);
    }
    assertThat(rows()).isOne();
  }

  @Test
  void strikesOnceUnlessAlways() throws SQLException {
    faulty.on(Fault.statement(2)).always().fail(BEFORE);
    try (var connection = faulty.getConnection()) {
      insert(connection, 1);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> insert(connection, 2)).isInstanceOf(SQLException.class);
      }
      faulty.reset();
      assertThatCode(() -> insert(connection, 3)).doesNotThrowAnyException();
    }
    assertThat(rows()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"BEFORE, 0", "AFTER, 1"})
  void holdsACommitUntilReleased(Moment moment, int rowsWhileHeld) throws Exception {
    var hold = faulty.on(Fault.commit(1)).hold(moment);
    var committing = CompletableFuture.runAsync(this::insertInTransaction);
    hold.awaitReached(SOON);
    assertThat(rows()).isEqualTo(rowsWhileHeld);
    assertThat(committing).isNotDone();
    hold.release();
    committing.get(10, TimeUnit.SECONDS);
    assertThat(rows()).isOne();
  }

  @Test
  void resetReleasesWhoIsHeld() throws Exception {
    var hold = faulty.on(Fault.statement(1)).hold();
    var inserting = CompletableFuture.runAsync(this::insertInTransaction);
    hold.awaitReached(SOON);
    faulty.reset();
    inserting.get(10, TimeUnit.SECONDS);
  }

  @Test
  void anInterruptEndsTheHoldWithAnError() throws Exception {
    var hold = faulty.on(Fault.statement(1)).hold();
    var failure = new CompletableFuture<Throwable>();
    var thread = new Thread(this::insertInTransaction);
    thread.setUncaughtExceptionHandler((dead, error) -> failure.complete(error));
    thread.start();
    hold.awaitReached(SOON);
    thread.interrupt();
    assertThat(failure.get(10, TimeUnit.SECONDS)).hasMessageContaining("interrupted while held");
    assertThat(rows()).isZero();
  }

  @Test
  void aHoldNobodyReachesFailsTheTest() {
    var hold = faulty.on(Fault.commit(1)).hold();
    assertThatThrownBy(() -> hold.awaitReached(Duration.ofMillis(1)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("BEFORE COMMIT 1");
  }

  private void insertInTransaction() {
    try (var connection = faulty.getConnection()) {
      connection.setAutoCommit(false);
      insert(connection, 1);
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private static void insert(Connection connection, int id) throws SQLException {
    try (var statement = connection.prepareStatement("insert into t (id) values (?)")) {
      statement.setInt(1, id);
      statement.executeUpdate();
    }
  }

  /** Asked on a connection of its own, so that only what is committed counts. */
  private int rows() throws SQLException {
    try (var connection = real.getConnection();
        var statement = connection.createStatement();
        var result = statement.executeQuery("select count(*) from t")) {
      return result.getInt(1);
    }
  }
}

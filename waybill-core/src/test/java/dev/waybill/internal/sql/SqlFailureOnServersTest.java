package dev.waybill.internal.sql;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@link SqlFailure} on what the servers really send, through each driver that speaks to them. */
@EveryDatabase(alsoOldest = true)
@Timeout(120)
class SqlFailureOnServersTest {
  /** A thread each: the common pool may have only one, and these wait for one another. */
  private static final Executor THREADS = task -> new Thread(task, "test").start();

  /** Users belong to the server, where somebody else may run the same test. */
  private static final String ROLE = "limited_" + UUID.randomUUID().toString().substring(0, 8);

  private static final String RIGHT = "Ri-ght_17";

  private final TestDatabase database;
  private final Dialect dialect;

  SqlFailureOnServersTest(TestDatabase database) throws SQLException {
    this.database = database.fresh();
    try (Connection connection = database.connect()) {
      this.dialect = Dialect.of(connection);
    }
  }

  @BeforeEach
  void createTables() throws SQLException {
    database.execute(
        "create table parent (id integer not null primary key, v integer not null, u varchar(9))",
        "create unique index parent_u on parent (u)",
        "create table child (id integer not null primary key, p integer,"
            + " foreign key (p) references parent (id), check (id < 100))",
        "insert into parent values (1, 0, 'a'), (2, 0, 'b')");
  }

  private interface Work {
    void run(DataSource source) throws Exception;
  }

  private void throughEachDriver(Work work) throws Exception {
    for (DataSource source : Sources.throughEachDriver(database)) {
      work.run(source);
    }
  }

  private Kind kindOf(Connection connection, String statement) {
    Throwable failure = catchThrowable(() -> Sessions.execute(connection, statement));
    assertThat(failure).as(statement).isInstanceOf(SQLException.class);
    return SqlFailure.kindOf(dialect, failure);
  }

  @Test
  void aTakenKeyIsADuplicate() throws Exception {
    throughEachDriver(
        source -> {
          try (Connection connection = source.getConnection()) {
            assertThat(kindOf(connection, "insert into parent values (1, 0, 'c')"))
                .isEqualTo(Kind.DUPLICATE);
            assertThat(kindOf(connection, "insert into parent values (3, 0, 'a')"))
                .isEqualTo(Kind.DUPLICATE);
            assertThat(kindOf(connection, "update parent set u = 'a' where id = 2"))
                .isEqualTo(Kind.DUPLICATE);
          }
        });
  }

  @Test
  void otherConstraintsAreFatal() throws Exception {
    throughEachDriver(
        source -> {
          try (Connection connection = source.getConnection()) {
            if (dialect == Dialect.SQLITE) {
              Sessions.execute(connection, "pragma foreign_keys = on");
            }
            assertThat(kindOf(connection, "insert into child values (1, 77)"))
                .isEqualTo(Kind.FATAL);
            assertThat(kindOf(connection, "insert into parent values (3, null, 'c')"))
                .isEqualTo(Kind.FATAL);
            if (dialect != Dialect.MYSQL) { // It checks only from 8.0.16 on.
              assertThat(kindOf(connection, "insert into child values (100, null)"))
                  .isEqualTo(Kind.FATAL);
            }
          }
        });
  }

  @Test
  void wrongStatementsAreFatal() throws Exception {
    throughEachDriver(
        source -> {
          try (Connection connection = source.getConnection()) {
            assertThat(kindOf(connection, "select * from nowhere")).isEqualTo(Kind.FATAL);
            assertThat(kindOf(connection, "selec 1")).isEqualTo(Kind.FATAL);
          }
        });
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "It has one writer, so writers cannot deadlock")
  void theVictimOfADeadlockMetContention() throws Exception {
    throughEachDriver(
        source -> {
          try (Connection one = transaction(source);
              Connection two = transaction(source)) {
            Sessions.execute(one, "update parent set v = 1 where id = 1");
            Sessions.execute(two, "update parent set v = 1 where id = 2");
            CompletableFuture<Optional<Throwable>> first =
                inBackground(one, "update parent set v = 2 where id = 2");
            CompletableFuture<Optional<Throwable>> second =
                inBackground(two, "update parent set v = 2 where id = 1");
            List<Throwable> failures =
                Stream.of(first.get(60, SECONDS), second.get(60, SECONDS))
                    .flatMap(Optional::stream)
                    .toList();
            assertThat(failures).hasSize(1);
            assertThat(SqlFailure.kindOf(dialect, failures.get(0))).isEqualTo(Kind.CONTENTION);
            one.rollback();
            two.rollback();
          }
        });
  }

  private static CompletableFuture<Optional<Throwable>> inBackground(
      Connection connection, String statement) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            Sessions.execute(connection, statement);
            return Optional.empty();
          } catch (SQLException e) {
            return Optional.of(e);
          }
        },
        THREADS);
  }

  private static Connection transaction(DataSource source) throws SQLException {
    Connection connection = source.getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  @Test
  void aLockThatDoesNotComeIsContention() throws Exception {
    throughEachDriver(
        source -> {
          try (Connection holder = transaction(source);
              Connection other = source.getConnection()) {
            Sessions.execute(holder, "update parent set v = 1 where id = 1");
            Sessions.execute(
                other,
                switch (dialect) {
                  case POSTGRES -> "set lock_timeout = '50ms'";
                  case MYSQL, MARIADB -> "set innodb_lock_wait_timeout = 1";
                  case SQLITE -> "pragma busy_timeout = 50";
                });
            assertThat(kindOf(other, "update parent set v = 2 where id = 1"))
                .isEqualTo(Kind.CONTENTION);
            if (dialect != Dialect.SQLITE) {
              assertThat(kindOf(other, "select * from parent where id = 1 for update nowait"))
                  .isEqualTo(Kind.CONTENTION);
            }
            holder.rollback();
          }
        });
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL},
      why = "Its REPEATABLE READ lets a transaction write over what it cannot see")
  void aWriteOverWhatTheSnapshotCannotSeeIsContention() throws Exception {
    DataSource source =
        dialect == Dialect.SQLITE
            ? Sources.withoutParameters(database)
            : Sources.throughEachDriver(database).get(0);
    try (Connection reader = source.getConnection();
        Connection writer = source.getConnection()) {
      if (dialect == Dialect.SQLITE) {
        Sessions.execute(writer, "pragma journal_mode = wal");
      } else {
        reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      }
      if (dialect == Dialect.MARIADB) {
        Sessions.execute(reader, "set innodb_snapshot_isolation = on");
      }
      reader.setAutoCommit(false);
      try (Statement statement = reader.createStatement();
          ResultSet rows = statement.executeQuery("select count(*) from parent")) {
        assertThat(rows.next()).isTrue();
      }
      Sessions.execute(writer, "update parent set v = 1 where id = 1");
      assertThat(kindOf(reader, "update parent set v = 2 where id = 1")).isEqualTo(Kind.CONTENTION);
      reader.rollback();
    }
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "They serialize by locks")
  void aCommitThatCannotBeSerializedIsContention() throws Exception {
    DataSource source = database.dataSource();
    try (Connection one = transaction(source);
        Connection two = transaction(source)) {
      for (Connection each : List.of(one, two)) {
        each.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        Sessions.execute(each, "select sum(v) from parent");
      }
      Sessions.execute(one, "update parent set v = 1 where id = 1");
      Sessions.execute(two, "update parent set v = 1 where id = 2");
      one.commit();
      assertThat(SqlFailure.kindOf(dialect, catchThrowable(two::commit)))
          .isEqualTo(Kind.CONTENTION);
    }
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "It has no server that could end a connection")
  void anEndedConnectionIsDisconnected() throws Exception {
    throughEachDriver(
        source -> {
          try (Connection connection = source.getConnection()) {
            database.execute(Sessions.ending(dialect, connection));
            assertThat(kindOf(connection, "select 1")).isEqualTo(Kind.DISCONNECTED);
            assertThat(kindOf(connection, "select 1")).isEqualTo(Kind.DISCONNECTED);
          }
        });
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "It has no server that could end a connection")
  void aConnectionEndedWhileItWaitsIsDisconnected() throws Exception {
    throughEachDriver(
        source -> {
          // Closing it may fail as well, for drivers roll back first.
          Connection waiting = transaction(source);
          try (Connection holder = transaction(source)) {
            String ending = Sessions.ending(dialect, waiting);
            Sessions.execute(holder, "update parent set v = 1 where id = 1");
            CompletableFuture<Optional<Throwable>> failure =
                inBackground(waiting, "update parent set v = 2 where id = 1");
            database.execute(ending);
            assertThat(SqlFailure.kindOf(dialect, failure.get(60, SECONDS).orElseThrow()))
                .isEqualTo(Kind.DISCONNECTED);
            holder.rollback();
          }
          Throwable closing = catchThrowable(waiting::close);
          if (closing != null) {
            assertThat(SqlFailure.kindOf(dialect, closing)).isEqualTo(Kind.DISCONNECTED);
          }
        });
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "It has no server")
  void aServerThatIsNotThereIsDisconnected() throws Exception {
    throughEachDriver(
        source -> {
          String url =
              source.toString().replaceFirst("//[^/]+/", "//127.0.0.1:" + freePort() + "/");
          assertThat(opening(Sources.of(url, database.user(), database.password())))
              .isEqualTo(Kind.DISCONNECTED);
        });
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Kind opening(DataSource source) {
    return catchThrowableOfType(
            DatabaseException.class,
            () -> Database.open(source, Naming.standard(), List.of(), Retry.never()))
        .kind();
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.MYSQL, DatabaseProduct.MARIADB},
      why = "They are not files")
  void aFileThatCannotBeOpenedIsDisconnected(@TempDir Path folder) throws SQLException {
    assertThat(opening(Sources.of("jdbc:sqlite:" + folder, "", ""))).isEqualTo(Kind.DISCONNECTED);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "It has no users")
  void tooManyConnectionsAreDisconnected() throws Exception {
    withLimitedRole(
        () ->
            throughEachDriver(
                source -> {
                  DataSource limited = Sources.of(source.toString(), ROLE, RIGHT);
                  try (Connection only = onceThereIsRoom(limited)) {
                    assertThat(only.isValid(5)).isTrue();
                    assertThat(opening(limited)).isEqualTo(Kind.DISCONNECTED);
                  }
                }));
  }

  /** A connection that was closed may count for a moment longer on the server. */
  private Connection onceThereIsRoom(DataSource limited) throws SQLException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (true) {
      try {
        return limited.getConnection();
      } catch (SQLException e) {
        if (SqlFailure.of(dialect, "Connecting", e).kind() != Kind.DISCONNECTED
            || System.nanoTime() > end) {
          throw e;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
    }
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "It has no users")
  void wrongCredentialsAreFatal() throws Exception {
    withLimitedRole(
        () ->
            throughEachDriver(
                source -> {
                  // PostgreSQL trusts local users here, but not those who do not exist.
                  String user = dialect == Dialect.POSTGRES ? "nobody" : ROLE;
                  DataSource wrong = Sources.of(source.toString(), user, "wrong");
                  assertThat(opening(wrong)).isEqualTo(Kind.FATAL);
                  try (HikariDataSource pool = pool(wrong)) {
                    assertThat(opening(pool)).isEqualTo(Kind.FATAL);
                  }
                }));
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "It makes the file")
  void aDatabaseThatDoesNotExistIsFatal() throws Exception {
    throughEachDriver(
        source -> {
          String url = source.toString().replaceFirst("(//[^/]+/)[^?]*", "$1nowhere");
          DataSource wrong = Sources.of(url, database.user(), database.password());
          assertThat(opening(wrong)).isEqualTo(Kind.FATAL);
        });
  }

  private interface Steps {
    void run() throws Exception;
  }

  private void withLimitedRole(Steps steps) throws Exception {
    boolean postgres = dialect == Dialect.POSTGRES;
    database.administer(
        (postgres
                ? "create role %s login connection limit 1 password '%s'"
                : "create user %s identified "
                    + kindOfPassword()
                    + " by '%s' with max_user_connections 1")
            .formatted(ROLE, RIGHT));
    try {
      if (!postgres) {
        database.administer("grant all on %s.* to %s".formatted(nameOfTheDatabase(), ROLE));
      }
      steps.run();
    } finally {
      database.execute((postgres ? "drop role " : "drop user ") + ROLE);
    }
  }

  /** MySQL's default cannot work without TLS or keys, which our server has not. */
  private String kindOfPassword() {
    return dialect == Dialect.MYSQL && !database.isOnUsersServer()
        ? "with mysql_native_password"
        : "";
  }

  private String nameOfTheDatabase() throws SQLException {
    try (Connection connection = database.connect()) {
      return connection.getCatalog();
    }
  }

  @Test
  void anExhaustedPoolIsDisconnected() throws Exception {
    try (HikariDataSource pool = pool(database.dataSource())) {
      pool.setConnectionTimeout(30_000); // the first connection may be one with TLS
      Database open = Database.open(pool, Naming.standard(), List.of(), Retry.never());
      try (Connection only = pool.getConnection()) {
        assertThat(only.isClosed()).isFalse();
        pool.setConnectionTimeout(250);
        assertThat(catchThrowableOfType(DatabaseException.class, open::session).kind())
            .isEqualTo(Kind.DISCONNECTED);
      }
    }
  }

  @Test
  void aPoolThatCannotStartSaysWhyToo() throws Exception {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setDataSource(database.dataSource());
      pool.setConnectionInitSql("selec 1");
      pool.setConnectionTimeout(250);
      assertThat(opening(pool)).isEqualTo(Kind.FATAL);
    }
  }

  private static HikariDataSource pool(DataSource source) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(250);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }
}

package dev.waybill.internal.sql;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Injection;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@EveryDatabase(alsoOldest = true)
@Timeout(120)
class SessionTest {
  /** A thread each: the common pool may have only one, and these wait for one another. */
  private static final Executor THREADS = task -> new Thread(task, "test").start();

  private final TestDatabase database;
  private final Dialect dialect;
  private final List<Duration> pauses = new ArrayList<>();

  SessionTest(TestDatabase database) {
    this.database = database.fresh();
    this.dialect = open(this.database.dataSource()).dialect();
  }

  @BeforeEach
  void createTable() throws SQLException {
    database.execute(
        "create table waybill_sample (id integer not null primary key, v integer not null)",
        "insert into waybill_sample values (1, 0)");
  }

  private static Database open(DataSource source) {
    return open(source, Retry.never());
  }

  private static Database open(DataSource source, Retry retry) {
    return Database.open(source, Naming.standard(), List.of(), retry);
  }

  private Retry recording(int attempts, Retry.Pause also) {
    return new Retry(
        attempts,
        Duration.ofMillis(8),
        Duration.ofMillis(20),
        () -> 0.5,
        duration -> {
          pauses.add(duration);
          also.sleep(duration);
        });
  }

  private static int set(Tx tx, int value) {
    return tx.query("update waybill_sample set v = :v where id = 1").set("v", value).update();
  }

  private static long value(Tx tx) {
    return tx.query("select v from waybill_sample where id = 1").one(row -> row.number("v"));
  }

  private long value() {
    return open(database.dataSource()).transact(SessionTest::value);
  }

  private static DatabaseException contention() {
    return new DatabaseException(Kind.CONTENTION, "in the way", null);
  }

  // Committing and rolling back.

  @Test
  void oneSessionRunsManyTransactions() {
    try (Session session = open(database.dataSource()).session()) {
      for (int i = 1; i <= 3; i++) {
        int value = i;
        session.transact(tx -> set(tx, value));
        assertThatThrownBy(
                () ->
                    session.transact(
                        tx -> {
                          set(tx, -1);
                          throw new IllegalArgumentException("no");
                        }))
            .hasMessage("no")
            .hasNoSuppressedExceptions();
        assertThat(value()).isEqualTo(value);
      }
    }
  }

  @Test
  void errorsRollBackToo() {
    try (Session session = open(database.dataSource()).session()) {
      var error = new AssertionError("out of something");
      assertThatThrownBy(
              () ->
                  session.transact(
                      tx -> {
                        set(tx, 5);
                        throw error;
                      }))
          .isSameAs(error);
    }
    assertThat(value()).isZero();
  }

  @Test
  void aCommitWhoseAnswerIsLostIsNotRepeated() {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    Database open = open(faulty, recording(7, duration -> {}));
    AtomicInteger runs = new AtomicInteger();
    try (Session session = open.session()) {
      onCommit(faulty).cut(Fault.Moment.AFTER);
      assertThat(
              catchThrowableOfType(
                      DatabaseException.class,
                      () ->
                          session.transact(
                              tx -> {
                                runs.incrementAndGet();
                                return set(tx, 3);
                              }))
                  .kind())
          .isNotEqualTo(Kind.CONTENTION);
    }
    assertThat(runs).hasValue(1);
    assertThat(value()).isEqualTo(3);
  }

  private Injection onCommit(FaultyDataSource faulty) {
    return faulty.on(dialect == Dialect.SQLITE ? Fault.sql("commit"::equals) : Fault.commit(1));
  }

  private Injection onRollback(FaultyDataSource faulty) {
    return faulty.on(dialect == Dialect.SQLITE ? Fault.sql("rollback"::equals) : Fault.rollback(1));
  }

  @Test
  void aConnectionThatCannotRollBackIsEndedAndItsWorkIsNeverCommitted() {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    Database open = open(faulty, recording(7, duration -> {}));
    Session session = open.session();
    var failure = contention();
    assertThatThrownBy(
            () ->
                session.transact(
                    tx -> {
                      set(tx, 4);
                      onRollback(faulty).always().fail(Fault.Moment.BEFORE);
                      throw failure;
                    }))
        .isSameAs(failure)
        .satisfies(e -> assertThat(e.getSuppressed()).isNotEmpty());
    assertThat(pauses).isEmpty();
    assertThatThrownBy(() -> session.transact(tx -> set(tx, 5)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    session.close();
    assertThat(value()).isZero();
  }

  // Contention.

  @Test
  void theWholeUnitIsRepeatedUntilTheOtherTransactionIsGone() throws Exception {
    try (Connection other = database.connect()) {
      other.setAutoCommit(false);
      Sessions.execute(other, "update waybill_sample set v = 10 where id = 1");
      AtomicInteger runs = new AtomicInteger();
      Retry retry =
          recording(
              3,
              duration -> {
                try {
                  other.commit();
                  other.setAutoCommit(true); // else SQLite's driver begins the next one
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      long seen =
          open(database.dataSource(), retry)
              .transact(
                  tx -> {
                    runs.incrementAndGet();
                    long before =
                        tx.query(
                                "select v from waybill_sample where id = 1"
                                    + (dialect == Dialect.SQLITE ? "" : " for update nowait"))
                            .one(row -> row.number("v"));
                    set(tx, (int) before + 1);
                    return before;
                  });
      assertThat(seen).isEqualTo(10);
      assertThat(pauses).containsExactly(Duration.ofMillis(4));
      // SQLite's single writer is met at the beginning, before the work.
      assertThat(runs).hasValue(dialect == Dialect.SQLITE ? 1 : 2);
    }
    assertThat(value()).isEqualTo(11);
  }

  @Test
  void whatAnAttemptDidIsGoneBeforeTheNext() {
    AtomicInteger runs = new AtomicInteger();
    open(database.dataSource(), recording(5, duration -> {}))
        .transact(
            tx -> {
              assertThat(value(tx)).isZero();
              set(tx, 1);
              if (runs.incrementAndGet() < 3) {
                throw contention();
              }
              return true;
            });
    assertThat(runs).hasValue(3);
    assertThat(value()).isEqualTo(1);
  }

  @Test
  void theAttemptsAreBoundedAndThePausesGrowUpToTheirLimit() {
    AtomicInteger runs = new AtomicInteger();
    assertThatThrownBy(
            () ->
                open(database.dataSource(), recording(4, duration -> {}))
                    .transact(
                        tx -> {
                          runs.incrementAndGet();
                          throw contention();
                        }))
        .isInstanceOf(DatabaseException.class)
        .hasMessage("in the way");
    assertThat(runs).hasValue(4);
    assertThat(pauses)
        .containsExactly(Duration.ofMillis(4), Duration.ofMillis(8), Duration.ofMillis(10));
  }

  @Test
  void otherErrorsAreNotRepeated() {
    for (RuntimeException failure :
        new RuntimeException[] {
          new DatabaseException(Kind.DUPLICATE, "d", null),
          new DatabaseException(Kind.DISCONNECTED, "d", null),
          new DatabaseException(Kind.FATAL, "f", null),
          new IllegalStateException("i")
        }) {
      AtomicInteger runs = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  open(database.dataSource(), recording(4, duration -> {}))
                      .transact(
                          tx -> {
                            runs.incrementAndGet();
                            throw failure;
                          }))
          .isSameAs(failure);
      assertThat(runs).hasValue(1);
    }
    assertThat(pauses).isEmpty();
  }

  @Test
  void aCommitThatFailsByContentionIsRepeated() {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    Database open = open(faulty, recording(4, duration -> {}));
    onCommit(faulty).fail(Fault.Moment.BEFORE, new SQLException("certification", "40001", 1213));
    assertThat(open.<Integer>transact(tx -> set(tx, 9))).isEqualTo(1);
    assertThat(pauses).hasSize(1);
    assertThat(value()).isEqualTo(9);
  }

  @Test
  void anInterruptDuringAPauseEndsTheAttempts() {
    Retry retry =
        recording(
            7,
            duration -> {
              throw new InterruptedException("stop");
            });
    AtomicInteger runs = new AtomicInteger();
    try {
      assertThatThrownBy(
              () ->
                  open(database.dataSource(), retry)
                      .transact(
                          tx -> {
                            runs.incrementAndGet();
                            throw contention();
                          }))
          .isInstanceOf(DatabaseException.class)
          .hasMessage("in the way")
          .satisfies(
              e ->
                  assertThat(e.getSuppressed())
                      .hasExactlyElementsOfTypes(InterruptedException.class));
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
      assertThat(runs).hasValue(1);
    } finally {
      Thread.interrupted();
    }
  }

  // What our connections are while we have them, and afterwards.

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

  private void inOtherTransaction(Function<Tx, Integer> work) {
    assertThat(
            CompletableFuture.supplyAsync(() -> open(database.dataSource()).transact(work), THREADS)
                .orTimeout(60, SECONDS)
                .join())
        .isEqualTo(1);
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
          session.snapshot(SessionTest::value);
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
        assertThat(session.<Long>snapshot(SessionTest::value)).isEqualTo(next);
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

  // Snapshots.

  @Test
  void aSnapshotDoesNotSeeWhatOthersCommitMeanwhile() {
    try (Session session = open(database.dataSource()).session()) {
      long[] seen =
          session.snapshot(
              tx -> {
                long before = value(tx);
                inOtherTransaction(other -> set(other, 1));
                return new long[] {before, value(tx)};
              });
      assertThat(seen).containsExactly(0, 0);
      assertThat(session.<Long>snapshot(SessionTest::value)).isEqualTo(1);
      assertThat(session.<Integer>transact(tx -> set(tx, 2))).isEqualTo(1);
    }
  }

  @Test
  void aSnapshotIsRefusedAnyWrite() {
    try (Session session = open(database.dataSource()).session()) {
      assertThat(
              catchThrowableOfType(
                      DatabaseException.class, () -> session.snapshot(tx -> set(tx, 1)))
                  .kind())
          .isEqualTo(Kind.FATAL);
      assertThatThrownBy(
              () ->
                  session.snapshot(
                      tx -> {
                        tx.script("create table waybill_other (id integer)");
                        return 1;
                      }))
          .isInstanceOf(DatabaseException.class);
      assertThat(session.<Integer>transact(tx -> set(tx, 2))).isEqualTo(1);
    }
    assertThat(value()).isEqualTo(2);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "Its connections do not die")
  void aSnapshotWhoseConnectionDiesSaysSo() {
    for (DataSource source : new DataSource[] {database.dataSource(), database.pool(1)}) {
      try (Session session = open(source).session()) {
        assertThat(
                catchThrowableOfType(
                        DatabaseException.class,
                        () ->
                            session.snapshot(
                                tx -> {
                                  String ending = Sessions.ending(dialect, tx.connection());
                                  execute(ending);
                                  return value(tx);
                                }))
                    .kind())
            .isEqualTo(Kind.DISCONNECTED);
      }
    }
  }

  private void execute(String statement) {
    try {
      database.execute(statement);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
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

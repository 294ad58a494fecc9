package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Naming;
import dev.waybill.internal.store.SchemaStore;
import dev.waybill.schema.SchemaIncompatibleException.ChecksumConflict;
import dev.waybill.schema.SchemaIncompatibleException.LockNotReleased;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The lock is always given back, or its connection is ended; a migration's error matters more. */
@EveryDatabase(alsoOldest = true)
@NotOn(value = DatabaseProduct.SQLITE, why = "its lock is a transaction and ends with it")
class UnlockTest {
  private final TestDatabase database;
  private final FaultyDataSource faulty;
  private final HikariDataSource pool;

  UnlockTest(TestDatabase database) {
    this.database = database.fresh();
    this.faulty = new FaultyDataSource(this.database.dataSource());
    HikariConfig config = new HikariConfig();
    config.setDataSource(faulty);
    config.setMaximumPoolSize(1);
    this.pool = new HikariDataSource(config);
  }

  @AfterEach
  void closePool() {
    pool.close();
  }

  @Test
  void theSessionGoesBackToThePoolWhenTheLockIsFree() throws SQLException {
    TestSet.guard(pool).migrate();
    Rows.spoilChecksum(database, 2);
    assertThatThrownBy(() -> TestSet.guard(pool).migrate()).isInstanceOf(ChecksumConflict.class);
    assertThat(connectionsUsed()).containsExactly(1);
    assertLockIsFree();
  }

  @Test
  void aMigrationErrorBeatsAnUnlockError() {
    faulty.on(Fault.sql(sql -> sql.contains("parcel_log"))).fail(Moment.BEFORE);
    faulty.on(Fault.sql(UnlockTest::isUnlock)).fail(Moment.BEFORE);
    try (ErrorLog log = new ErrorLog("dev.waybill.internal.store.SchemaLock")) {
      QueryFailed failed =
          catchThrowableOfType(QueryFailed.class, () -> TestSet.guard(pool).migrate());
      assertThat(failed).hasMessageStartingWith("Migration 3 (log) failed");
      assertThat(failed.getSuppressed()).hasSize(1);
      assertThat(failed.getSuppressed()[0]).hasMessageContaining("schema_unlock");
      assertThat(log.errors()).hasSize(1).first().asString().contains("could not be released");
    }
    assertConnectionEnded();
  }

  @Test
  void aVerdictBeatsAnUnlockErrorToo() throws SQLException {
    TestSet.guard(database).migrate();
    Rows.spoilChecksum(database, 2);
    faulty.on(Fault.sql(UnlockTest::isUnlock)).fail(Moment.BEFORE);
    try (ErrorLog log = new ErrorLog("dev.waybill.internal.store.SchemaLock")) {
      ChecksumConflict conflict =
          catchThrowableOfType(ChecksumConflict.class, () -> TestSet.guard(pool).migrate());
      assertThat(conflict.getSuppressed()).hasSize(1);
      assertThat(log.errors()).hasSize(1);
    }
    assertConnectionEnded();
  }

  @Test
  void anErrorOfTheHistoryCarriesTheUnlockErrorToo() {
    faulty.on(Fault.sql(sql -> sql.contains("order by version"))).fail(Moment.BEFORE);
    faulty.on(Fault.sql(UnlockTest::isUnlock)).fail(Moment.BEFORE);
    try (ErrorLog log = new ErrorLog("dev.waybill.internal.store.SchemaLock")) {
      QueryFailed failed =
          catchThrowableOfType(QueryFailed.class, () -> TestSet.guard(pool).migrate());
      assertThat(failed).hasMessageStartingWith("Reading the history failed");
      assertThat(failed.getSuppressed()).hasSize(1);
      assertThat(log.errors()).hasSize(1);
    }
    assertConnectionEnded();
  }

  @Test
  void anUnlockErrorAloneStopsBeforeTheCutover() throws SQLException {
    faulty.on(Fault.sql(UnlockTest::isUnlock)).fail(Moment.BEFORE);
    LockNotReleased thrown =
        catchThrowableOfType(LockNotReleased.class, () -> TestSet.guard(pool).migrate());
    assertThat(thrown.verdict()).isEqualTo("lock-not-released");
    assertThat(thrown)
        .hasMessageContaining("Run Schema.migrate again")
        .hasRootCauseInstanceOf(SQLException.class);
    assertThat(Rows.history(database)).isEqualTo(TestSet.VERSIONS);
    assertThat(TestSet.guard(database).plan().cutovers()).containsExactly("require requests");
    assertConnectionEnded();

    assertThat(TestSet.guard(pool).migrate()).isEmpty();
    assertThat(TestSet.guard(database).plan().cutovers()).isEmpty();
  }

  @Test
  void aLockThatWasNotHeldAnyMoreIsAnUnlockError() {
    LockNotReleased thrown =
        catchThrowableOfType(
            LockNotReleased.class,
            () -> TestSet.guard(pool, TestSet.options(), TestSet::losingTheLock).migrate());
    assertThat(thrown).hasStackTraceContaining("not held");
    assertConnectionEnded();
  }

  @Test
  void aLockThatMayHaveBeenTakenIsNotKept() {
    faulty.on(Fault.sql(UnlockTest::isLock)).fail(Moment.AFTER);
    QueryFailed failed =
        catchThrowableOfType(QueryFailed.class, () -> TestSet.guard(pool).migrate());
    assertThat(failed).hasMessageContaining("schema_lock").hasNoSuppressedExceptions();
    assertConnectionEnded();
  }

  @Test
  void aLockTakenTwiceIsGivenBackTwice() {
    // The unit that took it is repeated: its commit, the first, is said to have met another's.
    faulty.on(Fault.commit(1)).fail(Moment.BEFORE, new SQLException("contention", "40001"));
    assertThat(TestSet.guard(pool).migrate()).isEqualTo(TestSet.VERSIONS);
    assertThat(faulty.trace().stream().filter(made -> isLock(made.sql()))).hasSize(2);
    assertThat(connectionsUsed()).containsExactly(1);
    assertLockIsFree();
  }

  @Test
  void twoInstallationsDoNotWaitForEachOther() {
    SchemaStore store = store(new Naming("other_", null));
    store.exclusively(
        Duration.ZERO,
        unit -> {
          assertThat(TestSet.guard(database).migrate()).isEqualTo(TestSet.VERSIONS);
          assertThatThrownBy(
                  () -> store(new Naming("Other_", null)).exclusively(Duration.ZERO, again -> true))
              .hasMessageContaining("it was busy");
          return true;
        });
  }

  private void assertConnectionEnded() {
    int broken = holder();
    faulty.reset();
    TestSet.guard(pool, TestSet.options(), TestSet.upTo(1)).status();
    assertThat(connectionsUsed()).isNotEmpty().doesNotContain(broken);
    assertLockIsFree();
  }

  private void assertLockIsFree() {
    assertThat(store(Naming.standard()).<Boolean>exclusively(Duration.ofSeconds(20), unit -> true))
        .isTrue();
  }

  private SchemaStore store(Naming naming) {
    return SchemaStore.open(database.dataSource(), naming, Time.system());
  }

  private Set<Integer> connectionsUsed() {
    return faulty.trace().stream()
        .filter(made -> made.kind() == Operation.Kind.STATEMENT)
        .map(Operation::connection)
        .collect(Collectors.toSet());
  }

  private int holder() {
    return faulty.trace().stream()
        .filter(made -> isLock(made.sql()))
        .mapToInt(Operation::connection)
        .findFirst()
        .orElseThrow();
  }

  private static boolean isLock(String sql) {
    return sql.contains("pg_try_advisory_lock") || sql.contains("get_lock");
  }

  private static boolean isUnlock(String sql) {
    return sql.contains("pg_advisory_unlock(") || sql.contains("release_lock(");
  }
}

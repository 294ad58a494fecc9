package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.schema.SchemaIncompatibleException.DataNotReady;
import dev.waybill.schema.SchemaIncompatibleException.HistoryMissing;
import dev.waybill.schema.SchemaIncompatibleException.NewerRelease;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Check, plan and status only read, and what they read belongs together. */
@EveryDatabase(alsoOldest = true)
class CheckTest {
  /** A thread each: the common pool may have only one, and these wait for one another. */
  private static final Executor THREADS = task -> new Thread(task, "test").start();

  private static final Duration SOON = Duration.ofSeconds(30);

  private static final String READING =
      "(?s)(select|pragma (query_only|busy_timeout)|begin|commit|rollback|connect|close"
          + "|set (session )?transaction|start transaction with consistent snapshot).*";

  private final TestDatabase database;

  CheckTest(TestDatabase database) {
    this.database = database.fresh();
  }

  @Test
  void nothingIsMadeInAnEmptyDatabase() throws SQLException {
    SchemaGuard guard = TestSet.guard(database);
    assertThatThrownBy(guard::check).isInstanceOf(HistoryMissing.class);
    assertThat(guard.plan().pending()).hasSize(5);
    assertThat(guard.status().migrations()).hasSize(5);
    assertThat(SchemaDump.of(database)).isEmpty();
  }

  @Test
  void whoCanOnlyReadCanCheck() throws SQLException {
    try (Reader reader = Reader.of(database)) {
      SchemaGuard empty = TestSet.guard(reader.dataSource());
      assertThatThrownBy(empty::check).isInstanceOf(HistoryMissing.class);

      TestSet.guard(database.dataSource(), TestSet.options(), TestSet.upTo(4)).migrate();
      Rows.addLegacy(database);
      TestSet.guard(database.dataSource(), TestSet.options(), TestSet.upTo(5)).migrate();
      reader.grantAll();
      SchemaGuard guard = TestSet.guard(reader.dataSource());
      assertThatThrownBy(guard::check).isInstanceOf(DataNotReady.class);
      assertThat(guard.plan().cutovers()).containsExactly("require requests");
      assertThat(guard.status().verdict()).get().isInstanceOf(DataNotReady.class);
      // And it really cannot write.
      assertThatThrownBy(guard::migrate)
          .satisfies(
              thrown -> assertThat(thrown).isInstanceOfAny(DataNotReady.class, QueryFailed.class));
      assertThatThrownBy(
              () ->
                  TestSet.guard(
                          reader.dataSource(), TestSet.options().withPrefix("new_"), TestSet::all)
                      .migrate())
          .isInstanceOfSatisfying(
              QueryFailed.class,
              failed ->
                  assertThat(failed.failure().kind()).isEqualTo(DatabaseException.Kind.FATAL));
    }
  }

  @Test
  void noStatementOfACheckChangesAnything() {
    TestSet.guard(database).migrate();
    FaultyDataSource watched = new FaultyDataSource(database.dataSource());
    SchemaGuard guard = TestSet.guard(watched);
    guard.check();
    guard.plan();
    guard.status();
    assertThat(watched.trace())
        .allSatisfy(made -> assertThat(made.text().toLowerCase(Locale.ROOT)).matches(READING));
  }

  @Test
  void allIsReadOnOneSnapshot() throws Exception {
    TestSet.guard(database).migrate();
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    SchemaGuard guard = TestSet.guard(faulty);
    Hold hold =
        faulty
            .on(Fault.sql(sql -> sql.contains("fence") && sql.contains("order by version")))
            .hold();
    CompletableFuture<Void> check = CompletableFuture.runAsync(guard::check, THREADS);
    hold.awaitReached(SOON);
    Rows.addFence(database, 99);
    Rows.spoilChecksum(database, 2);
    hold.release();
    assertThatCode(() -> check.get(30, TimeUnit.SECONDS)).doesNotThrowAnyException();
    Rows.forget(database, 2);
    assertThatThrownBy(guard::check).isInstanceOf(NewerRelease.class);
  }
}

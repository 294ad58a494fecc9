package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every statement and every commit of a whole run fails or loses its connection, before and after
 * it took effect. Whoever comes next completes the run, or is told that a migration is dirty and
 * what to do, and doing that completes it: what is there then is what an undisturbed run leaves.
 */
@Tag("long")
@EveryDatabase(alsoOldest = true)
class CrashTest {
  private static final int WORKERS = 4;

  private final TestDatabase database;
  private Outcome undisturbed;
  private int statements;
  private int changes;
  private int commits;

  CrashTest(TestDatabase database) {
    this.database = database.fresh();
  }

  @BeforeEach
  void count() throws SQLException {
    try (TestDatabase other = database.fresh()) {
      FaultyDataSource watched = new FaultyDataSource(other.dataSource());
      TestSet.guard(watched).migrate();
      statements = (int) watched.counts().statements();
      changes = (int) watched.trace().stream().filter(made -> isChange(made.sql())).count();
      commits = (int) watched.counts().commits();
      undisturbed = Outcome.of(other);
    }
    assertThat(changes).isBetween(20, statements);
  }

  /** Whether it matters that a statement took effect, not only that it was to be made. */
  private static boolean isChange(String sql) {
    return !sql.isEmpty() && !sql.matches("(?s)(select (?!.*lock)|pragma).*");
  }

  private static Fault change(int n) {
    return Fault.sql(n, CrashTest::isChange);
  }

  @Test
  void everyStatementFails() throws Exception {
    disturb(statements, Fault::statement, false, Moment.BEFORE);
  }

  @Test
  void everyChangeFailsAfterItTookEffect() throws Exception {
    disturb(changes, CrashTest::change, false, Moment.AFTER);
  }

  @Test
  void theConnectionIsLostBeforeEveryChange() throws Exception {
    disturb(changes, CrashTest::change, true, Moment.BEFORE);
  }

  @Test
  void theConnectionIsLostAfterEveryChange() throws Exception {
    disturb(changes, CrashTest::change, true, Moment.AFTER);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "its commits are statements and fail with those")
  void everyCommitFails() throws Exception {
    disturb(commits, Fault::commit, false, Moment.BEFORE);
    disturb(commits, Fault::commit, false, Moment.AFTER);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "its commits are statements and fail with those")
  void theConnectionIsLostAroundEveryCommit() throws Exception {
    disturb(commits, Fault::commit, true, Moment.BEFORE);
    disturb(commits, Fault::commit, true, Moment.AFTER);
  }

  /** Several at a time, each on a database of its own: what they mostly do is wait for disks. */
  @SuppressWarnings("try") // The log is only kept quiet.
  private void disturb(int last, IntFunction<Fault> fault, boolean cut, Moment moment)
      throws Exception {
    AtomicInteger next = new AtomicInteger(1);
    AtomicInteger dirty = new AtomicInteger();
    Callable<Void> worker =
        () -> {
          try (TestDatabase mine = database.fresh()) {
            for (int n = next.getAndIncrement(); n <= last; n = next.getAndIncrement()) {
              try (Emptied empty = Emptied.of(mine)) {
                dirty.addAndGet(disturb(empty.database(), fault.apply(n), cut, moment) ? 1 : 0);
              }
            }
          }
          return null;
        };
    ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
    try (ErrorLog log = new ErrorLog("dev.waybill.internal")) {
      for (Future<Void> each : workers.invokeAll(Collections.nCopies(WORKERS, worker))) {
        each.get();
      }
    } finally {
      workers.shutdownNow();
    }
    boolean ddlCommitsByItself =
        database.product() == DatabaseProduct.MYSQL
            || database.product() == DatabaseProduct.MARIADB;
    assertThat(dirty.get()).isBetween(ddlCommitsByItself ? 1 : 0, ddlCommitsByItself ? last : 0);
  }

  private boolean disturb(TestDatabase fresh, Fault fault, boolean cut, Moment moment)
      throws SQLException {
    FaultyDataSource faulty = new FaultyDataSource(fresh.dataSource());
    if (cut) {
      faulty.on(fault).cut(moment);
    } else {
      faulty.on(fault).fail(moment);
    }
    Throwable thrown = catchThrowable(() -> TestSet.guard(faulty).migrate());
    if (thrown != null) {
      assertThat(thrown).as("%s", fault).isInstanceOf(SchemaIncompatibleException.class);
    }
    boolean wasDirty = Recovery.of(fresh).complete();
    assertThat(Outcome.of(fresh)).as("after %s %s", moment, fault).isEqualTo(undisturbed);
    return wasDirty;
  }
}

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
import java.util.function.IntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every statement and every commit of a whole run fails or loses its connection, before and after
 * it took effect. Whoever comes next completes the run, or is told that a migration is dirty and
 * what to do, and doing that completes it: what is there then is what an undisturbed run leaves.
 *
 * <p>A connection lost before a statement is the same to the server as one lost after what went
 * before it, so only the latter is done.
 */
@Tag("long")
@Tag("once")
@EveryDatabase(alsoOldest = true)
class CrashTest {
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
  void everyStatementFails() throws SQLException {
    disturb(statements, Fault::statement, false, Moment.BEFORE);
  }

  @Test
  void everyChangeFailsAfterItTookEffect() throws SQLException {
    disturb(changes, CrashTest::change, false, Moment.AFTER);
  }

  @Test
  void theConnectionIsLostAfterEveryChange() throws SQLException {
    disturb(changes, CrashTest::change, true, Moment.AFTER);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "its commits are statements and fail with those")
  void everyCommitFails() throws SQLException {
    disturb(commits, Fault::commit, false, Moment.BEFORE);
    disturb(commits, Fault::commit, false, Moment.AFTER);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "its commits are statements and fail with those")
  void theConnectionIsLostAroundEveryCommit() throws SQLException {
    disturb(commits, Fault::commit, true, Moment.BEFORE);
    disturb(commits, Fault::commit, true, Moment.AFTER);
  }

  private void disturb(int last, IntFunction<Fault> fault, boolean cut, Moment moment)
      throws SQLException {
    int dirty = 0;
    try (ErrorLog log = new ErrorLog("dev.waybill.internal")) {
      for (int n = 1; n <= last; n++) {
        try (Emptied empty = Emptied.of(database)) {
          dirty += disturb(empty.database(), fault.apply(n), cut, moment) ? 1 : 0;
        }
      }
      assertThat(log.errors()).allMatch(line -> line.contains("could not be released"));
    }
    boolean ddlCommitsByItself =
        database.product() == DatabaseProduct.MYSQL
            || database.product() == DatabaseProduct.MARIADB;
    assertThat(dirty).isBetween(ddlCommitsByItself ? 1 : 0, ddlCommitsByItself ? last : 0);
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

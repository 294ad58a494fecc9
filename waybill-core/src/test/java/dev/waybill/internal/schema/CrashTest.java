package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.function.IntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every statement and every commit of a whole run fails or loses its connection, before and after
 * it took effect. Whoever comes next completes the run, or is told that a migration is dirty and
 * what to do, and doing that completes it: what is there then is what an undisturbed run leaves.
 */
@EveryDatabase(alsoOldest = true)
class CrashTest {
  private final TestDatabase database;
  private Outcome undisturbed;
  private int statements;
  private int commits;

  CrashTest(TestDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void count() throws SQLException {
    try (TestDatabase other = database.fresh()) {
      FaultyDataSource watched = new FaultyDataSource(other.dataSource());
      TestSet.guard(watched).migrate();
      statements = (int) watched.counts().statements();
      commits = (int) watched.counts().commits();
      undisturbed = Outcome.of(other);
    }
    assertThat(statements).isGreaterThan(20);
  }

  @Test
  void everyStatementFails() throws SQLException {
    disturb(statements, Fault::statement, false, Moment.BEFORE);
  }

  @Test
  void everyStatementFailsAfterItTookEffect() throws SQLException {
    disturb(statements, Fault::statement, false, Moment.AFTER);
  }

  @Test
  void theConnectionIsLostBeforeEveryStatement() throws SQLException {
    disturb(statements, Fault::statement, true, Moment.BEFORE);
  }

  @Test
  void theConnectionIsLostAfterEveryStatement() throws SQLException {
    disturb(statements, Fault::statement, true, Moment.AFTER);
  }

  @Test
  void everyCommitFails() throws SQLException {
    disturb(commits, Fault::commit, false, Moment.BEFORE);
    disturb(commits, Fault::commit, false, Moment.AFTER);
  }

  @Test
  void theConnectionIsLostAroundEveryCommit() throws SQLException {
    disturb(commits, Fault::commit, true, Moment.BEFORE);
    disturb(commits, Fault::commit, true, Moment.AFTER);
  }

  private void disturb(int last, IntFunction<Fault> fault, boolean cut, Moment moment)
      throws SQLException {
    int dirty = 0;
    for (int n = 1; n <= last; n++) {
      try (TestDatabase fresh = database.fresh()) {
        dirty += disturb(fresh, fault.apply(n), cut, moment) ? 1 : 0;
      }
    }
    boolean ddlCommitsByItself =
        database.product() == DatabaseProduct.MYSQL
            || database.product() == DatabaseProduct.MARIADB;
    if (ddlCommitsByItself) {
      assertThat(dirty).isBetween(1, last);
    } else {
      assertThat(dirty).isZero();
    }
  }

  @SuppressWarnings("try") // The log is only kept quiet.
  private boolean disturb(TestDatabase fresh, Fault fault, boolean cut, Moment moment)
      throws SQLException {
    FaultyDataSource faulty = new FaultyDataSource(fresh.dataSource());
    if (cut) {
      faulty.on(fault).cut(moment);
    } else {
      faulty.on(fault).fail(moment);
    }
    try (ErrorLog log = new ErrorLog("dev.waybill.internal")) {
      Throwable thrown = catchThrowable(() -> TestSet.guard(faulty).migrate());
      if (thrown != null) {
        assertThat(thrown).as("%s", fault).isInstanceOf(SchemaIncompatibleException.class);
      }
    }
    boolean wasDirty = Recovery.of(fresh).complete();
    assertThat(Outcome.of(fresh)).as("after %s %s", moment, fault).isEqualTo(undisturbed);
    return wasDirty;
  }
}

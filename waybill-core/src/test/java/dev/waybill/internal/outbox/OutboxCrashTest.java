package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.DatabaseException;
import dev.waybill.Migrated;
import dev.waybill.outbox.Logged;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.IntFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every statement and every commit of every stage (register, enqueue, promote, sequence, deliver
 * under a lease and in a transaction, vacuum) fails or loses its connection, before and after it
 * took effect. Either the same process goes on, or another one takes over from one that died; in
 * the end every committed message was delivered in order, effects in the database happened once,
 * nothing that was rolled back appeared, numbers have no gaps, and nothing is left in the tables.
 */
@Tag("long")
@Tag("once")
@EveryDatabase
class OutboxCrashTest {
  private static final int DISTANCE = 24;

  private final TestDatabase database;
  private final FaultyDataSource faulty;
  private final DataSource source;
  private final Connection eyes;
  private final Logged log = new Logged("dev.waybill");
  private final Logged pools = new Logged("com.zaxxer.hikari");
  private int journeys;
  private int statements;
  private int changes;
  private int commits;

  OutboxCrashTest(TestDatabase database) throws SQLException {
    this.database = Migrated.on(database);
    Journey.prepare(this.database);
    eyes = this.database.connect();
    faulty = new FaultyDataSource(this.database.dataSource());
    source = this.database.product() == DatabaseProduct.SQLITE ? faulty : pooled(faulty);
  }

  /** Above the faults, so that it sees its connections die; SQLite's driver does not tell it. */
  private static DataSource pooled(DataSource faulty) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(faulty);
    config.setMaximumPoolSize(2);
    return new HikariDataSource(config);
  }

  @BeforeEach
  void undisturbed() throws SQLException {
    Journey journey = new Journey(database.product(), eyes, ++journeys);
    source.getConnection().close();
    faulty.reset();
    process(journey, journey.line(source, "before"));
    statements = (int) faulty.counts().statements();
    changes = (int) faulty.trace().stream().filter(made -> isChange(made.sql())).count();
    commits = (int) faulty.counts().commits();
    journey.line(source, "after").finish();
    journey.check("undisturbed");
    assertThat(changes).isBetween(20, statements);
  }

  @AfterEach
  void close() throws SQLException {
    eyes.close();
    if (source instanceof HikariDataSource pool) {
      pool.close();
    }
    pools.close();
    log.close();
  }

  /** Whether it matters that a statement took effect, not only that it was to be made. */
  private static boolean isChange(String sql) {
    return !sql.isEmpty() && !sql.matches("(?s)(select (?!.*update)|pragma).*");
  }

  /** What a process does before it dies, or goes on. */
  private static void process(Journey journey, Line line) {
    journey.produce(line.door());
    for (int i = 0; i < 3; i++) {
      line.pass();
    }
  }

  @Test
  void everyStatementFails() throws SQLException {
    disturb(statements, Fault::statement, false, Moment.BEFORE);
  }

  @Test
  void everyChangeFailsAfterItTookEffect() throws SQLException {
    disturb(changes, n -> Fault.sql(n, OutboxCrashTest::isChange), false, Moment.AFTER);
  }

  @Test
  void theConnectionIsLostAfterEveryChange() throws SQLException {
    disturb(changes, n -> Fault.sql(n, OutboxCrashTest::isChange), true, Moment.AFTER);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "its commits are statements and fail with those")
  void everyCommitFailsOrLosesItsConnection() throws SQLException {
    disturb(commits, Fault::commit, false, Moment.BEFORE);
    disturb(commits, Fault::commit, false, Moment.AFTER);
    disturb(commits, Fault::commit, true, Moment.BEFORE);
    disturb(commits, Fault::commit, true, Moment.AFTER);
  }

  /**
   * Each of them is the first to fail in one journey; those that follow at a distance fail in the
   * same one, as one journey for each would take too long.
   */
  private void disturb(int last, IntFunction<Fault> fault, boolean cut, Moment moment)
      throws SQLException {
    int distance = Math.min(last, DISTANCE);
    for (int n = 1; n <= distance; n++) {
      faulty.reset();
      for (int each = n; each <= last; each += distance) {
        if (cut) {
          faulty.on(fault.apply(each)).cut(moment);
        } else {
          faulty.on(fault.apply(each)).fail(moment);
        }
      }
      boolean dies = n % 2 == 0;
      Journey journey = new Journey(database.product(), eyes, ++journeys);
      String as = String.format("%s %s, cut: %s, dies: %s", moment, fault.apply(n), cut, dies);
      try {
        Line line = start(journey, "before");
        process(journey, line);
        (dies ? start(journey, "after") : line).finish();
        faulty.reset();
        journey.check(as);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(as + " of " + faulty.trace(), e);
      }
    }
  }

  /** Whoever cannot register does not start, and is started again. */
  private Line start(Journey journey, String owner) {
    while (true) {
      try {
        return journey.line(source, owner);
      } catch (DatabaseException disturbed) {
        assertThat(faulty.counts().statements()).isLessThan(10_000);
      }
    }
  }
}

package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Finding.Severity;
import dev.waybill.internal.doctor.Examination;
import dev.waybill.internal.doctor.Thresholds;
import dev.waybill.internal.loop.Time;
import dev.waybill.schema.Schema;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What only MySQL and MariaDB can suffer from. */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.SQLITE},
    why = "their own ailments are elsewhere")
@Timeout(120)
class DoctorMySqlTest {
  private final TestDatabase given;
  private final Examined examined;

  DoctorMySqlTest(TestDatabase given) {
    this.given = given;
    examined = Examined.on(given);
  }

  /** For those who alter what the next case would find altered. */
  private TestDatabase fresh() {
    TestDatabase database = given.fresh();
    Schema.migrate(database.dataSource());
    return database;
  }

  private interface Work {
    void run(String user, DataSource source) throws SQLException;
  }

  /** Users belong to the server: this one goes with the case. */
  private static void withUser(TestDatabase database, Work work) throws SQLException {
    String name = "patient_" + UUID.randomUUID().toString().substring(0, 8);
    // Ours has neither TLS nor keys, without which the default kind of password does not work.
    String password = database.isOnUsersServer() ? Examined.PASSWORD : "";
    database.administer("create user %s@'%%' identified by '%s'".formatted(name, password));
    try {
      work.run(name + "@'%'", Examined.as(name, password, database.dataSource()));
    } finally {
      database.execute("drop user " + name + "@'%'");
    }
  }

  private static String schema(TestDatabase database) throws SQLException {
    try (Connection connection = database.connect()) {
      return connection.getCatalog();
    }
  }

  @Test
  void aUserThatMayOnlyReadIsToldWhatItLacks() throws SQLException {
    TestDatabase database = Migrated.on(given);
    withUser(
        database,
        (user, source) -> {
          database.administer("grant select on " + schema(database) + ".* to " + user);

          List<Finding> findings = examined.worse(Doctor.examine(source));

          assertThat(Examined.of("privileges", findings))
              .singleElement()
              .satisfies(
                  finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.PROBLEM);
                    assertThat(finding.what())
                        .contains("DELETE, INSERT, UPDATE on")
                        .doesNotContain("schema_history");
                  });
          assertThat(Examined.of("not-examined", findings))
              .singleElement()
              .satisfies(
                  finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.NOTE);
                    assertThat(finding.remedy()).contains("GRANT PROCESS");
                  });
          assertThat(findings).hasSize(2);

          String remedy = Examined.of("privileges", findings).get(0).remedy();
          database.administer(
              remedy.substring(0, remedy.indexOf(", or on each")),
              "grant process on *.* to " + user);
          assertThat(examined.worse(Doctor.examine(source))).isEmpty();
        });
  }

  @Test
  void aUserThatIsShownOneTableOnlyIsNotToldThatAllIsWell() throws SQLException {
    TestDatabase database = Migrated.on(given);
    withUser(
        database,
        (user, source) -> {
          database.administer(
              "grant delete on " + schema(database) + ".waybill_job_log to " + user);

          List<Finding> findings = examined.worse(Doctor.examine(source));

          assertThat(Examined.of("schema", findings)).hasSize(1);
          assertThat(Examined.of("privileges", findings))
              .singleElement()
              .satisfies(
                  finding ->
                      assertThat(finding.what()).contains("SELECT on waybill_schema_history"));
        });
  }

  @Test
  void eachPrivilegeIsToldApart() throws SQLException {
    TestDatabase database = Migrated.on(given);
    withUser(
        database,
        (user, source) -> {
          database.administer(
              "grant select, insert, delete on " + schema(database) + ".* to " + user);
          assertThat(Examined.of("privileges", Doctor.examine(source)))
              .singleElement()
              .satisfies(finding -> assertThat(finding.what()).contains("lacks UPDATE on"));
        });
    withUser(
        database,
        (user, source) -> {
          database.administer("grant select, update on " + schema(database) + ".* to " + user);
          assertThat(Examined.of("privileges", Doctor.examine(source)))
              .singleElement()
              .satisfies(finding -> assertThat(finding.what()).contains("lacks DELETE, INSERT on"));
        });
  }

  @Test
  void aTableThatIsGoneIsMissingAndNotForbidden() throws SQLException {
    TestDatabase database = fresh();
    withUser(
        database,
        (user, source) -> {
          database.administer(
              "grant select, insert, update, delete on " + schema(database) + ".* to " + user,
              "grant process on *.* to " + user,
              "drop table waybill_job_log");
          assertThat(examined.worse(Doctor.examine(source)))
              .extracting(Finding::code)
              .containsExactly("tables");
        });
  }

  @Test
  void anotherEngineIsAProblem() throws SQLException {
    TestDatabase database = fresh();
    database.execute("alter table waybill_job_log engine = MyISAM");

    assertThat(examined.worse(Doctor.examine(database.dataSource())))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.code()).isEqualTo("engine");
              assertThat(finding.severity()).isEqualTo(Severity.PROBLEM);
              assertThat(finding.what()).contains("waybill_job_log (MyISAM)");
            });
  }

  @Test
  void aMissingPrimaryKeyIsNamed() throws SQLException {
    TestDatabase database = fresh();
    database.execute("alter table waybill_job_fire drop primary key");

    assertThat(examined.worse(Doctor.examine(database.dataSource())))
        .singleElement()
        .satisfies(
            finding -> assertThat(finding.what()).contains("primary key of waybill_job_fire"));
  }

  @Test
  void anOldTransactionIsNamedWhateverTheTimeZoneIs() throws SQLException {
    TestDatabase database = Migrated.on(given);
    database.administer("select count(*) from information_schema.innodb_trx");
    Thresholds atOnce = Thresholds.standard().withOldTransaction(Duration.ZERO);
    try (Connection idle = database.connect();
        Statement statement = idle.createStatement()) {
      statement.execute("set time_zone = '+11:00'");
      idle.setAutoCommit(false);
      // Whoever looked a moment ago, like this, is shown the same again.
      Examination.of(database.dataSource(), SchemaOptions.defaults(), atOnce, Time.system());
      statement.execute("insert into waybill_schema_cutover values ('a', utc_timestamp(6))");

      long thread = connectionId(statement);
      Finding named = awaitFinding(database, atOnce, "Thread " + thread + " ");

      assertThat(named.severity()).isEqualTo(Severity.WARNING);
      assertThat(named.what()).contains("and is idle in it");
      assertThat(named.remedy()).contains("KILL " + thread + ".");
      assertThat(Examined.of("old-transaction", Doctor.examine(database.dataSource())))
          .allMatch(finding -> finding.severity() == Severity.OK);
      idle.rollback();
    }
  }

  private static long connectionId(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("select connection_id()")) {
      row.next();
      return row.getLong(1);
    }
  }

  /**
   * Examines until an old transaction is named so. The server shows transactions as they were a
   * moment ago: its copy is renewed only when nobody has read it for 0.1 s, which another case may
   * just have done. And only the oldest ones are listed, those of other cases before this one's.
   */
  private static Finding awaitFinding(TestDatabase database, Thresholds thresholds, String named) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      List<Finding> findings =
          Examined.of(
              "old-transaction",
              Examination.of(
                  database.dataSource(), SchemaOptions.defaults(), thresholds, Time.system()));
      for (Finding finding : findings) {
        if (finding.what().startsWith(named)) {
          return finding;
        }
      }
      assertThat(System.nanoTime()).as("not among %s", findings).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
    }
  }

  @Test
  void aTableThatSomebodyAltersIsNotWaitedFor() throws SQLException {
    TestDatabase database = Migrated.on(given);
    try (Connection locking = database.connect();
        Statement statement = locking.createStatement()) {
      statement.execute("lock tables waybill_outbox_queues write");

      List<Finding> findings =
          examined.worse(
              Examination.of(
                  database.dataSource(),
                  SchemaOptions.defaults(),
                  Thresholds.standard().withPatience(Duration.ZERO),
                  Time.system()));

      assertThat(findings)
          .isNotEmpty()
          .allMatch(finding -> finding.code().equals("not-examined"))
          .allMatch(finding -> finding.what().contains("somebody holds a lock"));
      statement.execute("unlock tables");
    }
  }
}

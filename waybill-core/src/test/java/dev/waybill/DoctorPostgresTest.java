package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

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
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What only PostgreSQL can suffer from. */
@EveryDatabase(alsoOldest = true)
@NotOn(
    value = {DatabaseProduct.MARIADB, DatabaseProduct.MYSQL, DatabaseProduct.SQLITE},
    why = "their own ailments are elsewhere")
@Timeout(120)
class DoctorPostgresTest {
  private final TestDatabase given;
  private final Examined examined;

  DoctorPostgresTest(TestDatabase given) {
    this.given = given;
    examined = Examined.on(given);
  }

  /** For those who alter what the next case would find altered. */
  private TestDatabase fresh() {
    TestDatabase database = given.fresh();
    Schema.migrate(database.dataSource());
    return database;
  }

  private List<Finding> examine(DataSource source, Thresholds thresholds) {
    return examined.worse(
        Examination.of(source, SchemaOptions.defaults(), thresholds, Time.system()));
  }

  private interface Work {
    void run(String role) throws SQLException;
  }

  /** Roles belong to the server: this one goes with the case. */
  private static void withRole(TestDatabase database, Work work) throws SQLException {
    String role = "patient_" + UUID.randomUUID().toString().substring(0, 8);
    database.administer("create role " + role + " login password '" + Examined.PASSWORD + "'");
    try {
      work.run(role);
    } finally {
      database.execute("drop owned by " + role, "drop role " + role);
    }
  }

  @Test
  void aRoleThatMayOnlyReadIsToldWhatItLacks() throws SQLException {
    TestDatabase database = Migrated.on(given);
    withRole(
        database,
        role -> {
          database.execute("grant select on all tables in schema public to " + role);

          List<Finding> findings =
              examined.worse(
                  Doctor.examine(Examined.as(role, Examined.PASSWORD, database.dataSource())));

          assertThat(findings)
              .allMatch(finding -> finding.code().equals("privileges"))
              .allMatch(finding -> finding.severity() == Severity.PROBLEM)
              .anyMatch(finding -> finding.what().contains("DELETE, INSERT, UPDATE on"))
              .anyMatch(
                  finding ->
                      finding.what().contains("TRUNCATE") && finding.what().contains("body_1"))
              .anyMatch(
                  finding ->
                      finding
                          .remedy()
                          .startsWith(
                              "GRANT USAGE ON SEQUENCE \"public\".\"waybill_outbox_message_sq\""))
              .noneMatch(finding -> finding.what().contains("schema_history"));
          for (Finding finding : findings) {
            database.execute(finding.remedy().replaceFirst("\\.$", ""));
          }
          assertThat(
                  examined.worse(
                      Doctor.examine(Examined.as(role, Examined.PASSWORD, database.dataSource()))))
              .isEmpty();
        });
  }

  @Test
  void aRoleThatMayDoNothingGetsFindingsAndNoException() throws SQLException {
    TestDatabase database = fresh();
    withRole(
        database,
        role -> {
          database.execute("revoke usage on schema public from public");
          List<Finding> findings =
              examined.worse(
                  Doctor.examine(
                      Examined.as(role, Examined.PASSWORD, database.dataSource()),
                      SchemaOptions.defaults().withSchema("public")));

          assertThat(Examined.of("schema", findings))
              .singleElement()
              .satisfies(
                  finding -> {
                    assertThat(finding.what()).startsWith("[query-failed]");
                    assertThat(finding.remedy()).contains("waybill_schema_history");
                  });
          assertThat(Examined.of("privileges", findings))
              .anyMatch(finding -> finding.remedy().startsWith("GRANT USAGE ON SCHEMA \"public\""));
          assertThat(Examined.of("not-examined", findings))
              .singleElement()
              .satisfies(
                  finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.NOTE);
                    assertThat(finding.what()).startsWith("The head of the lines");
                    assertThat(finding.remedy()).contains("SELECT");
                  });
        });
  }

  @Test
  void whoIsIdleInATransactionIsNamed() throws SQLException {
    TestDatabase database = Migrated.on(given);
    Thresholds atOnce = Thresholds.standard().withOldTransaction(Duration.ZERO);
    try (Connection idle = database.connect();
        Statement statement = idle.createStatement()) {
      idle.setAutoCommit(false);
      statement.execute("set application_name = 'forgetful'");
      statement.execute("update waybill_outbox_rotation set id = 1");

      assertThat(examine(database.dataSource(), Thresholds.standard())).isEmpty();
      assertThat(examine(database.dataSource(), atOnce))
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.code()).isEqualTo("idle-in-transaction");
                assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                assertThat(finding.what())
                    .contains("application forgetful")
                    .contains("update waybill_outbox_rotation");
                assertThat(finding.remedy()).contains("pg_terminate_backend(");
              });
      withRole(
          database,
          role -> {
            database.execute(
                "grant all on all tables in schema public to " + role,
                "grant all on all sequences in schema public to " + role);
            assertThat(
                    examine(
                        Examined.as(role, Examined.PASSWORD, database.dataSource()),
                        Thresholds.standard()))
                .singleElement()
                .satisfies(
                    finding -> {
                      assertThat(finding.code()).isEqualTo("not-examined");
                      assertThat(finding.severity()).isEqualTo(Severity.NOTE);
                      assertThat(finding.remedy()).contains("pg_read_all_stats");
                    });
          });
      idle.rollback();
    }
  }

  @Test
  void whoRunsForLongIsNamed() throws Exception {
    TestDatabase database = Migrated.on(given);
    Thresholds atOnce = Thresholds.standard().withOldTransaction(Duration.ZERO);
    try (Connection busy = database.connect();
        Statement statement = busy.createStatement();
        Connection watching = database.connect();
        Statement watch = watching.createStatement()) {
      Thread running =
          new Thread(
              () -> {
                try {
                  statement.execute("select pg_sleep(60) /* a report */");
                } catch (SQLException expected) {
                  // canceled below
                }
              },
              "busy");
      running.start();
      String sleeps =
          "select count(*) from pg_stat_activity where query like '%a report%' and state = 'active'"
              + " and wait_event = 'PgSleep' and pid <> pg_backend_pid()";
      long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      for (boolean there = false; !there; ) {
        assertThat(System.nanoTime()).as("waited in vain").isLessThan(deadline);
        try (var row = watch.executeQuery(sleeps)) {
          there = row.next() && row.getInt(1) > 0;
        }
      }

      List<Finding> findings = examine(database.dataSource(), atOnce);
      statement.cancel();
      running.join();

      assertThat(findings)
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.code()).isEqualTo("old-transaction");
                assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                assertThat(finding.what()).contains("state active").contains("a report");
              });
    }
  }

  @Test
  void anotherIsolationByDefaultIsANote() throws SQLException {
    TestDatabase database = fresh();
    database.execute(
        "do $$ begin execute format('alter database %I set default_transaction_isolation ="
            + " ''serializable''', current_database()); end $$");

    assertThat(examine(database.dataSource(), Thresholds.standard()))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.code()).isEqualTo("isolation");
              assertThat(finding.severity()).isEqualTo(Severity.NOTE);
              assertThat(finding.what()).contains("SERIALIZABLE");
            });
  }

  @Test
  void transactionsThatAreReadOnlyByDefaultAreAProblem() throws SQLException {
    TestDatabase database = fresh();
    database.execute(
        "do $$ begin execute format('alter database %I set default_transaction_read_only = on',"
            + " current_database()); end $$");

    assertThat(examine(database.dataSource(), Thresholds.standard()))
        .extracting(Finding::code)
        .containsExactly("read-only");
  }

  @Test
  void aSequenceWithACacheIsAProblem() throws SQLException {
    TestDatabase database = fresh();
    database.execute("alter sequence waybill_outbox_message_sq cache 20");

    assertThat(examine(database.dataSource(), Thresholds.standard()))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.code()).isEqualTo("sequence-cache");
              assertThat(finding.severity()).isEqualTo(Severity.PROBLEM);
              assertThat(finding.what()).contains("20 numbers at a time");
              assertThat(finding.remedy().toLowerCase(Locale.ROOT)).contains("cache 1");
            });
  }

  @Test
  void anInvalidIndexIsNamed() throws SQLException {
    TestDatabase database = fresh();
    database.administer(
        "update pg_index set indisvalid = false"
            + " where indexrelid = 'waybill_outbox_dead_letters_done_ix'::regclass");

    assertThat(examine(database.dataSource(), Thresholds.standard()))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.code()).isEqualTo("indexes");
              assertThat(finding.what()).contains("invalid").contains("done_ix");
            });
  }

  @Test
  void fewConnectionsLeftAreAWarning() {
    TestDatabase database = Migrated.on(given);
    assertThat(examine(database.dataSource(), Thresholds.standard().withConnectionsPercent(0)))
        .extracting(Finding::code, Finding::severity)
        .containsExactly(tuple("connections", Severity.WARNING));
  }

  @Test
  void aTableThatSomebodyLocksIsNotWaitedFor() throws SQLException {
    TestDatabase database = Migrated.on(given);
    try (Connection locking = database.connect();
        Statement statement = locking.createStatement()) {
      locking.setAutoCommit(false);
      statement.execute("lock table waybill_outbox_partitions in access exclusive mode");

      Thresholds impatient = Thresholds.standard().withPatience(Duration.ofMillis(50));
      assertThat(examine(database.dataSource(), impatient))
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.code()).isEqualTo("not-examined");
                assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                assertThat(finding.what()).contains("somebody holds a lock");
              });
      locking.rollback();
    }
  }

  @Test
  void aPoolerThatSharesSessionsIsNoticed() throws SQLException {
    TestDatabase database = Migrated.on(given);
    try (Connection one = database.connect();
        Connection other = database.connect()) {
      assertThat(examine(pooler(database, one, other), Thresholds.standard()))
          .extracting(Finding::code, Finding::severity)
          .containsExactly(tuple("pooler", Severity.WARNING));
    }
  }

  /** Outside of transactions each statement goes to whichever is next. */
  private static DataSource pooler(TestDatabase database, Connection one, Connection other) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, args) -> {
              if (!method.getName().equals("getConnection")) {
                throw new UnsupportedOperationException(method.getName());
              }
              return turning(database.connect(), one, other);
            });
  }

  private static Connection turning(Connection real, Connection one, Connection other) {
    int[] turn = {0};
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              Connection next =
                  method.getName().equals("prepareStatement") && real.getAutoCommit()
                      ? (turn[0]++ % 2 == 0 ? one : other)
                      : real;
              try {
                return method.invoke(next, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}

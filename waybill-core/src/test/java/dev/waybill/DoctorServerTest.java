package dev.waybill;

import static dev.waybill.Examined.worseThanOk;
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
import dev.waybill.testkit.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that are set up badly; each is the test's own. */
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "it has no server")
@Tag("once")
@Timeout(120)
class DoctorServerTest {
  private static final Thresholds AT_ONCE =
      new Thresholds(
          Duration.ofMillis(250),
          Duration.ofSeconds(1),
          Duration.ZERO,
          1,
          90,
          1,
          Duration.ofSeconds(2));

  private final DatabaseProduct product;

  DoctorServerTest(TestDatabase given) {
    product = given.product();
  }

  @Test
  void whatBelongsToTheWholeServerIsFound() throws SQLException {
    try (TestServer server = TestServer.own(product)) {
      TestDatabase database = server.database();
      Schema.migrate(database.dataSource());
      if (product == DatabaseProduct.POSTGRESQL) {
        postgres(server, database);
      } else {
        mySql(database);
      }
    }
  }

  private static void postgres(TestServer server, TestDatabase database) throws SQLException {
    database.execute(
        "alter system set max_prepared_transactions = 5",
        "alter system set wal_level = logical",
        "alter system set fsync = off",
        "alter system set full_page_writes = off",
        "alter system set synchronous_commit = off",
        "alter system set track_counts = off");
    server.stop();
    server.start();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      // First: it waits for every transaction that is open.
      statement.execute("select pg_create_logical_replication_slot('left_behind', 'pgoutput')");
      connection.setAutoCommit(false);
      statement.execute("update waybill_outbox_rotation set id = 1");
      statement.execute("prepare transaction 'left behind'");
      connection.setAutoCommit(true);
    }

    List<Finding> findings =
        worseThanOk(
            Examination.of(
                database.dataSource(), SchemaOptions.defaults(), AT_ONCE, Time.system()));

    assertThat(findings)
        .extracting(Finding::code, Finding::severity)
        .containsExactly(
            tuple("durability", Severity.PROBLEM),
            tuple("durability", Severity.PROBLEM),
            tuple("durability", Severity.WARNING),
            tuple("autovacuum", Severity.WARNING),
            tuple("prepared-transaction", Severity.WARNING),
            tuple("replication-slot", Severity.WARNING));
    assertThat(findings.get(4).what()).contains("'left behind'").contains("postgres");
    assertThat(findings.get(5).what())
        .contains("left_behind, which nobody uses,")
        .contains("rows of the catalogue");
  }

  private static void mySql(TestDatabase database) throws SQLException {
    database.execute(
        "set global innodb_flush_log_at_trx_commit = 2",
        "set global transaction isolation level serializable",
        "set global max_allowed_packet = 1048576",
        "set global read_only = 1",
        "create user reader@'%'",
        "grant select, insert, update, delete, process on *.* to reader@'%'");

    List<Finding> findings =
        worseThanOk(Doctor.examine(Examined.as("reader", "", database.dataSource())));

    assertThat(findings)
        .extracting(Finding::code, Finding::severity)
        .containsExactly(
            tuple("not-examined", Severity.NOTE),
            tuple("read-only", Severity.PROBLEM),
            tuple("durability", Severity.WARNING),
            tuple("isolation", Severity.WARNING),
            tuple("packet-size", Severity.WARNING));
    assertThat(findings.get(0).what()).contains("may write could not be examined");
  }
}

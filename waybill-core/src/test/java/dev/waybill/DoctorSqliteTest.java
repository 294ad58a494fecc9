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
import dev.waybill.testkit.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What only SQLite can suffer from. */
@Timeout(120)
class DoctorSqliteTest {
  @TempDir private Path folder;

  @BeforeEach
  void migrate() {
    Schema.migrate(database("").dataSource());
  }

  private TestDatabase database(String parameters) {
    return TestDatabase.existing(
        DatabaseProduct.SQLITE, "jdbc:sqlite:" + folder.resolve("shop.db") + parameters, "", "");
  }

  private static String journalMode(TestDatabase database) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("pragma journal_mode")) {
      return row.getString(1);
    }
  }

  @Test
  void anotherJournalModeIsToldAndLeftAsItIs() throws SQLException {
    TestDatabase database = database("");
    database.execute("pragma journal_mode = delete");

    assertThat(worseThanOk(Doctor.examine(database.dataSource())))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.code()).isEqualTo("journal-mode");
              assertThat(finding.severity()).isEqualTo(Severity.WARNING);
              assertThat(finding.what()).contains("DELETE");
            });
    assertThat(journalMode(database)).isEqualTo("delete");
  }

  @Test
  void theFileIsTheSameAfterwards() throws Exception {
    TestDatabase database = database("");
    database.execute("pragma journal_mode = delete");
    Path file = folder.resolve("shop.db");
    byte[] before = Files.readAllBytes(file);

    Doctor.examine(database.dataSource());

    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    assertThat(folder.toFile().list()).containsExactly("shop.db");
  }

  @Test
  void whatIsNotSyncedIsAProblem() {
    assertThat(worseThanOk(Doctor.examine(database("?synchronous=OFF").dataSource())))
        .extracting(Finding::code, Finding::severity)
        .containsExactly(tuple("durability", Severity.PROBLEM));
    assertThat(worseThanOk(Doctor.examine(database("?synchronous=NORMAL").dataSource())))
        .extracting(Finding::code, Finding::severity)
        .containsExactly(tuple("durability", Severity.NOTE));
  }

  @Test
  void aConnectionForReadingOnlyIsAProblem() {
    assertThat(worseThanOk(Doctor.examine(database("?open_mode=1").dataSource())))
        .extracting(Finding::code, Finding::severity)
        .containsExactly(tuple("read-only", Severity.PROBLEM));
  }

  @Test
  void muchFreeSpaceInALargeFileIsANote() throws SQLException {
    TestDatabase database = database("");
    database.execute(
        "create table bulk as with recursive n (i) as (select 1 union all select i + 1 from n"
            + " where i < 2000) select i, zeroblob(2000) as b from n",
        "drop table bulk");

    assertThat(worseThanOk(Doctor.examine(database.dataSource()))).isEmpty();
    List<Finding> findings =
        Examination.of(
            database.dataSource(),
            SchemaOptions.defaults(),
            Thresholds.standard().withBulkyFile(1 << 20),
            Time.system());
    assertThat(worseThanOk(findings))
        .extracting(Finding::code, Finding::severity)
        .containsExactly(tuple("free-pages", Severity.NOTE));
  }
}

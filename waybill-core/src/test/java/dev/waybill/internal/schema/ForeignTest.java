package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.schema.SchemaIncompatibleException.HistoryMissing;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.schema.SchemaStatus;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What others do in the same history, the same server or the same connection confuses nobody. */
@EveryDatabase(alsoOldest = true)
class ForeignTest {
  private final TestDatabase database;

  ForeignTest(TestDatabase database) {
    this.database = database.fresh();
  }

  @Test
  void foreignRowsAreIgnoredWhateverTheySay() throws SQLException {
    TestSet.guard(database.dataSource(), TestSet.options(), TestSet.upTo(2)).migrate();
    Rows.addHistory(database, -3, Rows.FOREIGN, false);
    Rows.addHistory(database, 20, Rows.FOREIGN, false);
    Rows.addHistory(database, 21, TestSet.checksum(database, 3), false);
    Rows.addHistory(database, Long.MAX_VALUE, "", true);

    assertThat(TestSet.guard(database).migrate()).containsExactly(3L, 4L, 5L);
    TestSet.guard(database).check();
    assertThat(TestSet.guard(database).migrate()).isEmpty();
    assertThat(Rows.history(database))
        .containsExactly(3L, 1L, 2L, 3L, 4L, 5L, -20L, -21L, Long.MAX_VALUE);
    assertThat(TestSet.guard(database).status().migrations())
        .filteredOn(migration -> migration.state() == SchemaStatus.State.UNKNOWN)
        .extracting(SchemaStatus.Migration::version)
        .containsExactly(-3L, 20L, 21L, Long.MAX_VALUE);
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "only PostgreSQL has times that are no times")
  void evenARowFromTheEndOfTime() throws SQLException {
    TestSet.guard(database).migrate();
    Rows.addHistory(database, 77, Rows.FOREIGN, false);
    database.execute(
        "update waybill_schema_history set applied_at = 'infinity' where version = 77");
    TestSet.guard(database).check();
    assertThat(TestSet.guard(database).status().migrations()).hasSize(6);
  }

  @Test
  void aNewerReleasesAdditiveMigrationIsTolerated() throws SQLException {
    TestSet.guard(database).migrate();
    Rows.addHistory(database, 6, Rows.FOREIGN, true);
    assertThatCode(() -> TestSet.guard(database).check()).doesNotThrowAnyException();
    assertThat(TestSet.guard(database).migrate()).isEmpty();
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "it has no schemas; see attachedDatabases")
  void tablesOfTheSameNamesElsewhere() throws SQLException {
    try (TestDatabase other = database.fresh()) {
      String decoy = decoy(other);
      // Nothing here yet: the decoy's tables are not ours.
      DataSource here = database.dataSource();
      assertThatThrownBy(() -> TestSet.guard(here).check()).isInstanceOf(HistoryMissing.class);
      assertThat(TestSet.guard(here).migrate()).isEqualTo(TestSet.VERSIONS);
      TestSet.guard(here).check();

      // The schema is named, so the way a connection looks for tables does not matter.
      SchemaOptions named = TestSet.options().withSchema(own());
      DataSource astray = Sources.preparedBy(here, lookIn(decoy), 0);
      TestSet.guard(astray, named, TestSet::all).check();
      assertThat(TestSet.guard(astray, named, TestSet::all).migrate()).isEmpty();

      // It was found out once, so a later change does not matter either.
      SchemaGuard pinned = TestSet.guard(Sources.preparedBy(here, lookIn(decoy), 1));
      pinned.check();
      assertThat(pinned.migrate()).isEmpty();
      assertThat(pinned.plan().pending()).isEmpty();
    }
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "it has no schemas; see attachedDatabases")
  void anEmptyHistoryElsewhereIsNotFilled() throws SQLException {
    try (TestDatabase other = database.fresh()) {
      String decoy = decoy(other);
      SchemaOptions named = TestSet.options().withSchema(own());
      DataSource astray = Sources.preparedBy(database.dataSource(), lookIn(decoy), 0);
      assertThat(TestSet.guard(astray, named, TestSet::all).migrate()).isEqualTo(TestSet.VERSIONS);
      assertThat(Rows.history(database)).isEqualTo(TestSet.VERSIONS);
      assertThat(Rows.count(database, decoy + ".waybill_schema_history")).isEqualTo(1);
    }
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.MYSQL, DatabaseProduct.MARIADB},
      why = "only SQLite attaches files to a connection")
  void attachedDatabases() throws SQLException {
    try (TestDatabase other = database.fresh()) {
      TestSet.guard(other).migrate();
      Rows.makeDirty(other, 2);
      Rows.addFence(other, 99);
      String file = other.url().replaceFirst("jdbc:sqlite:", "").replaceFirst("\\?.*", "");
      DataSource attached =
          Sources.preparedBy(database.dataSource(), "attach '" + file + "' as decoy", 0);
      assertThatThrownBy(() -> TestSet.guard(attached).check()).isInstanceOf(HistoryMissing.class);
      assertThat(TestSet.guard(attached).migrate()).isEqualTo(TestSet.VERSIONS);
      TestSet.guard(attached).check();
      assertThat(Rows.history(database)).isEqualTo(TestSet.VERSIONS);
    }
  }

  /** Our table names with everything wrong in them, where a connection can be led to look. */
  private String decoy(TestDatabase other) throws SQLException {
    if (database.product() != DatabaseProduct.POSTGRESQL) {
      TestSet.guard(other.dataSource(), TestSet.options(), TestSet.upTo(1)).migrate();
      Rows.spoilChecksum(other, 1);
      Rows.addFence(other, 99);
      return Rows.of(other, "select schema()").get(0);
    }
    database.execute("create schema decoy");
    SchemaOptions there = TestSet.options().withSchema("decoy");
    TestSet.guard(database.dataSource(), there, TestSet.upTo(1)).migrate();
    database.execute(
        "update decoy.waybill_schema_history set checksum = 'f'",
        "insert into decoy.waybill_schema_fence values (99, '9.9.9')");
    return "decoy";
  }

  private String lookIn(String schema) {
    return database.product() == DatabaseProduct.POSTGRESQL
        ? "set search_path = " + schema + ", public"
        : "use " + schema;
  }

  private String own() throws SQLException {
    return database.product() == DatabaseProduct.POSTGRESQL
        ? "public"
        : Rows.of(database, "select schema()").get(0);
  }
}

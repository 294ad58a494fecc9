package dev.waybill.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.schema.Schema;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code waybill schema …} as an operator calls it, against every database. */
@EveryDatabase
class SchemaCommandIT {
  private final TestDatabase database;

  SchemaCommandIT(TestDatabase database) throws SQLException {
    this.database = database.fresh();
    this.database.execute("create table of_the_application (id integer)");
  }

  private Cli schema(String command, String... more) {
    return Cli.jar(password(), args(command, more));
  }

  private Map<String, String> password() {
    return Map.of("DB_PASSWORD", database.password());
  }

  private String[] args(String command, String... more) {
    List<String> args = new ArrayList<>(List.of("schema", command, "--url", database.url()));
    if (database.product() != DatabaseProduct.SQLITE) {
      args.addAll(List.of("--user", database.user(), "--password-env", "DB_PASSWORD"));
    }
    args.addAll(List.of(more));
    return args.toArray(String[]::new);
  }

  @Test
  void migratesOnceAndIsThenContent() throws Exception {
    Cli plan = schema("plan");
    assertThat(plan.exit()).as(plan.err()).isZero();
    assertThat(plan.out()).contains("-- Migration 1: guard").contains("waybill_schema_fence");

    Cli first = Cli.process(password(), args("migrate"));
    assertThat(first.exit()).as(first.err()).isZero();
    assertThat(first.out()).startsWith("Applied [1, 2");
    assertThat(schema("migrate").out()).isEqualToIgnoringNewLines("The schema is up to date.");
    assertThat(Cli.process(password(), args("check")))
        .isEqualTo(new Cli(0, "The schema is compatible.\n", ""));
    assertThat(schema("plan").out()).contains("Nothing to do");
    assertThat(schema("status").out()).contains("applied").contains("The schema is compatible.");
  }

  @Test
  void aChangedChecksumIsAConflict() throws Exception {
    damaged(
        "update waybill_schema_history set checksum = '" + "0".repeat(64) + "'",
        "checksum-conflict");
  }

  @Test
  void anUnfinishedMigrationIsDirty() throws Exception {
    damaged("update waybill_schema_history set success = (1 = 0)", "dirty");
  }

  @Test
  void aFenceRowFromTheFutureIsANewerRelease() throws Exception {
    String now =
        switch (database.product()) {
          case SQLITE -> "0";
          default -> "current_timestamp";
        };
    damaged(
        "insert into waybill_schema_fence (version, library_version, recorded_at) values (999, '9.9', "
            + now
            + ")",
        "newer-release");
  }

  @Test
  void aMissingMigrationIsTooOld() throws Exception {
    damaged("delete from waybill_schema_history", "too-old");
  }

  private void damaged(String sql, String verdict) throws Exception {
    Schema.migrate(database.dataSource());
    database.execute(sql);
    Cli check = schema("check", "--json");
    assertThat(check.exit()).isEqualTo(3);
    assertThat(check.err()).startsWith("waybill: [" + verdict + "] Migration ").hasLineCount(1);
    assertThat(check.out())
        .contains("\"verdict\" : \"" + verdict + "\"")
        .contains("\"version\" :")
        .contains("\"message\" : \"Migration ");
  }

  @Test
  void noHistoryIsItsOwnVerdict() throws Exception {
    Cli check = schema("check");
    assertThat(check.exit()).isEqualTo(3);
    assertThat(check.out()).isEmpty();
    assertThat(check.err()).startsWith("waybill: [history-missing]");
    Cli status = schema("status", "--json");
    assertThat(status.exit()).isZero();
    assertThat(status.out())
        .contains("\"verdict\" : \"history-missing\"")
        .contains("\"state\" : \"pending\"");
  }

  @Test
  void anotherPrefixMeansOtherTables() throws Exception {
    assertThat(schema("migrate", "--prefix", "acme_").exit()).isZero();
    assertThat(schema("check", "--prefix", "acme_").exit()).isZero();
    assertThat(schema("check").exit()).isEqualTo(3);
    database.execute("select version from acme_schema_history");
  }
}

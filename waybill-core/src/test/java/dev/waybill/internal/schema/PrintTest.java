package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.internal.sql.Dialect;
import dev.waybill.schema.Schema;
import dev.waybill.schema.SchemaIncompatibleException.DataNotReady;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.schema.SchemaPlan;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Printed scripts do what migrate does, and undo scripts take it back. */
@EveryDatabase(alsoOldest = true)
class PrintTest {
  private final TestDatabase database;
  private final Dialect dialect;
  private final Migrations all;

  PrintTest(TestDatabase database) {
    this.database = database.fresh();
    this.dialect = TestSet.dialect(database);
    this.all = TestSet.all(dialect);
  }

  @Test
  void theScriptIsAsGoodAsMigrating() throws SQLException {
    Script.run(database, print(0, 5));
    TestSet.guard(database).check();
    assertThat(TestSet.guard(database).migrate()).isEmpty();
    assertThat(TestSet.guard(database).plan().cutovers()).isEmpty();
    try (TestDatabase other = database.fresh()) {
      TestSet.guard(other).migrate();
      assertThat(SchemaDump.of(database)).isEqualTo(SchemaDump.of(other));
      String rows =
          "select version, description, checksum, success, statement, library_version"
              + " from waybill_schema_history order by version";
      assertThat(Rows.of(database, rows)).isEqualTo(Rows.of(other, rows));
      assertThat(Rows.of(database, "select version, library_version from waybill_schema_fence"))
          .isEqualTo(Rows.of(other, "select version, library_version from waybill_schema_fence"));
    }
  }

  @Test
  void theScriptOfThisRelease() throws SQLException {
    Script.run(database, Schema.print(dialect.kind(), 0, Long.MAX_VALUE));
    Schema.check(database.dataSource());
    assertThat(Schema.migrate(database.dataSource())).isEmpty();
    List<Long> versions =
        Migrations.ofThisRelease(dialect).all().stream().map(Migration::version).toList();
    for (int i = versions.size() - 1; i >= 0; i--) {
      Script.run(
          database, Schema.printUndo(dialect.kind(), versions.get(i), SchemaOptions.defaults()));
    }
    assertThat(Schema.migrate(database.dataSource())).isEqualTo(versions);
  }

  @Test
  void ranges() throws SQLException {
    assertThat(print(2, 3))
        .contains("Migration 3: log")
        .doesNotContain("Migration 2", "Migration 4");
    assertThat(print(5, 9)).doesNotContain("Migration", "create");
    assertThat(print(3, 3)).doesNotContain("Migration");
    assertThatThrownBy(() -> print(-1, 3)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> print(3, 2)).hasMessageContaining("from 3 to 2");

    for (int version = 0; version < 5; version++) {
      Script.run(database, print(version, version + 1));
    }
    TestSet.guard(database).check();
  }

  @Test
  void theScriptOfAGapFillsIt() throws SQLException {
    TestSet.guard(database.dataSource(), TestSet.options(), TestSet.without(3)).migrate();
    Script.run(database, print(2, 3));
    TestSet.guard(database).check();
  }

  @Test
  void aPrintedCutoverWaitsForOldRows() throws SQLException {
    TestSet.guard(database.dataSource(), TestSet.options(), TestSet.upTo(4)).migrate();
    Rows.addLegacy(database);
    if (database.product() == DatabaseProduct.POSTGRESQL) {
      assertThatThrownBy(() -> Script.run(database, print(4, 5))).hasMessageContaining("violated");
    } else {
      Script.run(database, print(4, 5));
    }
    assertThatThrownBy(() -> TestSet.guard(database).check()).isInstanceOf(DataNotReady.class);
    assertThat(TestSet.guard(database).plan().cutovers()).containsExactly("require requests");
  }

  @Test
  void undoTakesBackOneByOneAndTheRestAgain() throws SQLException {
    TestSet.guard(database).migrate();
    String full = SchemaDump.of(database);
    for (int version = 5; version > 0; version--) {
      Script.run(database, undo(version));
      assertThat(Rows.history(database)).hasSize(version - 1);
      try (TestDatabase other = database.fresh()) {
        if (version > 1) {
          TestSet.guard(other.dataSource(), TestSet.options(), TestSet.upTo(version - 1)).migrate();
          assertThat(SchemaDump.of(database)).isEqualTo(SchemaDump.of(other));
        }
      }
    }
    assertThat(TestSet.guard(database).migrate()).isEqualTo(TestSet.VERSIONS);
    assertThat(SchemaDump.of(database)).isEqualTo(full);
  }

  @Test
  void undoKnowsOnlyMigrationsOfThisRelease() {
    assertThatThrownBy(() -> undo(6))
        .hasMessageContaining("no migration 6")
        .hasMessageContaining("[1, 2");
    assertThatThrownBy(() -> Schema.printUndo(dialect.kind(), 9999, SchemaOptions.defaults()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void namesOfOnesOwn() throws SQLException {
    SchemaOptions options = TestSet.options().withPrefix("acme_");
    String script = SchemaPrinter.upgrade(dialect, 0, 5, options, all);
    assertThat(script).doesNotContain("waybill_", "{");
    Script.run(database, script);
    TestSet.guard(database.dataSource(), options, TestSet::all).check();
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "it has no schemas")
  void aSchemaOfOnesOwn() {
    SchemaOptions options = TestSet.options().withSchema("acme");
    String quoted = dialect.quote("acme") + "." + dialect.quote("waybill_parcel");
    assertThat(SchemaPrinter.upgrade(dialect, 0, 5, options, all)).contains(quoted);
    assertThat(SchemaPrinter.undo(dialect, 2, options, all)).contains(quoted);
  }

  @Test
  void thePlanIsWhatMigrateThenDoes() {
    TestSet.guard(database.dataSource(), TestSet.options(), TestSet.only(1, 2, 4)).migrate();
    FaultyDataSource watched = new FaultyDataSource(database.dataSource());
    SchemaPlan plan = TestSet.guard(watched).plan();
    assertThat(plan.database()).isEqualTo(dialect.kind());
    assertThat(plan.pending()).extracting(SchemaPlan.Step::version).containsExactly(3L, 5L);
    assertThat(plan.pending()).extracting(SchemaPlan.Step::fenced).containsExactly(false, true);
    assertThat(plan.pending())
        .extracting(SchemaPlan.Step::description)
        .containsExactly("log", "require requests");
    List<String> planned =
        plan.pending().stream().flatMap(step -> step.statements().stream()).toList();

    watched.reset();
    assertThat(TestSet.guard(watched).migrate()).containsExactly(3L, 5L);
    assertThat(watched.trace().stream().map(Operation::sql).filter(planned::contains).toList())
        .isEqualTo(planned);
    assertThat(TestSet.guard(watched).plan().pending()).isEmpty();
  }

  private String print(long from, long to) {
    return SchemaPrinter.upgrade(dialect, from, to, TestSet.options(), all);
  }

  private String undo(long version) {
    return SchemaPrinter.undo(dialect, version, TestSet.options(), all);
  }
}

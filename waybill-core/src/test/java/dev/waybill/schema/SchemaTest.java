package dev.waybill.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.schema.SchemaIncompatibleException.HistoryMissing;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import org.junit.jupiter.api.Test;

/** The public door, with the migrations of this release. */
@EveryDatabase(alsoOldest = true)
class SchemaTest {
  private final TestDatabase database;

  SchemaTest(TestDatabase database) {
    this.database = database.fresh();
  }

  @Test
  void aFreshDatabaseIsMigratedOnceAndThenUpToDate() {
    assertThat(Schema.migrate(database.dataSource())).isNotEmpty().startsWith(1L).isSorted();
    assertThat(Schema.migrate(database.dataSource())).isEmpty();
    assertThatCode(() -> Schema.check(database.dataSource())).doesNotThrowAnyException();
    assertThat(Schema.plan(database.dataSource()).pending()).isEmpty();
  }

  @Test
  void aDatabaseNobodyMigratedHasNoHistory() {
    assertThatThrownBy(() -> Schema.check(database.dataSource()))
        .isInstanceOf(HistoryMissing.class)
        .hasMessageContaining("waybill_schema_history")
        .hasMessageContaining("schema migrate");
  }
}

package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.waybill.DatabaseException;
import dev.waybill.schema.SchemaIncompatibleException.Dirty;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** A migration that stops halfway, on databases that roll DDL back and on those that do not. */
@EveryDatabase(alsoOldest = true)
class DirtyTest {
  private final TestDatabase database;
  private final boolean rollsBack;

  DirtyTest(TestDatabase database) throws SQLException {
    this.database = database.fresh();
    this.rollsBack =
        database.product() == DatabaseProduct.POSTGRESQL
            || database.product() == DatabaseProduct.SQLITE;
    TestSet.guard(this.database.dataSource(), TestSet.options(), TestSet.upTo(2)).migrate();
  }

  @Test
  void aRefusedFirstStatementLeavesItPending() throws SQLException {
    database.execute("create table waybill_parcel_log (id integer)");
    assertThatThrownBy(() -> TestSet.guard(database).migrate())
        .isInstanceOfSatisfying(
            QueryFailed.class,
            failed -> assertThat(failed.failure().kind()).isEqualTo(DatabaseException.Kind.FATAL))
        .hasMessageStartingWith("Migration 3 (log) failed");
    assertThat(Rows.history(database)).containsExactly(1L, 2L);

    database.execute("drop table waybill_parcel_log");
    assertThat(TestSet.guard(database).migrate()).containsExactly(3L, 4L, 5L);
  }

  @Test
  void aRefusedLaterStatementLeavesItDirtyWhereDdlCommitsByItself() throws SQLException {
    database.execute("create index waybill_parcel_weight_ix on waybill_parcel (weight)");
    assertThatThrownBy(() -> TestSet.guard(database).migrate()).isInstanceOf(QueryFailed.class);

    if (rollsBack) {
      assertThat(Rows.history(database)).containsExactly(1L, 2L);
      database.execute("drop index waybill_parcel_weight_ix");
    } else {
      assertThat(Rows.history(database)).containsExactly(1L, 2L, -3L);
      Dirty dirty = catchThrowableOfType(Dirty.class, () -> TestSet.guard(database).check());
      assertThat(dirty.version()).isEqualTo(3);
      assertThat(dirty).hasMessageContaining("stopped in statement 3 of 3");
    }
    assertThat(Recovery.of(database).complete()).isEqualTo(!rollsBack);
    assertComplete();
  }

  @Test
  void aRowThatCannotBeWrittenCounts() throws SQLException {
    try (TestDatabase other = database.fresh()) {
      FaultyDataSource faulty = new FaultyDataSource(other.dataSource());
      faulty.on(Fault.sql(sql -> sql.contains("not the last"))).fail(Moment.BEFORE);
      assertThatThrownBy(() -> TestSet.guard(faulty).migrate()).isInstanceOf(QueryFailed.class);
      if (!rollsBack) {
        assertThatThrownBy(() -> TestSet.guard(other).migrate())
            .isInstanceOf(Dirty.class)
            .hasMessageContaining("stopped in statement 3 of 3");
      }
      assertThat(Recovery.of(other).complete()).isEqualTo(!rollsBack);
      assertThat(Rows.count(other, "waybill_parcel")).isEqualTo(1);
    }
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.SQLITE},
      why = "they roll it back")
  void aFirstStatementOfUnknownEffectIsDirty() throws SQLException {
    for (Moment moment : Moment.values()) {
      FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
      faulty
          .on(Fault.sql(sql -> sql.startsWith("create table") && sql.contains("parcel_log")))
          .fail(moment);
      assertThatThrownBy(() -> TestSet.guard(faulty).migrate()).isInstanceOf(QueryFailed.class);
      assertThatThrownBy(() -> TestSet.guard(database).migrate())
          .isInstanceOf(Dirty.class)
          .hasMessageContaining("stopped in statement 1 of 3");
      assertThat(Recovery.of(database).complete()).isTrue();
      for (long version = 5; version > 2; version--) {
        Script.run(database, undo(version));
      }
    }
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.SQLITE},
      why = "they roll it back")
  void anUndoThatStopsHalfwayLeavesItDirtyAndCanBeRepeated() throws SQLException {
    TestSet.guard(database).migrate();
    for (long version = 5; version > 2; version--) {
      var statements = Script.statements(undo(version));
      for (int n = 1; n < statements.size(); n++) {
        Script.run(database, String.join(";\n", statements.subList(0, n)) + ";");
        assertThatThrownBy(() -> TestSet.guard(database).check()).isInstanceOf(Dirty.class);
      }
      Script.run(database, undo(version));
    }
    assertThat(TestSet.guard(database).migrate()).containsExactly(3L, 4L, 5L);
    assertComplete();
  }

  private String undo(long version) {
    return SchemaPrinter.undo(
        TestSet.dialect(database),
        version,
        TestSet.options(),
        TestSet.all(TestSet.dialect(database)));
  }

  private void assertComplete() throws SQLException {
    try (TestDatabase other = database.fresh()) {
      TestSet.guard(other).migrate();
      assertThat(SchemaDump.of(database)).isEqualTo(SchemaDump.of(other));
    }
    assertThat(Rows.history(database)).isEqualTo(TestSet.VERSIONS);
  }
}

package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaIncompatibleException.AboutVersion;
import dev.waybill.schema.SchemaIncompatibleException.ChecksumConflict;
import dev.waybill.schema.SchemaIncompatibleException.DataNotReady;
import dev.waybill.schema.SchemaIncompatibleException.Dirty;
import dev.waybill.schema.SchemaIncompatibleException.HistoryMissing;
import dev.waybill.schema.SchemaIncompatibleException.NewerRelease;
import dev.waybill.schema.SchemaIncompatibleException.TooOld;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each verdict on its own: its type, its version, its word, and the way out in its message. */
@EveryDatabase(alsoOldest = true)
class VerdictCasesTest {
  private final TestDatabase database;

  VerdictCasesTest(TestDatabase database) {
    this.database = database.fresh();
  }

  @Test
  void nobodyEverMigrated() throws SQLException {
    HistoryMissing missing = checked(HistoryMissing.class);
    assertAbout(missing, 1, "history-missing");
    assertThat(missing)
        .hasMessageContaining("waybill_schema_history")
        .hasMessageContaining("prefix");
    assertThat(SchemaDump.of(database)).isEmpty();
  }

  @Test
  void aChangedMigration() throws SQLException {
    migrateAll();
    Rows.spoilChecksum(database, 2);
    ChecksumConflict conflict = checked(ChecksumConflict.class);
    assertAbout(conflict, 2, "checksum-conflict");
    assertThat(conflict)
        .hasMessageContaining("ffffffffffff…")
        .hasMessageContaining(TestSet.checksum(database, 2).substring(0, 12))
        .hasMessageContaining("never edit an applied migration");
    assertMigrateSaysTheSame(conflict);
  }

  @Test
  void somebodyElsesMigrationUnderOurNumber() throws SQLException {
    older(2).migrate();
    Rows.addHistory(database, 3, Rows.FOREIGN, true);
    assertMigrateSaysTheSame(checked(ChecksumConflict.class));
    assertThat(Rows.history(database)).containsExactly(1L, 2L, 3L);
  }

  @Test
  void aDirtyMigration() throws SQLException {
    migrateAll();
    Rows.makeDirty(database, 4);
    Dirty dirty = checked(Dirty.class);
    assertAbout(dirty, 4, "dirty");
    assertThat(dirty)
        .hasMessageContaining("statement 2 of 2")
        .hasMessageContaining("waybill schema print --undo 4")
        .hasMessageContaining("waybill_schema_history");
    assertMigrateSaysTheSame(dirty);
  }

  @Test
  void aDirtyRowOfAnotherChecksumIsAConflict() throws SQLException {
    migrateAll();
    Rows.makeDirty(database, 4);
    Rows.spoilChecksum(database, 4);
    assertMigrateSaysTheSame(checked(ChecksumConflict.class));
  }

  @Test
  void aNewerFencedRelease() throws SQLException {
    migrateAll();
    Rows.addFence(database, 99);
    NewerRelease newer = checked(NewerRelease.class);
    assertAbout(newer, 99, "newer-release");
    assertThat(newer).hasMessageContaining("Upgrade").hasMessageContaining("9.9.9");
    assertMigrateSaysTheSame(newer);
  }

  @Test
  void anOlderReleaseRefusesAFenceOfTheNewerOne() {
    migrateAll();
    assertThatThrownBy(() -> older(4).check())
        .isInstanceOfSatisfying(
            NewerRelease.class, newer -> assertThat(newer.version()).isEqualTo(5));
    assertThatThrownBy(() -> older(4).migrate()).isInstanceOf(NewerRelease.class);
  }

  @Test
  void somethingIsPending() {
    older(3).migrate();
    TooOld tooOld = checked(TooOld.class);
    assertAbout(tooOld, 4, "too-old");
    assertThat(tooOld.latestApplied()).isEqualTo(3);
    assertThat(tooOld)
        .hasMessageContaining("Schema.migrate")
        .hasMessageContaining("waybill schema print --from 4`");
  }

  @Test
  void aGap() {
    TestSet.guard(database.dataSource(), TestSet.options(), TestSet.without(3)).migrate();
    TooOld tooOld = checked(TooOld.class);
    assertAbout(tooOld, 3, "too-old");
    assertThat(tooOld.latestApplied()).isEqualTo(5);
    assertThat(tooOld).hasMessageContaining("waybill schema print --from 3 --to 3`");
  }

  @Test
  void dataNotReady() throws SQLException {
    older(4).migrate();
    Rows.addLegacy(database);
    assertThatThrownBy(() -> TestSet.guard(database).migrate()).isInstanceOf(DataNotReady.class);

    DataNotReady notReady = checked(DataNotReady.class);
    assertThat(notReady.verdict()).isEqualTo("data-not-ready");
    assertThat(notReady.cutover()).isEqualTo("require requests");
    assertThat(notReady.counts()).isEqualTo(Map.of("parcels", 1L, "labels", 2L));
    assertThat(notReady).hasMessageContaining("require requests").hasMessageContaining("labels=2");
    assertMigrateSaysTheSame(notReady);
  }

  private void migrateAll() {
    TestSet.guard(database).migrate();
  }

  private SchemaGuard older(int version) {
    return TestSet.guard(database.dataSource(), TestSet.options(), TestSet.upTo(version));
  }

  private <T extends SchemaIncompatibleException> T checked(Class<T> type) {
    T thrown = catchThrowableOfType(type, () -> TestSet.guard(database).check());
    assertThat(TestSet.guard(database).status().verdict().orElseThrow())
        .hasToString(thrown.toString());
    return thrown;
  }

  private static void assertAbout(AboutVersion verdict, long version, String word) {
    assertThat(verdict.version()).isEqualTo(version);
    assertThat(verdict.verdict()).isEqualTo(word);
    assertThat(verdict).hasMessageMatching("(?s).*igration " + version + "\\b.*").hasNoCause();
  }

  private void assertMigrateSaysTheSame(SchemaIncompatibleException expected) throws SQLException {
    String before = SchemaDump.of(database);
    assertThatThrownBy(() -> TestSet.guard(database).migrate()).hasToString(expected.toString());
    assertThat(SchemaDump.of(database)).isEqualTo(before);
  }
}

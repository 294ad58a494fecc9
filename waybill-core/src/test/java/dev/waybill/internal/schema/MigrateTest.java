package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.waybill.schema.SchemaOptions;
import dev.waybill.schema.SchemaStatus;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** What migrate does when nothing is wrong. */
@EveryDatabase(alsoOldest = true)
class MigrateTest {
  private final TestDatabase database;

  MigrateTest(TestDatabase database) {
    this.database = database.fresh();
  }

  @Test
  void appliesEverythingToAnEmptyDatabaseOnce() throws Exception {
    assertThat(TestSet.guard(database).migrate()).isEqualTo(TestSet.VERSIONS);
    String first = SchemaDump.of(database);

    assertThat(TestSet.guard(database).migrate()).isEmpty();
    assertThat(SchemaDump.of(database)).isEqualTo(first);
    assertThat(Rows.history(database)).isEqualTo(TestSet.VERSIONS);
    assertThat(Rows.of(database, "select version from waybill_schema_fence order by version"))
        .containsExactly("1", "5");
    assertThatCode(() -> TestSet.guard(database).check()).doesNotThrowAnyException();
  }

  @Test
  void aNewerReleaseAppliesOnlyWhatIsNew() throws Exception {
    assertThat(older(3).migrate()).containsExactly(1L, 2L, 3L);
    assertThat(TestSet.guard(database).migrate()).containsExactly(4L, 5L);
    assertThat(SchemaDump.of(database)).isEqualTo(undisturbed());
  }

  @Test
  void aGapIsFilledOutOfOrder() throws Exception {
    TestSet.guard(database.dataSource(), TestSet.options(), TestSet.without(3)).migrate();
    assertThat(Rows.history(database)).containsExactly(1L, 2L, 4L, 5L);

    assertThat(TestSet.guard(database).migrate()).containsExactly(3L);
    assertThat(Rows.history(database)).isEqualTo(TestSet.VERSIONS);
    assertThat(SchemaDump.of(database)).isEqualTo(undisturbed());
  }

  @Test
  void anOlderReleaseGoesOnBesideAnAdditiveMigration() {
    older(4).migrate();
    SchemaGuard old = older(2);
    assertThatCode(old::check).doesNotThrowAnyException();
    assertThat(old.migrate()).isEmpty();
  }

  @Test
  void triggersWithBodiesWork() throws Exception {
    TestSet.guard(database).migrate();
    database.execute(
        "insert into waybill_parcel (id, title, weight) values (2, '', 10)",
        "insert into waybill_parcel (id, title, weight) values (3, 'book', 1)");
    assertThat(
            Rows.of(
                database,
                "select parcel_id, entry from waybill_parcel_log order by parcel_id, entry"))
        .containsExactly("2|heavy", "2|untitled; waybill_parcel", "3|light");
  }

  @Test
  void aPrefixOfOnesOwn() throws Exception {
    SchemaOptions options = TestSet.options().withPrefix("Acme2_");
    SchemaGuard guard = TestSet.guard(database.dataSource(), options, TestSet::all);
    assertThat(guard.migrate()).isEqualTo(TestSet.VERSIONS);
    assertThat(guard.migrate()).isEmpty();
    guard.check();

    String dump = SchemaDump.of(database);
    assertThat(dump.toLowerCase(Locale.ROOT)).contains("acme2_parcel").doesNotContain("waybill_");
  }

  @Test
  void twoPrefixesSideBySide() throws Exception {
    SchemaGuard one =
        TestSet.guard(database.dataSource(), TestSet.options().withPrefix("one_"), TestSet::all);
    SchemaGuard two =
        TestSet.guard(database.dataSource(), TestSet.options().withPrefix("two_"), TestSet.upTo(2));
    assertThat(one.migrate()).isEqualTo(TestSet.VERSIONS);
    assertThat(two.migrate()).containsExactly(1L, 2L);
    database.execute("update one_schema_history set success = false where version = 2");
    two.check();
    assertThat(two.migrate()).isEmpty();
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "it has no schemas")
  void aSchemaOfOnesOwn() throws Exception {
    String schema = "acme's schéma " + System.nanoTime();
    String quote = database.product() == DatabaseProduct.POSTGRESQL ? "\"" : "`";
    database.administer("create schema " + quote + schema + quote);
    try {
      SchemaGuard guard =
          TestSet.guard(database.dataSource(), TestSet.options().withSchema(schema), TestSet::all);
      assertThat(guard.migrate()).isEqualTo(TestSet.VERSIONS);
      assertThat(guard.migrate()).isEmpty();
      guard.check();
      assertThat(SchemaDump.of(database)).isEmpty();
      String history = quote + schema + quote + ".waybill_schema_history";
      assertThat(Rows.count(database, history)).isEqualTo(5);
      for (long version = 5; version > 0; version--) {
        Script.run(database, undo(version, TestSet.options().withSchema(schema)));
      }
      assertThat(Rows.count(database, history)).isZero();
      assertThat(guard.migrate()).isEqualTo(TestSet.VERSIONS);
    } finally {
      database.execute(
          "drop schema "
              + quote
              + schema
              + quote
              + (database.product() == DatabaseProduct.POSTGRESQL ? " cascade" : ""));
    }
  }

  @Test
  void theHistoryTellsWhatHappened() throws Exception {
    Instant before = databaseClock();
    TestSet.guard(database).migrate();
    Instant after = databaseClock();

    SchemaStatus status = TestSet.guard(database).status();
    assertThat(status.migrations()).hasSize(5);
    for (SchemaStatus.Migration migration : status.migrations()) {
      assertThat(migration.state()).isEqualTo(SchemaStatus.State.APPLIED);
      assertThat(migration.appliedAt()).isBetween(before, after);
      assertThat(migration.duration()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
      assertThat(migration.appliedBy()).isEqualTo(LibraryVersion.current()).isNotBlank();
    }
    assertThat(
            Rows.of(
                database,
                "select version, description, checksum from waybill_schema_history"
                    + " where version in (2, 5) order by version"))
        .isEqualTo(
            List.of(
                "2|parcels|" + TestSet.checksum(database, 2),
                "5|require requests|" + TestSet.checksum(database, 5)));
  }

  private Instant databaseClock() throws Exception {
    String micros =
        switch (database.product()) {
          case POSTGRESQL -> "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint";
          case MYSQL, MARIADB ->
              "select timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) div 1000";
          case SQLITE -> "select cast(round((julianday('now') - 2440587.5) * 86400000) as integer)";
        };
    long millis = Long.parseLong(Rows.of(database, micros).get(0));
    return Instant.ofEpochMilli(millis);
  }

  private String undo(long version, SchemaOptions options) {
    return SchemaPrinter.undo(
        TestSet.dialect(database), version, options, TestSet.all(TestSet.dialect(database)));
  }

  private SchemaGuard older(int version) {
    return TestSet.guard(database.dataSource(), TestSet.options(), TestSet.upTo(version));
  }

  private String undisturbed() throws Exception {
    try (TestDatabase other = database.fresh()) {
      TestSet.guard(other).migrate();
      return SchemaDump.of(other);
    }
  }
}

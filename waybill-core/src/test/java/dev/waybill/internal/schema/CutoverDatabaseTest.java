package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.schema.SchemaIncompatibleException.DataNotReady;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A cutover blocks new violators at once and is completed when no old ones are left. */
@EveryDatabase(alsoOldest = true)
class CutoverDatabaseTest {
  private static final String BAD_PARCEL =
      "insert into waybill_parcel (id, title, request_key) values (60, 'new', 'k')";
  private static final String BAD_LABEL =
      "insert into waybill_label (id, request_key) values (61, 'k')";

  private final TestDatabase database;

  CutoverDatabaseTest(TestDatabase database) {
    this.database = database.fresh();
  }

  @Test
  void withoutOldRowsItIsCompletedAtOnce() throws SQLException {
    assertThat(TestSet.guard(database).plan().cutovers()).containsExactly("require requests");
    TestSet.guard(database).migrate();
    assertThat(TestSet.guard(database).plan().cutovers()).isEmpty();
    assertThatThrownBy(() -> database.execute(BAD_PARCEL)).hasMessageContaining("request");
    assertThatThrownBy(() -> database.execute(BAD_LABEL)).hasMessageContaining("request");
  }

  @Test
  void oldRowsAreToleratedNewOnesAreNot() throws SQLException {
    legacy();
    assertNotReady(1, 2);
    assertThat(Rows.history(database)).isEqualTo(TestSet.VERSIONS);
    assertThat(Rows.count(database, "waybill_label where request is null")).isEqualTo(2);
    assertThatThrownBy(() -> database.execute(BAD_PARCEL)).hasMessageContaining("request");
    assertThatThrownBy(() -> database.execute(BAD_LABEL)).hasMessageContaining("request");
    assertThatThrownBy(
            () -> database.execute("update waybill_parcel set request_key = 'k' where id = 1"))
        .hasMessageContaining("request");
    database.execute(
        "insert into waybill_parcel (id, title, request_key, request) values (60, 'n', 'k', '{}')");
  }

  @Test
  void afterTheRemedyOnlyTheCutoverRuns() throws SQLException {
    legacy();
    assertNotReady(1, 2);
    database.execute("delete from waybill_parcel where id = 50");
    assertNotReady(0, 2);
    database.execute("update waybill_label set request = '{}' where id > 50");

    FaultyDataSource watched = new FaultyDataSource(database.dataSource());
    assertThat(TestSet.guard(watched).migrate()).isEmpty();
    assertThat(changes(watched)).isNotEmpty().allMatch(CutoverDatabaseTest::isOfTheCutover);
    assertThat(TestSet.guard(database).plan().cutovers()).isEmpty();

    watched.reset();
    assertThat(TestSet.guard(watched).migrate()).isEmpty();
    assertThat(changes(watched)).isEmpty();
  }

  @Test
  void checkReportsOldRowsAndNeverValidates() throws SQLException {
    legacy();
    TestSet.guard(database.dataSource(), TestSet.options(), TestSet.upTo(5)).migrate();
    assertThatThrownBy(() -> TestSet.guard(database).check()).isInstanceOf(DataNotReady.class);
    database.execute(
        "update waybill_parcel set request = '{}' where id > 1", "delete from waybill_label");
    String before = SchemaDump.of(database);

    assertThatCode(() -> TestSet.guard(database).check()).doesNotThrowAnyException();
    assertThat(SchemaDump.of(database)).isEqualTo(before);
    assertThat(TestSet.guard(database).plan().cutovers()).containsExactly("require requests");
  }

  @Test
  void itIsResumedWhereItStopped() throws SQLException {
    TestSet.guard(database.dataSource(), TestSet.options(), TestSet.upTo(5)).migrate();
    List<String> validate = TestSet.all(TestSet.dialect(database)).cutovers().get(0).validate();
    for (int n = 1; n <= validate.size(); n++) {
      FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
      faulty.on(Fault.sql(n, CutoverDatabaseTest::isOfTheCutover)).fail(Fault.Moment.BEFORE);
      assertThatThrownBy(() -> TestSet.guard(faulty).migrate())
          .isInstanceOf(QueryFailed.class)
          .hasMessageContaining("Cutover require requests");
      assertThat(TestSet.guard(database).plan().cutovers()).containsExactly("require requests");
    }
    assertThat(TestSet.guard(database).migrate()).isEmpty();
    assertThat(TestSet.guard(database).plan().cutovers()).isEmpty();
    try (TestDatabase other = database.fresh()) {
      TestSet.guard(other).migrate();
      assertThat(SchemaDump.of(database)).isEqualTo(SchemaDump.of(other));
    }
  }

  @Test
  void anUndoneCutoverIsOpenAgain() throws SQLException {
    TestSet.guard(database).migrate();
    Migrations all = TestSet.all(TestSet.dialect(database));
    Script.run(database, SchemaPrinter.undo(TestSet.dialect(database), 5, TestSet.options(), all));
    database.execute(BAD_LABEL);
    assertNotReady(0, 1);
    database.execute("delete from waybill_label");
    TestSet.guard(database).migrate();
    assertThat(TestSet.guard(database).plan().cutovers()).isEmpty();
  }

  private void legacy() throws SQLException {
    TestSet.guard(database.dataSource(), TestSet.options(), TestSet.upTo(4)).migrate();
    Rows.addLegacy(database);
  }

  private void assertNotReady(long parcels, long labels) {
    Map<String, Long> counts =
        parcels == 0 ? Map.of("labels", labels) : Map.of("parcels", parcels, "labels", labels);
    assertThatThrownBy(() -> TestSet.guard(database).migrate())
        .isInstanceOfSatisfying(
            DataNotReady.class, notReady -> assertThat(notReady.counts()).isEqualTo(counts));
  }

  private static List<String> changes(FaultyDataSource watched) {
    return watched.trace().stream()
        .filter(made -> made.kind() == Operation.Kind.STATEMENT)
        .map(Operation::sql)
        .filter(sql -> sql.matches("(?is)(create|alter|drop|insert|update|delete|set).*"))
        .toList();
  }

  private static boolean isOfTheCutover(String sql) {
    return sql.contains("validate constraint")
        || sql.contains("into \"waybill_schema_cutover")
        || sql.contains("waybill_schema_cutover` (name");
  }
}

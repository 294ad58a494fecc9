package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.schema.SchemaOptions;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * MySQL and MariaDB look for a trigger without a schema in the connection's own database, even if
 * its table is named with another one: creating it is an error then, and dropping it if it exists
 * takes a stranger's or nothing.
 */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.SQLITE},
    why = "a trigger is where its table is, and has no schema of its own")
class TriggerSchemaTest {
  private static final String LOG = "waybill_parcel_log_tg";

  /** Where connections lead to. */
  private final TestDatabase own;

  /** What the options name. */
  private final TestDatabase named;

  private final SchemaOptions options;

  TriggerSchemaTest(TestDatabase database) throws SQLException {
    own = database.fresh();
    named = database.fresh();
    options = TestSet.options().withSchema(nameOf(named));
  }

  @Test
  void theyLandInTheNamedSchemaAndWorkThere() throws SQLException {
    assertThat(guard(own.dataSource()).migrate()).isEqualTo(TestSet.VERSIONS);

    assertThat(triggers(own)).isEmpty();
    assertThat(triggers(named)).isEqualTo(triggersOfAnOrdinaryInstallation()).contains(LOG);
    String schema = nameOf(named);
    own.execute("insert into " + schema + ".waybill_parcel (id, title) values (2, 'book')");
    assertThat(Rows.of(named, "select parcel_id, entry from waybill_parcel_log"))
        .containsExactly("2|light");
  }

  @Test
  void aConnectionNeedsNoDatabaseOfItsOwn() throws SQLException {
    String url = own.url().replaceFirst("/" + nameOf(own) + "\\b", "/");
    DataSource nowhere = Sources.of(url, own.user(), own.password());
    assertThat(guard(nowhere).migrate()).isEqualTo(TestSet.VERSIONS);
    guard(nowhere).check();
    assertThat(triggers(named)).isEqualTo(triggersOfAnOrdinaryInstallation());
  }

  @Test
  void aPrintedScriptPutsThemThereToo() throws SQLException {
    Migrations all = TestSet.all(TestSet.dialect(own));
    Script.run(own, SchemaPrinter.upgrade(TestSet.dialect(own), 0, 5, options, all));
    assertThat(triggers(own)).isEmpty();
    assertThat(triggers(named)).isEqualTo(triggersOfAnOrdinaryInstallation());
    guard(own.dataSource()).check();
  }

  @Test
  void undoingLeavesThoseOfTheSameNameElsewhereAlone() throws SQLException {
    TestSet.guard(own).migrate();
    guard(own.dataSource()).migrate();
    List<String> before = triggers(own);

    for (long version = 5; version >= 3; version--) {
      Migrations all = TestSet.all(TestSet.dialect(own));
      Script.run(own, SchemaPrinter.undo(TestSet.dialect(own), version, options, all));
    }
    assertThat(triggers(named)).isEmpty();
    assertThat(triggers(own)).isEqualTo(before).contains(LOG);
    TestSet.guard(own).check();
  }

  private SchemaGuard guard(DataSource source) {
    return TestSet.guard(source, options, TestSet::all);
  }

  private List<String> triggersOfAnOrdinaryInstallation() throws SQLException {
    try (TestDatabase ordinary = own.fresh()) {
      TestSet.guard(ordinary).migrate();
      return triggers(ordinary);
    }
  }

  private static List<String> triggers(TestDatabase database) throws SQLException {
    return Rows.of(
        database,
        "select trigger_name from information_schema.triggers"
            + " where trigger_schema = schema() and event_object_schema = schema()"
            + " order by trigger_name");
  }

  private static String nameOf(TestDatabase database) throws SQLException {
    return Rows.of(database, "select schema()").get(0);
  }
}

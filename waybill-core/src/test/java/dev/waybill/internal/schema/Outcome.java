package dev.waybill.internal.schema;

import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * All that a migration leaves behind, for comparing a disturbed run with an undisturbed one.
 *
 * @param schema the catalogue
 * @param history versions, checksums and whether they succeeded
 * @param fence versions
 * @param cutovers those that are not complete
 * @param rows of the tables, in numbers
 */
record Outcome(
    String schema,
    List<String> history,
    List<String> fence,
    List<String> cutovers,
    List<String> rows) {

  static Outcome of(TestDatabase database) throws SQLException {
    try (Connection connection = database.connect()) {
      return new Outcome(
          SchemaDump.of(database),
          Rows.of(
              connection,
              "select version, checksum, success, statement from waybill_schema_history"
                  + " order by version"),
          Rows.of(connection, "select version from waybill_schema_fence order by version"),
          TestSet.guard(database).plan().cutovers(),
          Rows.of(connection, "select id, title from waybill_parcel order by id"));
    }
  }

  static Outcome undisturbed(TestDatabase database) throws SQLException {
    try (TestDatabase other = database.fresh()) {
      TestSet.guard(other).migrate();
      return of(other);
    }
  }
}

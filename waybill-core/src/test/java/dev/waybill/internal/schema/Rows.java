package dev.waybill.internal.schema;

import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Reads rows, and writes those of history and fence that a test pretends somebody else wrote. */
final class Rows {
  static final String FOREIGN = "f".repeat(64);

  private Rows() {}

  /** The rows of a query, their columns joined by a bar. */
  static List<String> of(TestDatabase database, String query) throws SQLException {
    try (Connection connection = database.connect()) {
      return of(connection, query);
    }
  }

  static List<String> of(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> all = new ArrayList<>();
      while (rows.next()) {
        List<String> columns = new ArrayList<>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          columns.add(String.valueOf(rows.getString(i)));
        }
        all.add(String.join("|", columns));
      }
      return all;
    }
  }

  static long count(TestDatabase database, String table) throws SQLException {
    return Long.parseLong(of(database, "select count(*) from " + table).get(0));
  }

  /** Versions in the history, those of failed migrations with a minus. */
  static List<Long> history(TestDatabase database) throws SQLException {
    return of(
            database,
            "select case when success then version else -version end"
                + " from waybill_schema_history order by version")
        .stream()
        .map(Long::valueOf)
        .toList();
  }

  static void addHistory(TestDatabase database, long version, String checksum, boolean success)
      throws SQLException {
    database.execute(
        "insert into waybill_schema_history (version, description, checksum, success, statement,"
            + " duration_millis, library_version, applied_at) values ("
            + version
            + ", 'written by Waybill; says ''waybill''', '"
            + checksum
            + "', "
            + success
            + ", 1, 7, '9.9.9', "
            + now(database)
            + ")");
  }

  static void addFence(TestDatabase database, long version) throws SQLException {
    database.execute(
        "insert into waybill_schema_fence (version, library_version, recorded_at) values ("
            + version
            + ", '9.9.9', "
            + now(database)
            + ")");
  }

  static void forget(TestDatabase database, long version) throws SQLException {
    database.execute("delete from waybill_schema_history where version = " + version);
  }

  static void spoilChecksum(TestDatabase database, long version) throws SQLException {
    database.execute(
        "update waybill_schema_history set checksum = '"
            + FOREIGN
            + "' where version = "
            + version);
  }

  static void makeDirty(TestDatabase database, long version) throws SQLException {
    database.execute(
        "update waybill_schema_history set success = false where version = " + version);
  }

  /** A parcel and two labels of the old shape, which the cutover of the test set does not allow. */
  static void addLegacy(TestDatabase database) throws SQLException {
    database.execute(
        "insert into waybill_parcel (id, title, request_key) values (50, 'old', 'k')",
        "insert into waybill_label (id, request_key) values (51, 'k')",
        "insert into waybill_label (id, request_key) values (52, 'k')");
  }

  private static String now(TestDatabase database) {
    return switch (database.product()) {
      case POSTGRESQL -> "clock_timestamp()";
      case MYSQL, MARIADB -> "utc_timestamp(6)";
      case SQLITE -> "1700000000000000";
    };
  }
}

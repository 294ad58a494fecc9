package dev.waybill.testkit;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A server's database that knows its tables and rows and returns to them. That takes milliseconds
 * where making the tables again takes a second.
 */
final class PreparedDatabase {

  private static final String SEQUENCES =
      "select sequencename from pg_sequences where schemaname = current_schema()";
  private static final String STATE =
      "select format('select setval(%%L, %%s, %%L)', '%1$s', last_value, is_called) from %1$s";

  private final String name;
  private final DatabaseAddress address;
  private final Map<String, List<List<@Nullable Object>>> tables = new LinkedHashMap<>();
  private final Map<String, String> sequences = new LinkedHashMap<>();

  /** Remembers what a database holds now. */
  PreparedDatabase(String name, DatabaseAddress address) throws SQLException {
    this.name = name;
    this.address = address;
    try (Connection connection = address.connect();
        Statement statement = connection.createStatement()) {
      for (String table : tablesOf(statement)) {
        tables.put(table, rowsOf(statement, table));
      }
      if (isPostgres()) {
        for (String sequence : texts(statement, SEQUENCES)) {
          sequences.put(sequence, texts(statement, STATE.formatted(sequence)).get(0));
        }
      }
    }
  }

  String name() {
    return name;
  }

  /** Drops other tables and sequences and has the rows as they were. Nobody may be connected. */
  void restore() throws SQLException {
    try (Connection connection = address.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          isPostgres()
              ? "set session_replication_role = replica"
              : "set session foreign_key_checks = 0");
      dropOthers(statement);
      connection.setAutoCommit(false);
      for (var table : tables.entrySet()) {
        statement.execute("delete from " + quoted(table.getKey()));
        insert(connection, table.getKey(), table.getValue());
      }
      for (String sequence : sequences.values()) {
        statement.execute(sequence);
      }
      connection.commit();
    }
  }

  private void dropOthers(Statement statement) throws SQLException {
    for (String table : tablesOf(statement)) {
      if (!tables.containsKey(table)) {
        statement.execute(
            "drop table if exists " + quoted(table) + (isPostgres() ? " cascade" : ""));
      }
    }
    for (String sequence : isPostgres() ? texts(statement, SEQUENCES) : List.<String>of()) {
      if (!sequences.containsKey(sequence)) {
        statement.execute("drop sequence " + quoted(sequence));
      }
    }
  }

  private void insert(Connection connection, String table, List<List<@Nullable Object>> rows)
      throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    String marks = ", ?".repeat(rows.get(0).size()).substring(2);
    String sql =
        "insert into %s %s values (%s)"
            .formatted(quoted(table), isPostgres() ? "overriding system value" : "", marks);
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (List<@Nullable Object> row : rows) {
        for (int i = 0; i < row.size(); i++) {
          insert.setObject(i + 1, row.get(i));
        }
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  private boolean isPostgres() {
    return address.product() == DatabaseProduct.POSTGRESQL;
  }

  private String quoted(String table) {
    return isPostgres() ? '"' + table + '"' : '`' + table + '`';
  }

  private List<String> tablesOf(Statement statement) throws SQLException {
    String schema = isPostgres() ? "current_schema()" : "database()";
    return texts(
        statement,
        "select table_name from information_schema.tables where table_schema = "
            + schema
            + " and table_type = 'BASE TABLE'");
  }

  private List<List<@Nullable Object>> rowsOf(Statement statement, String table)
      throws SQLException {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    try (ResultSet result = statement.executeQuery("select * from " + quoted(table))) {
      while (result.next()) {
        List<@Nullable Object> row = new ArrayList<>();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          row.add(result.getObject(i));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  private static List<String> texts(Statement statement, String sql) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        texts.add(result.getString(1));
      }
    }
    return texts;
  }
}

package dev.waybill.internal.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The servers' view of our connections. */
final class Sessions {
  private Sessions() {}

  /** The statement with which another connection ends this one. */
  static String ending(Dialect dialect, Connection connection) {
    return (dialect == Dialect.POSTGRES ? "select pg_terminate_backend(%d)" : "kill %d")
        .formatted(id(dialect, connection));
  }

  /** How the server calls the connection. */
  static long id(Dialect dialect, Connection connection) {
    String asking =
        dialect == Dialect.POSTGRES ? "select pg_backend_pid()" : "select connection_id()";
    return Long.parseLong(ask(connection, asking));
  }

  static void execute(Connection connection, String... statements) throws SQLException {
    TransactionControl.run(connection, List.of(statements));
  }

  /** The first column of the first row, as text. */
  static String ask(Connection connection, String query) {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      return row.next() ? String.valueOf(row.getString(1)) : "";
    } catch (SQLException e) {
      throw new IllegalStateException(query, e);
    }
  }
}

package dev.waybill.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * How transactions begin and end on a connection of ours, and what has to be put right on it before
 * and afterwards. Outside its transactions the connection holds no lock.
 */
interface TransactionControl {
  /** Remembers how the connection is and makes it what we rely on. */
  void prepare() throws SQLException;

  /** Begins a transaction that can write. */
  void begin() throws SQLException;

  /** Begins a transaction that sees one snapshot and that the database refuses any write. */
  void beginSnapshot() throws SQLException;

  /** Makes the transaction's work durable. */
  void commit() throws SQLException;

  /** Ends the transaction without effect; does nothing if the database has done so already. */
  void rollback() throws SQLException;

  /** Makes the connection what it was. */
  void restore() throws SQLException;

  /** The control that fits the dialect. */
  static TransactionControl of(Dialect dialect, Connection connection) {
    return switch (dialect) {
      case POSTGRES ->
          new ServerTransactionControl(
              connection, "set transaction isolation level repeatable read, read only");
      case MYSQL, MARIADB ->
          new ServerTransactionControl(
              connection,
              "set transaction isolation level repeatable read",
              "start transaction with consistent snapshot, read only");
      case SQLITE -> new SqliteTransactionControl(connection);
    };
  }

  /** Runs statements that only steer the connection. */
  static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}

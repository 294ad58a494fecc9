package dev.waybill.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * How transactions begin and end on a connection of ours, and what has to be put right on it before
 * and afterwards. Outside its transactions the connection holds no lock.
 */
interface TransactionControl {
  /** Remembers how the connection is and makes it what we rely on. */
  void prepare() throws SQLException;

  /** Begins a transaction that can write. */
  void begin() throws SQLException;

  /** Begins a transaction of one statement. */
  default void beginSingle() throws SQLException {
    begin();
  }

  /**
   * Begins work each of whose statements may be a transaction by itself, or all of them one.
   *
   * @param again whether such work is likely to follow soon
   * @param spare whether there are other sessions for those who then need a transaction
   */
  default void beginApart(boolean again, boolean spare) throws SQLException {
    begin();
  }

  /** Whether each statement would be a transaction by itself without more ado. */
  default boolean standsApart() {
    return false;
  }

  /** Begins a transaction that sees one snapshot and that the database refuses any write. */
  void beginSnapshot() throws SQLException;

  /** Begins a transaction of one statement that only reads. */
  default void beginGlance() throws SQLException {
    beginSnapshot();
  }

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
              connection,
              List.of("set transaction isolation level repeatable read, read only"),
              List.of(),
              true);
      case MYSQL, MARIADB ->
          new ServerTransactionControl(
              connection,
              // For the session: DDL commits a transaction that is read-only by itself, and runs.
              List.of(
                  "set session transaction read only",
                  "set transaction isolation level repeatable read",
                  "start transaction with consistent snapshot"),
              List.of("set session transaction read write"),
              false);
      case SQLITE -> new SqliteTransactionControl(connection);
    };
  }

  /** Runs statements that only steer the connection. */
  static void run(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}

package dev.waybill.internal.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * SQLite: one writer, so a transaction that will write must say so when it begins. One that begins
 * to write only after it has read fails, without waiting, when another has written meanwhile.
 *
 * <p>The driver begins a transaction as soon as auto-commit is switched off, and in the way that
 * its URL says. So auto-commit is off only while one of our transactions runs, for the sake of code
 * that is handed the connection and asks; and the driver's transaction is replaced by ours.
 */
final class SqliteTransactionControl implements TransactionControl {
  static final long BUSY_MILLIS = 5_000;

  private final Connection connection;
  private boolean autoCommitBefore;
  private long busyMillisBefore;
  private boolean inWalMode;
  private boolean queryOnly;

  SqliteTransactionControl(Connection connection) {
    this.connection = connection;
  }

  @Override
  public void prepare() throws SQLException {
    autoCommitBefore = connection.getAutoCommit();
    connection.setAutoCommit(true);
    busyMillisBefore = busyMillis();
    setBusyMillis(BUSY_MILLIS);
  }

  @Override
  public void begin() throws SQLException {
    if (!inWalMode) {
      // Else readers and the writer would lock each other out. The mode stays with the file.
      run("pragma journal_mode = wal");
      inWalMode = true;
    }
    connection.setAutoCommit(false);
    // The driver does not say so if it could not begin: then there is nothing to roll back, and our
    // own beginning tells what is in the way.
    rollBackIfActive();
    run("begin immediate");
  }

  @Override
  public void beginSnapshot() throws SQLException {
    // Behind the driver's back: its own transaction might want to write.
    queryOnly = true;
    run("pragma query_only = on", "begin");
  }

  @Override
  public void commit() throws SQLException {
    run("commit");
    leave();
  }

  @Override
  public void rollback() throws SQLException {
    rollBackIfActive();
    leave();
  }

  private void leave() throws SQLException {
    if (!connection.getAutoCommit()) {
      run("begin"); // takes no lock: only for the driver, which commits what it thinks it began
      connection.setAutoCommit(true);
    }
    if (queryOnly) {
      run("pragma query_only = off");
      queryOnly = false;
    }
  }

  /** Some errors end a transaction by themselves; then another can begin. */
  private void rollBackIfActive() throws SQLException {
    try {
      run("rollback");
    } catch (SQLException e) {
      try {
        run("begin", "rollback");
      } catch (SQLException stillActive) {
        e.addSuppressed(stillActive);
        throw e;
      }
    }
  }

  @Override
  public void restore() throws SQLException {
    setBusyMillis(busyMillisBefore);
    connection.setAutoCommit(autoCommitBefore);
  }

  private long busyMillis() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("pragma busy_timeout")) {
      return result.next() ? result.getLong(1) : 0;
    }
  }

  private void setBusyMillis(long millis) throws SQLException {
    run("pragma busy_timeout = " + millis);
  }

  private void run(String... statements) throws SQLException {
    TransactionControl.run(connection, List.of(statements));
  }
}

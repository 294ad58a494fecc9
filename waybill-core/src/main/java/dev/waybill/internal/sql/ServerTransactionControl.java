package dev.waybill.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** PostgreSQL, MySQL and MariaDB: a transaction begins with its first statement. */
final class ServerTransactionControl implements TransactionControl {
  private final Connection connection;
  private final List<String> beginSnapshot;
  private final List<String> endSnapshot;
  private final boolean autoCommitIsFree;
  private boolean autoCommitBefore;
  private boolean readOnlyBefore;
  private int isolationBefore;
  private boolean inSnapshot;
  private boolean inSingle;

  /**
   * Control over a connection.
   *
   * @param beginSnapshot what begins a snapshot
   * @param endSnapshot what takes back, after it, what would outlast it
   * @param autoCommitIsFree whether the driver changes the mode without a round trip, so that a
   *     single statement saves that of its commit
   */
  ServerTransactionControl(
      Connection connection,
      List<String> beginSnapshot,
      List<String> endSnapshot,
      boolean autoCommitIsFree) {
    this.connection = connection;
    this.beginSnapshot = beginSnapshot;
    this.endSnapshot = endSnapshot;
    this.autoCommitIsFree = autoCommitIsFree;
  }

  @Override
  public void prepare() throws SQLException {
    autoCommitBefore = connection.getAutoCommit();
    readOnlyBefore = connection.isReadOnly();
    isolationBefore = connection.getTransactionIsolation();
    set(Connection.TRANSACTION_READ_COMMITTED, isolationBefore, false, readOnlyBefore);
    connection.setAutoCommit(false);
  }

  @Override
  public void begin() {}

  @Override
  public void beginSingle() throws SQLException {
    if (autoCommitIsFree) {
      inSingle = true;
      connection.setAutoCommit(true);
    }
  }

  @Override
  public void beginGlance() throws SQLException {
    if (autoCommitIsFree) {
      beginSingle();
    } else {
      beginSnapshot();
    }
  }

  /** Whether the statement was a transaction by itself. */
  private boolean endSingle() throws SQLException {
    if (!inSingle) {
      return false;
    }
    inSingle = false;
    connection.setAutoCommit(false);
    return true;
  }

  @Override
  public void beginSnapshot() throws SQLException {
    inSnapshot = true;
    TransactionControl.run(connection, beginSnapshot);
  }

  @Override
  public void commit() throws SQLException {
    if (!endSingle()) {
      connection.commit();
      leaveSnapshot();
    }
  }

  @Override
  public void rollback() throws SQLException {
    if (!endSingle()) {
      connection.rollback();
      leaveSnapshot();
    }
  }

  private void leaveSnapshot() throws SQLException {
    if (inSnapshot) {
      TransactionControl.run(connection, endSnapshot);
      inSnapshot = false;
    }
  }

  @Override
  public void restore() throws SQLException {
    set(isolationBefore, Connection.TRANSACTION_READ_COMMITTED, readOnlyBefore, false);
    connection.setAutoCommit(autoCommitBefore);
  }

  /** Each of these is a round trip, so only what differs is sent. */
  private void set(int isolation, int isolationNow, boolean readOnly, boolean readOnlyNow)
      throws SQLException {
    if (isolation != isolationNow) {
      connection.setTransactionIsolation(isolation);
    }
    if (readOnly != readOnlyNow) {
      connection.setReadOnly(readOnly);
    }
  }
}

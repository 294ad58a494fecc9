package dev.waybill.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** PostgreSQL, MySQL and MariaDB: a transaction begins with its first statement. */
final class ServerTransactionControl implements TransactionControl {
  private final Connection connection;
  private final List<String> beginSnapshot;
  private final List<String> endSnapshot;
  private boolean autoCommitBefore;
  private boolean readOnlyBefore;
  private int isolationBefore;
  private boolean inSnapshot;

  /**
   * Control over a connection.
   *
   * @param beginSnapshot what begins a snapshot
   * @param endSnapshot what takes back, after it, what would outlast it
   */
  ServerTransactionControl(
      Connection connection, List<String> beginSnapshot, List<String> endSnapshot) {
    this.connection = connection;
    this.beginSnapshot = beginSnapshot;
    this.endSnapshot = endSnapshot;
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
  public void beginSnapshot() throws SQLException {
    inSnapshot = true;
    TransactionControl.run(connection, beginSnapshot);
  }

  @Override
  public void commit() throws SQLException {
    connection.commit();
    leaveSnapshot();
  }

  @Override
  public void rollback() throws SQLException {
    connection.rollback();
    leaveSnapshot();
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

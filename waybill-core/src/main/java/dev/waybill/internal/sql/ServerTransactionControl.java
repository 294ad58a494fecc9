package dev.waybill.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** PostgreSQL, MySQL and MariaDB: a transaction begins with its first statement. */
final class ServerTransactionControl implements TransactionControl {
  private final Connection connection;
  private final String[] snapshot;
  private boolean autoCommitBefore;
  private boolean readOnlyBefore;
  private int isolationBefore;

  /**
   * Control over a connection.
   *
   * @param snapshot what begins a snapshot; it must concern that one transaction alone, so that
   *     nothing has to be undone on a connection that may have died
   */
  ServerTransactionControl(Connection connection, String... snapshot) {
    this.connection = connection;
    this.snapshot = snapshot;
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
    TransactionControl.run(connection, snapshot);
  }

  @Override
  public void commit() throws SQLException {
    connection.commit();
  }

  @Override
  public void rollback() throws SQLException {
    connection.rollback();
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

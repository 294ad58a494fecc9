package dev.waybill.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * PostgreSQL, MySQL and MariaDB: a transaction begins with its first statement, and in auto-commit
 * mode each statement is one. PostgreSQL's driver changes the mode without a round trip, so there
 * it is changed whenever that saves a commit. Elsewhere a change costs as much as the commit it
 * saves. So it is changed for work that will come again, and stays so until somebody needs a
 * transaction; where there is no other session for that, only when it does come again.
 */
final class ServerTransactionControl implements TransactionControl {
  private final Connection connection;
  private final List<String> beginSnapshot;
  private final List<String> endSnapshot;
  private final boolean autoCommitIsFree;
  private boolean autoCommitBefore;
  private boolean readOnlyBefore;
  private int isolationBefore;
  private boolean inSnapshot;
  private boolean autoCommit;
  private boolean changing;
  private boolean wasApart;

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

  /** The mode is set whatever the driver believes it to be: a pool may have changed it in SQL. */
  @Override
  public void prepare() throws SQLException {
    autoCommitBefore = connection.getAutoCommit();
    readOnlyBefore = connection.isReadOnly();
    isolationBefore = connection.getTransactionIsolation();
    set(Connection.TRANSACTION_READ_COMMITTED, isolationBefore, false, readOnlyBefore);
    connection.setAutoCommit(false);
  }

  @Override
  public void begin() throws SQLException {
    wasApart = false;
    autoCommit(false);
  }

  @Override
  public void beginSingle() throws SQLException {
    if (autoCommitIsFree) {
      autoCommit(true);
    } else {
      begin();
    }
  }

  /** Where a pool wants its connections without auto-commit, they stay without. */
  @Override
  public void beginApart(boolean again, boolean spare) throws SQLException {
    boolean worthIt = again && (spare || wasApart) && autoCommitBefore;
    if (autoCommitIsFree || worthIt) {
      autoCommit(true);
    }
    wasApart |= again;
  }

  @Override
  public boolean standsApart() {
    return autoCommit;
  }

  @Override
  public void beginGlance() throws SQLException {
    if (autoCommitIsFree) {
      beginSingle();
    } else {
      beginSnapshot();
    }
  }

  @Override
  public void beginSnapshot() throws SQLException {
    begin();
    inSnapshot = true;
    TransactionControl.run(connection, beginSnapshot);
  }

  private void autoCommit(boolean on) throws SQLException {
    if (autoCommit != on) {
      changing = true;
      connection.setAutoCommit(on);
      autoCommit = on;
      changing = false;
    }
  }

  @Override
  public void commit() throws SQLException {
    if (!autoCommit) {
      connection.commit();
      leaveSnapshot();
    } else if (autoCommitIsFree) {
      autoCommit(false);
    }
  }

  /** Of a statement that committed by itself nothing is left; then only the mode is changed. */
  @Override
  public void rollback() throws SQLException {
    if (changing) {
      throw new SQLException("Nobody knows whether auto-commit is on");
    }
    if (autoCommit) {
      autoCommit(false);
    } else {
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

package dev.waybill.internal.sql;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of ours, prepared once and used for as many transactions as its owner likes.
 * Closing it gives the connection back as it was; {@link #discard()} makes sure that nobody gets it
 * again.
 */
public final class Session implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Session.class);
  private static final int SQLITE_BUSY_MILLIS = 5_000;

  private final Connection connection;
  private final Database database;
  private final Dialect dialect;
  private final boolean autoCommitBefore;
  private final int isolationBefore;
  private boolean open = true;

  Session(Connection connection, Database database) throws SQLException {
    this.connection = connection;
    this.database = database;
    this.dialect = database.dialect();
    this.autoCommitBefore = connection.getAutoCommit();
    this.isolationBefore = connection.getTransactionIsolation();
    prepare();
  }

  private void prepare() throws SQLException {
    if (dialect == Dialect.SQLITE) {
      // Its driver can begin a transaction only as the URL says; we must begin IMMEDIATE, in SQL.
      connection.setAutoCommit(true);
      run("pragma busy_timeout = " + SQLITE_BUSY_MILLIS);
    } else {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
    }
  }

  /**
   * Runs the work in a transaction and commits it. The whole of it is repeated when other
   * transactions were in the way, so it must have no effects elsewhere.
   */
  public <T> T transact(Function<Tx, T> work) {
    for (int failures = 1; ; failures++) {
      try {
        return once("begin immediate", work);
      } catch (DatabaseException e) {
        if (e.kind() != Kind.CONTENTION || failures >= database.retry().attempts()) {
          throw e;
        }
        stepAside(e, failures);
      }
    }
  }

  /** Runs work that only reads, all of it on one snapshot; the database refuses it any write. */
  public <T> T snapshot(Function<Tx, T> work) {
    try {
      if (dialect == Dialect.SQLITE) {
        run("pragma query_only = on");
        try {
          return once("begin", work);
        } finally {
          run("pragma query_only = off");
        }
      }
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setReadOnly(true);
      try {
        return once("", work);
      } finally {
        connection.setReadOnly(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      }
    } catch (SQLException e) {
      throw SqlFailure.of(dialect, "Snapshot", e);
    }
  }

  private <T> T once(String sqliteBegin, Function<Tx, T> work) {
    try {
      if (dialect == Dialect.SQLITE) {
        run(sqliteBegin);
      }
      T result = work.apply(database.tx(connection));
      if (dialect == Dialect.SQLITE) {
        run("commit");
      } else {
        connection.commit();
      }
      return result;
    } catch (SQLException e) {
      DatabaseException failure = SqlFailure.of(dialect, "Transaction", e);
      rollback(failure);
      throw failure;
    } catch (RuntimeException | Error e) {
      rollback(e);
      throw e;
    }
  }

  private void rollback(Throwable because) {
    try {
      if (dialect == Dialect.SQLITE) {
        // Fails when the transaction has ended by itself, which is what we want to be sure of.
        run("rollback");
      } else {
        connection.rollback();
      }
    } catch (SQLException e) {
      because.addSuppressed(e);
    }
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void stepAside(DatabaseException failure, int failures) {
    try {
      Retry retry = database.retry();
      retry.pause().sleep(retry.pauseAfter(failures));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure.addSuppressed(e);
      throw failure;
    }
  }

  /** Ends the physical connection: it may hold a lock, or be in a state nobody knows. */
  public void discard() {
    if (!open) {
      return;
    }
    open = false;
    try {
      // Through a pool, close() would only give it back; abort reaches the connection itself.
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      log.warn("A connection that should be discarded could not be aborted", e);
    } finally {
      closeQuietly();
    }
  }

  @Override
  public void close() {
    if (!open) {
      return;
    }
    open = false;
    try {
      if (dialect != Dialect.SQLITE && isolationBefore != Connection.TRANSACTION_READ_COMMITTED) {
        connection.setTransactionIsolation(isolationBefore);
      }
      connection.setAutoCommit(autoCommitBefore);
    } catch (SQLException e) {
      log.debug("A connection could not be restored before it was given back", e);
    } finally {
      closeQuietly();
    }
  }

  private void closeQuietly() {
    try {
      connection.close();
    } catch (SQLException e) {
      log.debug("A connection could not be closed", e);
    }
  }
}

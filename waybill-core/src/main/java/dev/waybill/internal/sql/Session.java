package dev.waybill.internal.sql;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of ours, prepared once and used for as many transactions as its owner likes.
 * Closing it gives the connection back as it was; {@link #discard()} makes sure that nobody gets it
 * again. For one thread.
 */
public final class Session implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Session.class);

  private final Connection connection;
  private Database database;
  private final TransactionControl control;
  private final @Nullable Shelf shelf;
  private boolean open = true;
  private boolean dedicated;

  private Session(Connection connection, Database database) {
    this.connection = connection;
    this.database = database;
    this.shelf = database.shelf();
    this.control = TransactionControl.of(database.dialect(), connection);
  }

  /** Prepares a connection; ends it if that fails. */
  static Session over(Connection connection, Database database) {
    Session session = new Session(connection, database);
    try {
      session.control.prepare();
      return session;
    } catch (SQLException e) {
      session.discard();
      throw SqlFailure.of(database.dialect(), "Preparing a connection", e);
    } catch (RuntimeException | Error e) {
      session.discard();
      throw e;
    }
  }

  /** Takes it from the shelf: whoever lends it decides what happens on contention. */
  Session under(Database lender) {
    database = lender;
    return this;
  }

  /**
   * Runs the work in a transaction and commits it. The whole of it is repeated when other
   * transactions were in the way, so it must have no effects elsewhere.
   */
  public <T> T transact(Function<Tx, T> work) {
    return repeatedly(control::begin, work);
  }

  /**
   * Runs work of exactly one statement, which is a transaction by itself where that saves a round
   * trip. Repeated like {@link #transact}.
   */
  public <T> T single(Function<Tx, T> statement) {
    return repeatedly(control::beginSingle, statement);
  }

  /**
   * Runs work whose statements need not stand or fall together: each is a transaction by itself
   * where that saves a round trip, else they are all one. Repeated like {@link #transact}, from its
   * first statement. What is read so may come from a copy of the database that lags behind, if
   * there is a proxy that knows of one: such proxies send whole transactions to the original.
   *
   * @param again whether such work is likely to follow soon, so that it may pay to prepare for it
   */
  public <T> T apart(boolean again, Function<Tx, T> work) {
    return repeatedly(() -> control.beginApart(again, shelf != null && !shelf.isEmpty()), work);
  }

  private <T> T repeatedly(Step begin, Function<Tx, T> work) {
    for (int failures = 1; ; failures++) {
      try {
        return inLine(begin, work, control::commit);
      } catch (DatabaseException e) {
        if (e.kind() != Kind.CONTENTION || !open || failures >= database.retry().attempts()) {
          throw e;
        }
        stepAside(e, failures);
      }
    }
  }

  /** Runs work that only reads, all of it on one snapshot; the database refuses it any write. */
  public <T> T snapshot(Function<Tx, T> work) {
    return once(control::beginSnapshot, work, control::commit);
  }

  /**
   * Runs one statement that only reads, which is a snapshot by itself where that saves round trips.
   */
  public <T> T glance(Function<Tx, T> statement) {
    return once(control::beginGlance, statement, control::commit);
  }

  /** Runs work in a transaction that can write, once, and takes back what it did. */
  public <T> T rehearse(Function<Tx, T> work) {
    return inLine(control::begin, work, control::rollback);
  }

  private interface Step {
    void run() throws SQLException;
  }

  private <T> T inLine(Step begin, Function<Tx, T> work, Step end) {
    WriterLine line = database.line();
    if (line == null || !line.enter()) {
      return once(begin, work, end);
    }
    try {
      return once(begin, work, end);
    } finally {
      line.leave();
    }
  }

  private <T> T once(Step begin, Function<Tx, T> work, Step end) {
    if (!open) {
      throw new IllegalStateException("The session is closed");
    }
    try {
      begin.run();
      T result = work.apply(database.tx(connection));
      end.run();
      return result;
    } catch (SQLException e) {
      DatabaseException failure = SqlFailure.of(database.dialect(), "Transaction", e);
      rollback(failure);
      throw failure;
    } catch (RuntimeException | Error e) {
      rollback(e);
      throw e;
    }
  }

  /** A connection that cannot roll back must not be used again: its next commit would be wrong. */
  private void rollback(Throwable because) {
    try {
      control.rollback();
      if (because instanceof DatabaseException failure && failure.kind() == Kind.DISCONNECTED) {
        // A rollback that costs no round trip does not notice.
        discard();
      }
    } catch (SQLException e) {
      because.addSuppressed(e);
      discard();
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

  /** Whether it can still be used: a connection that broke cannot. */
  public boolean isOpen() {
    return open;
  }

  /** Whether each statement would be a transaction by itself without more ado. */
  boolean standsApart() {
    return control.standsApart();
  }

  /** The connection for something else than transactions, until the session is closed. */
  Connection dedicate() throws SQLException {
    dedicated = true;
    connection.setAutoCommit(true);
    return connection;
  }

  /** Ends the physical connection: it may hold a lock, or be in a state nobody knows. */
  public void discard() {
    if (!open) {
      return;
    }
    open = false;
    try {
      if (connection.isClosed()) {
        return;
      }
      // Through a pool, close() would only give it back; abort reaches the connection itself.
      connection.abort(Runnable::run);
      // SQLite's driver does not abort.
      Connection physical = connection.unwrap(Connection.class);
      if (!physical.isClosed()) {
        physical.close();
      }
    } catch (SQLException e) {
      log.warn("A connection that should be discarded could not be ended", e);
    } finally {
      giveBack();
    }
  }

  /** Puts it on the shelf if there is one, else gives it back. */
  @Override
  public void close() {
    if (open && (shelf == null || dedicated || !shelf.keep(this))) {
      giveUp();
    }
  }

  /** Gives the connection back as it was. */
  void giveUp() {
    if (!open) {
      return;
    }
    try {
      control.restore();
    } catch (SQLException e) {
      log.debug("A connection could not be restored, so it is ended instead of given back", e);
      discard();
      return;
    }
    open = false;
    giveBack();
  }

  private void giveBack() {
    try {
      connection.close();
    } catch (SQLException e) {
      log.debug("A connection could not be closed", e);
    }
  }
}

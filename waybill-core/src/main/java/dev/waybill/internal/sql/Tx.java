package dev.waybill.internal.sql;

import dev.waybill.DatabaseException;
import dev.waybill.TransactionRequiredException;
import dev.waybill.WaybillException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A transaction in progress: a connection and the statements that may run on it. Whoever opened it
 * ends it; a {@code Tx} over a caller's connection is ended by the caller.
 */
public final class Tx {
  private final Connection connection;
  private final Dialect dialect;
  private final Naming naming;
  private final Statements statements;
  private final int patience;
  private boolean savepoint;
  private boolean whole;

  Tx(Connection connection, Dialect dialect, Naming naming, Statements statements, int patience) {
    this.connection = connection;
    this.dialect = dialect;
    this.naming = naming;
    this.statements = statements;
    this.patience = patience;
  }

  /** Which one the statements are written in. */
  public Dialect dialect() {
    return dialect;
  }

  /** A statement of the catalogue. */
  public Query sql(String name) {
    return new Query(connection, dialect, statements.get(name), patience);
  }

  /** Whether the dialect has a statement of a shape of its own. */
  public boolean has(String name) {
    return statements.names().contains(name);
  }

  /** A statement with those of its optional parts all of whose parameters are given. */
  public Query sql(String name, Set<String> given) {
    return new Query(connection, dialect, statements.get(name, given), patience);
  }

  /** A query that is no statement of the catalogue: a cutover's, written with the files' names. */
  public Query query(String text) {
    return new Query(
        connection, dialect, Sql.compile("of a cutover", text, dialect, naming), patience);
  }

  /** Runs text that is no statement of the catalogue: a migration's. */
  public void script(String text) {
    try (Statement statement = connection.createStatement()) {
      // Braces are not JDBC's to interpret.
      statement.setEscapeProcessing(false);
      statement.execute(text);
    } catch (SQLException e) {
      throw failure("Migration statement", e);
    }
  }

  /**
   * Whether MySQL or MariaDB itself refused the statement: each is atomic, so it changed nothing.
   * Any other error leaves open what the server did.
   */
  public static boolean refused(DatabaseException failure) {
    return SqlFailure.refusedByMySql(failure);
  }

  /** Whether the database refused because the user may not do that. */
  public static boolean forbidden(DatabaseException failure) {
    return SqlFailure.forbidden(failure);
  }

  /** Whether the database refused because nothing can be written there at all. */
  public static boolean readOnly(DatabaseException failure) {
    return SqlFailure.readOnly(failure);
  }

  /** Says what the caller can do about a transaction of his that may not write. */
  public static WaybillException callers(DatabaseException failure) {
    return readOnly(failure)
        ? new TransactionRequiredException(
            "The transaction given to Waybill is read-only, or the server is: begin one that may"
                + " write, on a server that takes writes (not a standby), and enqueue there.",
            failure)
        : failure;
  }

  /**
   * Marks a point to which {@link #undo} leads back, and forgets the one before. One is enough:
   * work is done piece by piece, and each piece either stays or is undone.
   */
  public void savepoint() {
    boolean stacked = savepoint && dialect != Dialect.MYSQL && dialect != Dialect.MARIADB;
    if (stacked && dialect == Dialect.POSTGRES) {
      // In one round trip, as there is one per message.
      steer("release savepoint waybill; savepoint waybill");
    } else {
      if (stacked) {
        steer("release savepoint waybill");
      }
      steer("savepoint waybill");
    }
    savepoint = true;
  }

  /** Undoes everything since the savepoint, which stays. */
  public void undo() {
    steer("rollback to savepoint waybill");
  }

  /**
   * Fails if the savepoint is gone, because the server ended the transaction under the user's code
   * (a deadlock on MySQL, say) and that code did not let the error pass: what was written before is
   * lost, so nothing may be committed.
   */
  public void requireSavepoint() {
    steer("release savepoint waybill");
    savepoint = false;
  }

  /**
   * Does all of several statements or, if one of them fails, nothing, whatever the caller then does
   * with the transaction. One statement is whole by itself and needs none of this.
   */
  public <T> T wholly(Supplier<T> work) {
    if (whole) {
      return work.get();
    }
    steer("savepoint waybill_whole");
    whole = true;
    try {
      T result = work.get();
      if (dialect != Dialect.MYSQL && dialect != Dialect.MARIADB) {
        // There the next of this name takes its place, which saves a round trip.
        steer("release savepoint waybill_whole");
      }
      return result;
    } catch (RuntimeException | Error e) {
      backOut(e);
      throw e;
    } finally {
      whole = false;
    }
  }

  private void backOut(Throwable because) {
    try {
      steer("rollback to savepoint waybill_whole");
    } catch (DatabaseException gone) {
      // With the connection, or because the server has ended the transaction by itself.
      because.addSuppressed(gone);
    }
  }

  private void steer(String text) {
    try (Statement statement = connection.createStatement()) {
      statement.execute(text);
    } catch (SQLException e) {
      throw failure("Savepoint", e);
    }
  }

  /** The connection, for user code that joins the transaction. */
  public Connection connection() {
    return connection;
  }

  /** Classifies an error of the driver. */
  public DatabaseException failure(String doing, Throwable failure) {
    return SqlFailure.of(dialect, doing, failure);
  }
}

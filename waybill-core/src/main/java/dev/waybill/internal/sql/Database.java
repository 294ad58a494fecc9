package dev.waybill.internal.sql;

import dev.waybill.DatabaseException;
import dev.waybill.TransactionRequiredException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database we run on: where connections come from, what it speaks, and what we call our tables.
 */
public final class Database {
  private static final int LOOKING_SECONDS = 10;

  private final DataSource dataSource;
  private final Dialect dialect;
  private final Naming naming;
  private final Statements statements;
  private final Retry retry;
  private final @Nullable Shelf shelf;
  private final @Nullable WriterLine line;
  private final int patience;

  private Database(
      DataSource dataSource,
      Dialect dialect,
      Naming naming,
      Statements statements,
      Retry retry,
      @Nullable Shelf shelf,
      @Nullable WriterLine line,
      int patience) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.naming = naming;
    this.statements = statements;
    this.retry = retry;
    this.shelf = shelf;
    this.line = line;
    this.patience = patience;
  }

  /**
   * Connects once to find out what the database is and which schema is meant.
   *
   * @param files the catalogue's files to load
   */
  public static Database open(
      DataSource dataSource, Naming naming, List<String> files, Retry retry) {
    try (Connection connection =
        connect(dataSource, e -> SqlFailure.ofAnyDriver("Connecting", e))) {
      Dialect dialect = Dialect.of(connection);
      Naming pinned = dialect.pin(naming, connection);
      return new Database(
          dataSource,
          dialect,
          pinned,
          Statements.load(dialect, pinned, files),
          retry,
          null,
          dialect == Dialect.SQLITE ? new WriterLine() : null,
          0);
    } catch (SQLException e) {
      throw SqlFailure.ofAnyDriver("Finding out what the database is", e);
    }
  }

  /** A pool that is made by its first use says in an unchecked exception that it failed. */
  private static Connection connect(
      DataSource dataSource, Function<Exception, DatabaseException> classified) {
    try {
      return dataSource.getConnection();
    } catch (SQLException | RuntimeException e) {
      throw classified.apply(e);
    }
  }

  /** Borrows a connection and prepares it, or takes one that was kept for that. */
  public Session session() {
    return session(false);
  }

  private Session session(boolean apart) {
    Optional<Session> kept = shelf == null ? Optional.empty() : shelf.take(apart);
    return kept.map(session -> session.under(this)).orElseGet(this::newSession);
  }

  private Session newSession() {
    return Session.over(connect(dataSource, e -> SqlFailure.of(dialect, "Connecting", e)), this);
  }

  /** Whether transactions that write come one after the other, whatever they write. */
  public boolean hasOneWriter() {
    return line != null;
  }

  /** Where writers stand in line; null if the database lets many write at a time. */
  @Nullable WriterLine line() {
    return line;
  }

  @Nullable Shelf shelf() {
    return shelf;
  }

  /** Runs the work in a transaction of its own; see {@link Session#transact}. */
  public <T> T transact(Function<Tx, T> work) {
    try (Session session = session()) {
      return session.transact(work);
    }
  }

  /** Runs one statement in a transaction of its own; see {@link Session#single}. */
  public <T> T single(Function<Tx, T> statement) {
    try (Session session = session()) {
      return session.single(statement);
    }
  }

  /** Runs work whose statements need not stand or fall together; see {@link Session#apart}. */
  public <T> T apart(boolean again, Function<Tx, T> work) {
    try (Session session = session(true)) {
      return session.apart(again, work);
    }
  }

  /**
   * Joins the caller's transaction. The connection is used as it is; only that there is a
   * transaction that can write is checked, because a message enqueued without one could be lost.
   */
  public Tx join(Connection connection) {
    try {
      String wrong =
          connection.isClosed()
              ? "is closed"
              : connection.getAutoCommit()
                  ? "is in auto-commit mode, so there is no transaction to join"
                  : connection.isReadOnly() ? "is read-only" : "";
      if (!wrong.isEmpty()) {
        throw new TransactionRequiredException(
            "The connection given to Waybill "
                + wrong
                + ": call setAutoCommit(false) on an open, writable connection first, and commit"
                + " it when your own work is done.");
      }
      return tx(connection);
    } catch (SQLException e) {
      throw SqlFailure.of(dialect, "Joining the caller's transaction", e);
    }
  }

  Tx tx(Connection connection) {
    return new Tx(connection, dialect, naming, statements, patience);
  }

  Retry retry() {
    return retry;
  }

  /** The same tables with other behaviour on contention. */
  public Database retrying(Retry other) {
    return new Database(dataSource, dialect, naming, statements, other, shelf, line, patience);
  }

  /** The same tables, with sessions kept on this shelf between two uses. */
  public Database keeping(Shelf on) {
    return new Database(dataSource, dialect, naming, statements, retry, on, line, patience);
  }

  /**
   * The same tables for those who only look: a statement of theirs that takes longer than so many
   * seconds is ended by the driver. SQLite has no server to burden, and its driver would take it
   * for the time to wait for a lock.
   */
  public Database patientFor(int seconds) {
    int most = dialect == Dialect.SQLITE ? 0 : seconds;
    return new Database(dataSource, dialect, naming, statements, retry, shelf, line, most);
  }

  /**
   * For operators and their consoles, whose questions are cheap unless the database is not well.
   */
  public Database looking() {
    return patientFor(LOOKING_SECONDS);
  }

  /** What it speaks. */
  public Dialect dialect() {
    return dialect;
  }

  /** Whether a wait for a lock happens in the driver's native code: SQLite has no server. */
  public boolean waitsInNativeCode() {
    return dialect == Dialect.SQLITE;
  }

  /** What its tables are called, with the schema pinned. */
  public Naming naming() {
    return naming;
  }

  /** Its catalogue. */
  public Statements statements() {
    return statements;
  }
}

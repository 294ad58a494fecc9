package dev.waybill.internal.sql;

import dev.waybill.DatabaseException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A transaction in progress: a connection and the statements that may run on it. Whoever opened it
 * ends it; a {@code Tx} over a caller's connection is ended by the caller.
 */
public final class Tx {
  private final Connection connection;
  private final Dialect dialect;
  private final Naming naming;
  private final Statements statements;

  Tx(Connection connection, Dialect dialect, Naming naming, Statements statements) {
    this.connection = connection;
    this.dialect = dialect;
    this.naming = naming;
    this.statements = statements;
  }

  /** A statement of the catalogue. */
  public Query sql(String name) {
    return new Query(connection, dialect, statements.get(name));
  }

  /** A query that is no statement of the catalogue: a cutover's, written with the files' names. */
  public Query query(String text) {
    return new Query(connection, dialect, Sql.compile("of a cutover", text, dialect, naming));
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

  /** The connection, for user code that joins the transaction. */
  public Connection connection() {
    return connection;
  }

  /** Classifies an error of the driver. */
  public DatabaseException failure(String doing, Throwable failure) {
    return SqlFailure.of(dialect, doing, failure);
  }
}

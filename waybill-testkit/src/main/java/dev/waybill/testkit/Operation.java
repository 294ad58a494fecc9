package dev.waybill.testkit;

import java.util.Locale;

/**
 * One call that went through a {@link FaultyDataSource}, whether it then failed or not.
 *
 * @param kind what was called
 * @param connection which connection it was, counted from 1 in the order they were asked for
 * @param sql the text of a statement, those of an unprepared batch joined by semicolons; empty for
 *     the other kinds
 */
public record Operation(Kind kind, int connection, String sql) {
  /**
   * What was called. JDBC has no call that begins a transaction, and commits on its own in
   * auto-commit mode: neither is seen. Savepoints are statements.
   */
  public enum Kind {
    /** A connection was asked for. */
    CONNECT,
    /** A statement or a batch was executed. */
    STATEMENT,
    /** A transaction was committed. */
    COMMIT,
    /** A transaction was rolled back, not only to a savepoint. */
    ROLLBACK,
    /** An open connection was closed. */
    CLOSE
  }

  /** The text of a statement, else the kind in lower case: what a test compares a trace with. */
  public String text() {
    return kind == Kind.STATEMENT ? sql : kind.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String toString() {
    return "#" + connection + " " + text();
  }
}

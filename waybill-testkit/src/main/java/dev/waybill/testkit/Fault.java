package dev.waybill.testkit;

import java.util.function.Predicate;

/**
 * Where a {@link FaultyDataSource} goes wrong: the n-th operation of a kind, counted over all its
 * connections from the moment the fault is armed.
 */
public final class Fault {
  /** On which side of the real call a fault strikes. */
  public enum Moment {
    /** The database never sees the call. */
    BEFORE,
    /** The call took effect; only its answer is lost. */
    AFTER
  }

  private final Operation.Kind kind;
  private final int nth;
  private final Predicate<String> sql;

  private Fault(Operation.Kind kind, int nth, Predicate<String> sql) {
    if (nth < 1) {
      throw new IllegalArgumentException("operations are counted from 1, not " + nth);
    }
    this.kind = kind;
    this.nth = nth;
    this.sql = sql;
  }

  /** At the n-th new connection. */
  public static Fault connect(int nth) {
    return new Fault(Operation.Kind.CONNECT, nth, sql -> true);
  }

  /** At the n-th execution of any statement; a batch is one. */
  public static Fault statement(int nth) {
    return new Fault(Operation.Kind.STATEMENT, nth, sql -> true);
  }

  /** At the first execution of a statement with such a text. */
  public static Fault sql(Predicate<String> text) {
    return sql(1, text);
  }

  /** At the n-th execution of a statement with such a text. */
  public static Fault sql(int nth, Predicate<String> text) {
    return new Fault(Operation.Kind.STATEMENT, nth, text);
  }

  /** At the n-th call of {@link java.sql.Connection#commit}. */
  public static Fault commit(int nth) {
    return new Fault(Operation.Kind.COMMIT, nth, sql -> true);
  }

  /** At the n-th call of {@link java.sql.Connection#rollback()}. */
  public static Fault rollback(int nth) {
    return new Fault(Operation.Kind.ROLLBACK, nth, sql -> true);
  }

  /** At the n-th close of a connection that is still open. */
  public static Fault close(int nth) {
    return new Fault(Operation.Kind.CLOSE, nth, sql -> true);
  }

  boolean matches(Operation operation) {
    return operation.kind() == kind && sql.test(operation.sql());
  }

  int nth() {
    return nth;
  }

  @Override
  public String toString() {
    return kind + " " + nth;
  }
}

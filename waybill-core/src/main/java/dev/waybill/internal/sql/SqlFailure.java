package dev.waybill.internal.sql;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says what an error of a driver means. Looks at SQLSTATE and vendor code of every exception in the
 * chain (causes and next exceptions), outermost first; the first that means something decides.
 */
final class SqlFailure {
  private SqlFailure() {}

  /** The exception to throw for an error of a driver; one that is ours already passes through. */
  static DatabaseException of(Dialect dialect, String doing, Throwable failure) {
    return of(EnumSet.of(dialect), doing, failure);
  }

  /**
   * The same while nobody knows which driver it is. The databases' codes do not overlap where it
   * matters.
   */
  static DatabaseException ofAnyDriver(String doing, Throwable failure) {
    return of(EnumSet.allOf(Dialect.class), doing, failure);
  }

  private static DatabaseException of(Set<Dialect> dialects, String doing, Throwable failure) {
    if (failure instanceof DatabaseException known) {
      return known;
    }
    Kind kind = kindOf(dialects, failure);
    return new DatabaseException(
        kind, doing + ": " + sentence(kind) + " " + detail(failure), failure);
  }

  /** What the error means. */
  static Kind kindOf(Dialect dialect, Throwable failure) {
    return kindOf(EnumSet.of(dialect), failure);
  }

  /** Whether the server itself refused the statement, which then changed nothing. */
  static boolean refusedByMySql(DatabaseException failure) {
    return failure.kind() != Kind.DISCONNECTED
        && chain(failure).stream()
            .anyMatch(each -> each instanceof SQLException e && ErrorCodes.sentByMySql(e));
  }

  /** Whether a privilege is missing. */
  static boolean forbidden(DatabaseException failure) {
    return chain(failure).stream()
        .anyMatch(each -> each instanceof SQLException e && ErrorCodes.forbidden(e));
  }

  /** Whether the server, or the transaction, takes no writes. */
  static boolean readOnly(DatabaseException failure) {
    return chain(failure).stream()
        .anyMatch(each -> each instanceof SQLException e && ErrorCodes.readOnly(e));
  }

  private static Kind kindOf(Set<Dialect> dialects, Throwable failure) {
    for (Throwable each : chain(failure)) {
      Kind kind = judge(dialects, each);
      if (kind != null) {
        return kind;
      }
    }
    return Kind.FATAL;
  }

  private static @Nullable Kind judge(Set<Dialect> dialects, Throwable failure) {
    if (failure instanceof DatabaseException known) {
      return known.kind();
    }
    if (!(failure instanceof SQLException e)) {
      return null;
    }
    for (Dialect dialect : dialects) {
      Kind kind = ErrorCodes.of(dialect, e);
      if (kind != null) {
        return kind;
      }
    }
    return ErrorCodes.standard(e);
  }

  /** Outermost first. Drivers and pools link them at will, even in circles. */
  private static List<Throwable> chain(Throwable failure) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    List<Throwable> chain = new ArrayList<>();
    Deque<Throwable> open = new ArrayDeque<>();
    open.add(failure);
    while (!open.isEmpty()) {
      Throwable each = open.remove();
      if (!seen.add(each)) {
        continue;
      }
      chain.add(each);
      if (each instanceof SQLException e && e.getNextException() != null) {
        open.add(e.getNextException());
      }
      if (each.getCause() != null) {
        open.add(each.getCause());
      }
    }
    return chain;
  }

  private static String sentence(Kind kind) {
    return switch (kind) {
      case DUPLICATE -> "the row exists already.";
      case CONTENTION -> "other transactions were in the way.";
      case DISCONNECTED -> "the database cannot be reached.";
      case FATAL -> "the database refused.";
    };
  }

  private static String detail(Throwable failure) {
    for (Throwable each : chain(failure)) {
      if (each instanceof SQLException e) {
        String state = e.getSQLState() == null ? "" : " SQLSTATE " + e.getSQLState();
        return "("
            + e.getClass().getSimpleName()
            + state
            + " code "
            + e.getErrorCode()
            + ": "
            + e.getMessage()
            + ")";
      }
    }
    return "(" + failure + ")";
  }
}

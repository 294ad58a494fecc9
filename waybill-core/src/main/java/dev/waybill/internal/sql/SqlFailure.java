package dev.waybill.internal.sql;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Says what an error of a driver means. Looks at SQLSTATE and vendor code of every exception in the
 * chain (causes and next exceptions), outermost first; the first that means something decides.
 */
public final class SqlFailure {
  private static final int ER_DUP_KEY = 1022;
  private static final int ER_CHECKREAD = 1020;
  private static final int ER_CON_COUNT = 1040;
  private static final int ER_UNKNOWN_COM = 1047; // Galera: this node is not ready for queries
  private static final int ER_SERVER_SHUTDOWN = 1053;
  private static final int ER_DUP_ENTRY = 1062;
  private static final int ER_ERROR_DURING_COMMIT = 1180; // Galera: certification failed at commit
  private static final int ER_TOO_MANY_USER_CONNECTIONS = 1203;
  private static final int ER_LOCK_WAIT_TIMEOUT = 1205;
  private static final int ER_LOCK_DEADLOCK = 1213;
  private static final int ER_USER_LIMIT_REACHED = 1226;
  private static final int ER_DUP_ENTRY_WITH_KEY_NAME = 1586;
  private static final int ER_XA_RBDEADLOCK = 1614;
  private static final int ER_TOO_MANY_CONCURRENT_TRXS = 1637;
  private static final int ER_CONNECTION_KILLED = 1927;
  private static final int ER_LOCK_NOWAIT = 3572;
  private static final int CR_SERVER_GONE_ERROR = 2006;
  private static final int CR_SERVER_LOST = 2013;

  private static final int SQLITE_BUSY = 5;
  private static final int SQLITE_LOCKED = 6;
  private static final int SQLITE_CANTOPEN = 14;
  private static final int SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
  private static final int SQLITE_CONSTRAINT_UNIQUE = 2067;
  private static final int SQLITE_CONSTRAINT_ROWID = 2579;

  private SqlFailure() {}

  /** The exception to throw for an error of a driver; one that is ours already passes through. */
  public static DatabaseException of(Dialect dialect, String doing, Throwable failure) {
    if (failure instanceof DatabaseException known) {
      return known;
    }
    Kind kind = kindOf(dialect, failure);
    return new DatabaseException(
        kind, doing + ": " + sentence(kind) + " " + detail(failure), failure);
  }

  /** What the error means. */
  public static Kind kindOf(Dialect dialect, Throwable failure) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Throwable> open = new ArrayDeque<>();
    open.add(failure);
    while (!open.isEmpty()) {
      Throwable t = open.remove();
      if (!seen.add(t)) {
        continue;
      }
      if (t instanceof SQLException e) {
        Kind kind = judge(dialect, e);
        if (kind != Kind.FATAL) {
          return kind;
        }
        if (e.getNextException() != null) {
          open.add(e.getNextException());
        }
      }
      if (t.getCause() != null) {
        open.add(t.getCause());
      }
    }
    return Kind.FATAL;
  }

  private static Kind judge(Dialect dialect, SQLException e) {
    Kind byCode =
        switch (dialect) {
          case POSTGRES -> postgres(e);
          case MYSQL, MARIADB -> mysql(e.getErrorCode());
          case SQLITE -> sqlite(e);
        };
    return byCode == Kind.FATAL ? standard(e) : byCode;
  }

  /** What SQLSTATE classes and JDBC's own exception types say, for drivers and pools in between. */
  private static Kind standard(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    if (state.startsWith("08")
        || e instanceof SQLTransientConnectionException
        || e instanceof SQLNonTransientConnectionException
        || e instanceof SQLRecoverableException) {
      return Kind.DISCONNECTED;
    }
    return state.equals("40001") || e instanceof SQLTransactionRollbackException
        ? Kind.CONTENTION
        : Kind.FATAL;
  }

  private static Kind postgres(SQLException e) {
    return switch (e.getSQLState() == null ? "" : e.getSQLState()) {
      case "23505" -> Kind.DUPLICATE;
      // serialization failure, deadlock, lock not available
      case "40001", "40P01", "55P03" -> Kind.CONTENTION;
      // completion unknown, too many connections, shutdown, crash, starting up, database dropped
      case "40003", "53300", "57P01", "57P02", "57P03", "57P04" -> Kind.DISCONNECTED;
      default -> Kind.FATAL;
    };
  }

  private static Kind mysql(int code) {
    return switch (code) {
      case ER_DUP_KEY, ER_DUP_ENTRY, ER_DUP_ENTRY_WITH_KEY_NAME -> Kind.DUPLICATE;
      case ER_CHECKREAD,
          ER_ERROR_DURING_COMMIT,
          ER_LOCK_WAIT_TIMEOUT,
          ER_LOCK_DEADLOCK,
          ER_XA_RBDEADLOCK,
          ER_TOO_MANY_CONCURRENT_TRXS,
          ER_LOCK_NOWAIT ->
          Kind.CONTENTION;
      case ER_CON_COUNT,
          ER_UNKNOWN_COM,
          ER_SERVER_SHUTDOWN,
          ER_TOO_MANY_USER_CONNECTIONS,
          ER_USER_LIMIT_REACHED,
          ER_CONNECTION_KILLED,
          CR_SERVER_GONE_ERROR,
          CR_SERVER_LOST ->
          Kind.DISCONNECTED;
      default -> Kind.FATAL;
    };
  }

  private static Kind sqlite(SQLException e) {
    int code = sqliteCode(e);
    return switch (code) {
      case SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_ROWID ->
          Kind.DUPLICATE;
      default ->
          switch (code & 0xff) {
            case SQLITE_BUSY, SQLITE_LOCKED -> Kind.CONTENTION;
            case SQLITE_CANTOPEN -> Kind.DISCONNECTED;
            default -> Kind.FATAL;
          };
    };
  }

  /**
   * The driver's vendor code is only the low byte, which tells a unique key from no other
   * constraint; the extended code is on its exception type, which the core does not depend on.
   */
  private static int sqliteCode(SQLException e) {
    try {
      Object result = e.getClass().getMethod("getResultCode").invoke(e);
      return result.getClass().getField("code").getInt(result);
    } catch (ReflectiveOperationException notTheDriversOwn) {
      return e.getErrorCode();
    }
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
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof SQLException e) {
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

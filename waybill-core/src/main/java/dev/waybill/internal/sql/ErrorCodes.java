package dev.waybill.internal.sql;

import dev.waybill.DatabaseException.Kind;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import org.jspecify.annotations.Nullable;

/**
 * What the codes of each database mean. A code that is not here says nothing, so that the next
 * exception of the chain is asked.
 */
final class ErrorCodes {
  private static final int ER_CHECKREAD = 1020; // MariaDB: the row changed after the snapshot
  private static final int ER_DUP_KEY = 1022;
  private static final int ER_CON_COUNT = 1040;
  private static final int ER_UNKNOWN_COM = 1047; // Galera: this node is not ready for queries
  private static final int ER_DBACCESS_DENIED_ERROR = 1044;
  private static final int ER_SERVER_SHUTDOWN = 1053;
  private static final int ER_DUP_ENTRY = 1062;
  private static final int ER_TABLEACCESS_DENIED_ERROR = 1142;
  private static final int ER_COLUMNACCESS_DENIED_ERROR = 1143;
  private static final int ER_ERROR_DURING_COMMIT = 1180; // Galera: certification failed at commit
  private static final int ER_TOO_MANY_USER_CONNECTIONS = 1203;
  private static final int ER_LOCK_WAIT_TIMEOUT = 1205;
  private static final int ER_LOCK_DEADLOCK = 1213;
  private static final int ER_USER_LIMIT_REACHED = 1226;
  private static final int ER_SPECIFIC_ACCESS_DENIED_ERROR = 1227;
  private static final int ER_OPTION_PREVENTS_STATEMENT = 1290; // read_only, for one
  private static final int ER_DUP_ENTRY_WITH_KEY_NAME = 1586;
  private static final int ER_XA_RBDEADLOCK = 1614;
  private static final int ER_TOO_MANY_CONCURRENT_TRXS = 1637;
  private static final int ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION = 1792;
  private static final int ER_READ_ONLY_MODE = 1836;
  private static final int ER_CONNECTION_KILLED = 1927;
  private static final int CR_SERVER_GONE_ERROR = 2006;
  private static final int CR_SERVER_LOST = 2013;
  private static final int ER_LOCK_NOWAIT = 3572;
  private static final int ER_CLIENT_INTERACTION_TIMEOUT = 4031;

  private static final int SQLITE_BUSY = 5;
  private static final int SQLITE_LOCKED = 6;
  private static final int SQLITE_READONLY = 8;
  private static final int SQLITE_CANTOPEN = 14;
  private static final int SQLITE_PROTOCOL = 15; // many processes raced for the WAL's locks
  private static final int SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
  private static final int SQLITE_CONSTRAINT_UNIQUE = 2067;
  private static final int SQLITE_CONSTRAINT_ROWID = 2579;
  private static final int SQLITE_LARGEST_PRIMARY_CODE = 101;

  private ErrorCodes() {}

  static @Nullable Kind of(Dialect dialect, SQLException e) {
    return switch (dialect) {
      case POSTGRES -> postgres(state(e));
      case MYSQL, MARIADB -> mysql(e.getErrorCode());
      case SQLITE -> sqlite(e);
    };
  }

  /**
   * Whether the server itself sent this, so that the statement is known to have had no effect. What
   * a driver or pool makes up has a code of the client's range (2000 to 2999) or none.
   */
  static boolean sentByMySql(SQLException e) {
    int code = e.getErrorCode();
    return (code >= 1000 && code < 2000) || code >= 3000;
  }

  /** Whether a privilege is missing. The databases' codes do not overlap here. */
  static boolean forbidden(SQLException e) {
    return switch (e.getErrorCode()) {
      case ER_DBACCESS_DENIED_ERROR,
          ER_TABLEACCESS_DENIED_ERROR,
          ER_COLUMNACCESS_DENIED_ERROR,
          ER_SPECIFIC_ACCESS_DENIED_ERROR ->
          true;
      default -> state(e).equals("42501");
    };
  }

  /** Whether nothing can be written there. The databases' codes do not overlap here, either. */
  static boolean readOnly(SQLException e) {
    return switch (e.getErrorCode()) {
      case ER_OPTION_PREVENTS_STATEMENT,
          ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION,
          ER_READ_ONLY_MODE,
          SQLITE_READONLY ->
          true;
      default -> state(e).equals("25006");
    };
  }

  /** What SQLSTATE classes and JDBC's own exception types say, for drivers and pools in between. */
  static @Nullable Kind standard(SQLException e) {
    String state = state(e);
    if (state.startsWith("08")) {
      return Kind.DISCONNECTED;
    }
    if (state.startsWith("28") || state.startsWith("3D") || state.startsWith("42")) {
      // Wrong password, no such database, no rights: a pool that gives up on them calls its own
      // exception transient, but passes the state on.
      return Kind.FATAL;
    }
    if (e instanceof SQLTransientConnectionException
        || e instanceof SQLNonTransientConnectionException
        || e instanceof SQLRecoverableException) {
      return Kind.DISCONNECTED;
    }
    return state.equals("40001") || e instanceof SQLTransactionRollbackException
        ? Kind.CONTENTION
        : null;
  }

  private static String state(SQLException e) {
    return e.getSQLState() == null ? "" : e.getSQLState();
  }

  private static @Nullable Kind postgres(String state) {
    return switch (state) {
      case "23505" -> Kind.DUPLICATE;
      // serialization failure, deadlock, lock not available
      case "40001", "40P01", "55P03" -> Kind.CONTENTION;
      // completion unknown, too many connections, shutdown, crash, starting up, database dropped
      case "40003", "53300", "57P01", "57P02", "57P03", "57P04" -> Kind.DISCONNECTED;
      // ended by the server: idle in a transaction, transaction too long, idle
      case "25P03", "25P04", "57P05" -> Kind.DISCONNECTED;
      default -> null;
    };
  }

  private static @Nullable Kind mysql(int code) {
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
          ER_CLIENT_INTERACTION_TIMEOUT,
          CR_SERVER_GONE_ERROR,
          CR_SERVER_LOST ->
          Kind.DISCONNECTED;
      default -> null;
    };
  }

  private static @Nullable Kind sqlite(SQLException e) {
    int code = sqliteCode(e);
    return switch (code) {
      case SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_ROWID ->
          Kind.DUPLICATE;
      default ->
          switch (code & 0xff) {
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL -> Kind.CONTENTION;
            case SQLITE_CANTOPEN -> Kind.DISCONNECTED;
            default -> null;
          };
    };
  }

  /**
   * The driver's vendor code is only the low byte, which tells a unique key from no other
   * constraint; the extended code is on its exception type, which the core does not depend on. A
   * larger vendor code is another database's.
   */
  private static int sqliteCode(SQLException e) {
    try {
      Object result = e.getClass().getMethod("getResultCode").invoke(e);
      return result.getClass().getField("code").getInt(result);
    } catch (ReflectiveOperationException notTheDriversOwn) {
      return e.getErrorCode() <= SQLITE_LARGEST_PRIMARY_CODE ? e.getErrorCode() : 0;
    }
  }
}

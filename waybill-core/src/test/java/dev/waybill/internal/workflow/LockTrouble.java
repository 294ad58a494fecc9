package dev.waybill.internal.workflow;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Notes every deadlock and every lock that was waited for in vain, also those after which somebody
 * tries again and nobody else would hear of them.
 */
final class LockTrouble {
  /** Of PostgreSQL: deadlock, a changed row under a snapshot, no lock. */
  private static final Set<String> STATES = Set.of("40P01", "40001", "55P03");

  /** Of MySQL and MariaDB: deadlock, waited too long. */
  private static final Set<Integer> CODES = Set.of(1213, 1205, 1614, 3572);

  private final Queue<String> seen = new ConcurrentLinkedQueue<>();

  DataSource on(DataSource real) {
    return watched(DataSource.class, real, "");
  }

  List<String> seen() {
    return List.copyOf(seen);
  }

  private <T> T watched(Class<T> type, T real, String sql) {
    return type.cast(
        Proxy.newProxyInstance(
            LockTrouble.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              String text =
                  arguments != null && arguments.length > 0 && arguments[0] instanceof String own
                      ? own
                      : sql;
              try {
                Object made = method.invoke(real, arguments);
                return method.getName().equals("unwrap") ? made : watched(made, text);
              } catch (InvocationTargetException e) {
                note(e.getCause(), text);
                throw e.getCause() == null ? e : e.getCause();
              }
            }));
  }

  private @Nullable Object watched(@Nullable Object made, String sql) {
    if (made instanceof Connection connection) {
      return watched(Connection.class, connection, sql);
    }
    if (made instanceof PreparedStatement statement) {
      return watched(PreparedStatement.class, statement, sql);
    }
    return made instanceof Statement statement ? watched(Statement.class, statement, sql) : made;
  }

  private void note(@Nullable Throwable thrown, String sql) {
    if (thrown instanceof SQLException trouble
        && (STATES.contains(String.valueOf(trouble.getSQLState()))
            || CODES.contains(trouble.getErrorCode()))) {
      seen.add(trouble.getSQLState() + " " + trouble.getMessage() + " at " + sql);
    }
  }
}

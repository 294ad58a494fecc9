package dev.waybill.internal.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/**
 * The connection as a handler gets it: everything but ending the transaction, which would store its
 * writes without the cursor.
 */
final class GuardedConnection {
  private static final Set<String> FORBIDDEN =
      Set.of("commit", "rollback", "setAutoCommit", "close", "abort", "setTransactionIsolation");

  private GuardedConnection() {}

  static Connection of(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            GuardedConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              boolean toSavepoint = method.getName().equals("rollback") && arguments != null;
              if (FORBIDDEN.contains(method.getName()) && !toSavepoint) {
                throw new SQLException(
                    "A transactional handler must not call "
                        + method.getName()
                        + " on its connection: Waybill ends the transaction together with the"
                        + " cursor. Return a result instead.");
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}

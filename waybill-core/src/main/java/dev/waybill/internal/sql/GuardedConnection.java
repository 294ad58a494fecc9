package dev.waybill.internal.sql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/**
 * The connection of a transaction of ours as a user's code gets it: everything but ending the
 * transaction, which would store its writes without ours.
 */
public final class GuardedConnection {
  private static final Set<String> FORBIDDEN =
      Set.of("commit", "rollback", "setAutoCommit", "close", "abort", "setTransactionIsolation");

  private GuardedConnection() {}

  /** Around a connection of ours. */
  public static Connection of(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            GuardedConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              boolean toSavepoint = method.getName().equals("rollback") && arguments != null;
              if (FORBIDDEN.contains(method.getName()) && !toSavepoint) {
                throw new SQLException(
                    method.getName()
                        + " must not be called on this connection: Waybill ends the transaction"
                        + " together with what it has to write itself. Return a result instead.");
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}

package dev.waybill.bench.measure;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections whose calls are counted; put below a pool, so that the pool's own calls count too.
 */
public final class CountingDataSource {
  private static final Set<String> EXECUTIONS =
      Set.of("execute", "executeQuery", "executeUpdate", "executeLargeUpdate");
  private static final Set<String> BATCHES = Set.of("executeBatch", "executeLargeBatch");

  private CountingDataSource() {}

  /**
   * Counts what goes through this source.
   *
   * @param beginCosts whether leaving auto-commit mode is a round trip with this driver
   */
  public static DataSource over(DataSource source, Calls calls, boolean beginCosts) {
    return proxy(
        DataSource.class,
        source,
        (method, result) ->
            result instanceof Connection connection
                ? connection(connection, calls, beginCosts)
                : result);
  }

  private static Connection connection(Connection connection, Calls calls, boolean beginCosts) {
    Session session = new Session(calls, beginCosts);
    return (Connection)
        Proxy.newProxyInstance(
            CountingDataSource.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              session.before(method.getName(), args);
              Object result = invoke(connection, method, args);
              boolean ends = args != null && args.length > 0 && endsTransaction(args[0]);
              return result instanceof Statement statement
                  ? statement(statement, method.getReturnType(), session, ends)
                  : result;
            });
  }

  /** Whether the commit goes with the statement. */
  private static boolean endsTransaction(Object sql) {
    return sql instanceof String text && text.endsWith("; commit");
  }

  private static Object statement(
      Statement statement, Class<?> type, Session session, boolean ends) {
    int[] batched = {0};
    return Proxy.newProxyInstance(
        CountingDataSource.class.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, args) -> {
          String name = method.getName();
          if (name.equals("addBatch")) {
            batched[0]++;
          } else if (EXECUTIONS.contains(name)) {
            session.executed(1);
            if (ends) {
              session.committedAlong();
            }
          } else if (BATCHES.contains(name)) {
            session.executed(batched[0]);
            batched[0] = 0;
          }
          return invoke(statement, method, args);
        });
  }

  private static <T> T proxy(Class<T> type, Object target, After after) {
    InvocationHandler handler =
        (proxy, method, args) -> after.call(method, invoke(target, method, args));
    return type.cast(
        Proxy.newProxyInstance(
            CountingDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] args)
      throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  private interface After {
    @Nullable Object call(Method method, @Nullable Object result);
  }

  /** One connection's state, as far as counting needs it. Used by one thread at a time. */
  private static final class Session {
    private final Calls calls;
    private final boolean beginCosts;
    private boolean autoCommit = true;
    private boolean dirty;

    Session(Calls calls, boolean beginCosts) {
      this.calls = calls;
      this.beginCosts = beginCosts;
    }

    void executed(int statements) {
      calls.statements(statements);
      if (autoCommit) {
        calls.commit();
      } else {
        dirty = true;
      }
    }

    /** A commit, but no round trip of its own. */
    void committedAlong() {
      dirty = false;
      calls.commit();
    }

    void before(String method, Object @Nullable [] args) {
      switch (method) {
        case "commit" -> end(true);
        case "rollback" -> end(false);
        case "setAutoCommit" -> {
          boolean wanted = args != null && Boolean.TRUE.equals(args[0]);
          if (wanted != autoCommit && beginCosts) {
            calls.roundTrip();
          }
          if (wanted && dirty) {
            end(true);
          }
          autoCommit = wanted;
        }
        case "isValid", "setTransactionIsolation", "setSavepoint", "releaseSavepoint" ->
            calls.roundTrip();
        default -> {}
      }
    }

    private void end(boolean committed) {
      if (!dirty) {
        return;
      }
      dirty = false;
      calls.roundTrip();
      if (committed) {
        calls.commit();
      }
    }
  }
}

package dev.waybill.console;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Remembers what the console's threads ask the database, and can keep it from answering. */
final class WatchedDataSource {
  /** The queries of the console's threads; not what begins, ends or tunes a transaction. */
  final List<String> queries = new CopyOnWriteArrayList<>();

  /** Whether none of them is answered. */
  volatile boolean down;

  private final DataSource inner;

  WatchedDataSource(DataSource inner) {
    this.inner = inner;
  }

  DataSource dataSource() {
    return watched(DataSource.class, inner, "");
  }

  private <T> T watched(Class<T> type, Object target, String sql) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> call(target, method, arguments, sql)));
  }

  private @Nullable Object call(
      Object target, Method method, Object @Nullable [] arguments, String sql) throws Throwable {
    String name = method.getName();
    String given =
        arguments != null && arguments.length > 0 && arguments[0] instanceof String text
            ? text
            : sql;
    if (target instanceof Statement && name.startsWith("execute") && isQueryOfConsole(given)) {
      queries.add(given);
      if (down) {
        throw new SQLException("gone away", "08006");
      }
    }
    Object result;
    try {
      result = method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    if (result instanceof Connection connection) {
      return watched(Connection.class, connection, "");
    }
    if (result instanceof Statement && Statement.class.isAssignableFrom(method.getReturnType())) {
      return watched(method.getReturnType(), result, given);
    }
    return result;
  }

  private static boolean isQueryOfConsole(String sql) {
    String start = sql.strip().toLowerCase(Locale.ROOT);
    return Thread.currentThread().getName().startsWith("waybill-console")
        && (start.startsWith("select") || start.startsWith("with"));
  }
}

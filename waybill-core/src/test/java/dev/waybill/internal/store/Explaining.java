package dev.waybill.internal.store;

import dev.waybill.testkit.DatabaseProduct;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/** A source of connections that asks for the plan of each statement, with its values, first. */
final class Explaining {
  private final DataSource real;
  private final String explain;
  private final boolean counts;
  private final Map<String, List<String>> plans = new ConcurrentHashMap<>();
  private final Map<String, Long> reads = new ConcurrentHashMap<>();

  Explaining(DataSource real, DatabaseProduct product) {
    this.real = real;
    this.counts = product == DatabaseProduct.MYSQL || product == DatabaseProduct.MARIADB;
    this.explain = product == DatabaseProduct.SQLITE ? "explain query plan " : "explain ";
  }

  /** How many rows each statement went over. */
  Map<String, Long> reads() {
    return reads;
  }

  /** The lines of each statement's plan, columns separated by bars. */
  Map<String, List<String>> plans() {
    return plans;
  }

  DataSource source() {
    return proxy(
        DataSource.class,
        (self, method, args) -> {
          Object result = call(real, method, args);
          return method.getName().equals("getConnection") ? over((Connection) result) : result;
        });
  }

  private Connection over(Connection connection) {
    return proxy(
        Connection.class,
        (self, method, args) -> {
          Object result = call(connection, method, args);
          return method.getName().equals("prepareStatement")
              ? over(connection, (PreparedStatement) result, (String) args[0])
              : result;
        });
  }

  private PreparedStatement over(Connection connection, PreparedStatement statement, String sql) {
    List<Method> setters = new ArrayList<>();
    List<Object[]> values = new ArrayList<>();
    return proxy(
        PreparedStatement.class,
        (self, method, args) -> {
          if (method.getName().startsWith("set") && args != null && args.length > 1) {
            setters.add(method);
            values.add(args);
          }
          if (!method.getName().startsWith("execute")) {
            return call(statement, method, args);
          }
          if (!sql.matches("(?s)(lock|truncate) .*")) {
            plans.put(sql, explain(connection, sql, setters, values));
          }
          long before = rowsRead(connection);
          Object result = call(statement, method, args);
          reads.put(sql, rowsRead(connection) - before);
          return result;
        });
  }

  private List<String> explain(
      Connection connection, String sql, List<Method> setters, List<Object[]> values)
      throws Throwable {
    List<String> lines = new ArrayList<>();
    String alone = explain + sql.replaceFirst("; commit$", "");
    try (PreparedStatement ask = connection.prepareStatement(alone)) {
      for (int i = 0; i < setters.size(); i++) {
        call(ask, setters.get(i), values.get(i));
      }
      try (ResultSet rows = ask.executeQuery()) {
        while (rows.next()) {
          lines.add(line(rows));
        }
      }
    }
    return lines;
  }

  /** By this session so far; only MySQL and MariaDB can say. */
  private long rowsRead(Connection connection) throws SQLException {
    long sum = 0;
    if (counts) {
      try (Statement ask = connection.createStatement();
          ResultSet rows = ask.executeQuery("show session status like 'Handler_read%next'")) {
        while (rows.next()) {
          sum += rows.getLong(2);
        }
      }
    }
    return sum;
  }

  private static String line(ResultSet rows) throws SQLException {
    List<String> columns = new ArrayList<>();
    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
      columns.add(rows.getMetaData().getColumnLabel(i) + "=" + rows.getString(i));
    }
    return String.join("|", columns);
  }

  private static Object call(Object target, Method method, Object[] args) throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(Explaining.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}

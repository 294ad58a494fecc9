package dev.waybill.internal.schema;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Data sources that a test needs besides those of the testkit. */
final class Sources {
  private Sources() {}

  /** Where a connection comes from. */
  interface Connecting {
    Connection connect() throws SQLException;
  }

  static DataSource of(Connecting connecting) {
    return (DataSource)
        Proxy.newProxyInstance(
            Sources.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, args) -> {
              if (method.getName().equals("getConnection") && args == null) {
                return connecting.connect();
              }
              try {
                return method.invoke(connecting, args);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }

  static DataSource of(String url, String user, String password) {
    return of(() -> DriverManager.getConnection(url, user, password));
  }

  /** Every connection but the first ones runs a statement before it is handed out. */
  static DataSource preparedBy(DataSource real, String sql, int firstOnesWithout) {
    AtomicInteger number = new AtomicInteger();
    return of(
        () -> {
          Connection connection = real.getConnection();
          if (number.incrementAndGet() > firstOnesWithout) {
            try (Statement statement = connection.createStatement()) {
              statement.execute(sql);
            }
          }
          return connection;
        });
  }
}

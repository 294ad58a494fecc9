package dev.waybill.internal.sql;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.TestDatabase;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import javax.sql.DataSource;

/** Sources of connections that the testkit has not. */
final class Sources {
  private Sources() {}

  /** Of connections to the URL, which is also what its {@code toString} gives. */
  static DataSource of(String url, String user, String password) {
    return proxy(
        DataSource.class,
        (self, method, args) ->
            switch (method.getName()) {
              case "getConnection" -> DriverManager.getConnection(url, user, password);
              case "toString" -> url;
              case "hashCode" -> System.identityHashCode(self);
              case "getLoginTimeout" -> 0;
              case "setLoginTimeout" -> null;
              default -> throw new UnsupportedOperationException(method.getName());
            });
  }

  /** Through each driver that speaks to the database. */
  static List<DataSource> throughEachDriver(TestDatabase database) {
    DataSource own = of(database.url(), database.user(), database.password());
    return switch (database.product()) {
      case MYSQL, MARIADB -> List.of(own, throughTheOtherDriver(database));
      case POSTGRESQL, SQLITE -> List.of(own);
    };
  }

  /** MariaDB through MySQL's driver and the other way round. */
  static DataSource throughTheOtherDriver(TestDatabase database) {
    String address = database.url().replaceFirst("jdbc:\\w+:", "").replaceFirst("\\?.*", "");
    String other =
        database.product() == DatabaseProduct.MYSQL
            ? "jdbc:mariadb:" + address + "?allowPublicKeyRetrieval=true"
            : "jdbc:mysql:" + address + "?allowPublicKeyRetrieval=true";
    return of(other, database.user(), database.password());
  }

  /** SQLite as its driver opens it when the URL asks for nothing. */
  static DataSource withoutParameters(TestDatabase database) {
    return of(database.url().replaceFirst("\\?.*", ""), database.user(), database.password());
  }

  /** As a careless pool lends a connection: what its user leaves behind stays. */
  static Connection neverClosed(Connection connection) {
    return proxy(
        Connection.class,
        (self, method, args) -> {
          if (method.getName().equals("close")) {
            return null;
          }
          try {
            return method.invoke(connection, args);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(Sources.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}

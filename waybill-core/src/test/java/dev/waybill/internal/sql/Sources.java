package dev.waybill.internal.sql;

import com.mysql.cj.jdbc.MysqlDataSource;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.sqlite.SQLiteDataSource;

/** The drivers' own data sources, and the same database through another driver. */
final class Sources {
  private Sources() {}

  static DataSource of(String url, String user, String password) throws SQLException {
    if (url.startsWith("jdbc:postgresql:")) {
      var source = new PGSimpleDataSource();
      source.setUrl(url);
      source.setUser(user);
      source.setPassword(password);
      return source;
    }
    if (url.startsWith("jdbc:mysql:")) {
      var source = new MysqlDataSource();
      source.setUrl(url);
      source.setUser(user);
      source.setPassword(password);
      return source;
    }
    if (url.startsWith("jdbc:mariadb:")) {
      var source = new MariaDbDataSource(url);
      source.setUser(user);
      source.setPassword(password);
      return source;
    }
    var source = new SQLiteDataSource();
    source.setUrl(url);
    return source;
  }

  /** Through each driver that speaks to the database. */
  static List<DataSource> throughEachDriver(TestDatabase database) throws SQLException {
    DataSource own = of(database.url(), database.user(), database.password());
    return switch (database.product()) {
      case MYSQL, MARIADB -> List.of(own, throughTheOtherDriver(database));
      case POSTGRESQL, SQLITE -> List.of(own);
    };
  }

  /** MariaDB through MySQL's driver and the other way round. */
  static DataSource throughTheOtherDriver(TestDatabase database) throws SQLException {
    String address = database.url().replaceFirst("jdbc:\\w+:", "").replaceFirst("\\?.*", "");
    String other =
        database.product() == DatabaseProduct.MYSQL
            ? "jdbc:mariadb:" + address + "?allowPublicKeyRetrieval=true"
            : "jdbc:mysql:" + address + "?allowPublicKeyRetrieval=true";
    return of(other, database.user(), database.password());
  }

  /** SQLite as its driver opens it when the URL asks for nothing. */
  static DataSource withoutParameters(TestDatabase database) throws SQLException {
    return of(database.url().replaceFirst("\\?.*", ""), database.user(), database.password());
  }

  /** As a careless pool lends a connection: what its user leaves behind stays. */
  static Connection neverClosed(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            Sources.class.getClassLoader(),
            new Class<?>[] {Connection.class},
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
}

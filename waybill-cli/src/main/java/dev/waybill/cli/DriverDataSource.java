package dev.waybill.cli;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** New connections from the drivers on the class path; a command needs no pool. */
final class DriverDataSource implements DataSource {
  private static final int LOGIN_SECONDS = 10;

  private final String url;
  private final Properties properties = new Properties();

  DriverDataSource(String url, @Nullable String user, @Nullable String password) {
    this.url = ownName(url);
    if (user != null) {
      properties.setProperty("user", user);
    }
    if (password != null) {
      properties.setProperty("password", password);
    }
  }

  /** The driver we ship speaks to MySQL too, but only under its own name. */
  private static String ownName(String url) {
    return url.startsWith("jdbc:mysql:") ? "jdbc:mariadb:" + url.substring(11) : url;
  }

  static boolean knows(String url) {
    return DriverManager.drivers()
        .anyMatch(
            driver -> {
              try {
                return driver.acceptsURL(ownName(url));
              } catch (SQLException malformed) {
                return false;
              }
            });
  }

  @Override
  public Connection getConnection() throws SQLException {
    DriverManager.setLoginTimeout(LOGIN_SECONDS);
    return DriverManager.getConnection(url, properties);
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return DriverManager.getConnection(url, user, password);
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
    throw new SQLFeatureNotSupportedException("setLogWriter");
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    throw new SQLFeatureNotSupportedException("setLoginTimeout");
  }

  @Override
  public int getLoginTimeout() {
    return LOGIN_SECONDS;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("getParentLogger");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("Wraps nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}

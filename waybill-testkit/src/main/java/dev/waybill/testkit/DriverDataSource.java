package dev.waybill.testkit;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The plainest source of connections, the same for all drivers. */
final class DriverDataSource implements DataSource {

  private final DatabaseAddress address;

  DriverDataSource(DatabaseAddress address) {
    this.address = address;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return address.connect();
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return DriverManager.getConnection(address.url(), user, password);
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("Drivers log as they like");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (!type.isInstance(this)) {
      throw new SQLException("Not a " + type.getName());
    }
    return type.cast(this);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return type.isInstance(this);
  }

  @Override
  public String toString() {
    return address.url();
  }
}

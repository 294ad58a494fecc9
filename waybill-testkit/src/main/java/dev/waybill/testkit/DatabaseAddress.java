package dev.waybill.testkit;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/** One database and how to log in to it. */
record DatabaseAddress(DatabaseProduct product, String url, String user, String password) {

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url, user, password);
  }

  /** For a server that may accept a connection and then say nothing. */
  Connection connectWithin(Duration patience) throws SQLException {
    long limit = product == DatabaseProduct.POSTGRESQL ? patience.toSeconds() : patience.toMillis();
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    properties.setProperty("connectTimeout", Long.toString(limit));
    properties.setProperty("socketTimeout", Long.toString(limit));
    return DriverManager.getConnection(url, properties);
  }
}

package dev.waybill.testkit;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** One database and how to log in to it. */
record DatabaseAddress(DatabaseProduct product, String url, String user, String password) {

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url, user, password);
  }
}

package dev.waybill.bench.load;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** What a producer does in its transaction besides sending. */
@FunctionalInterface
public interface Business {
  /** Nothing. */
  Business NONE = connection -> {};

  /** One row in a table of the application. */
  Business ONE_ROW = Business::insertOrder;

  /** Does it, in the transaction of this connection. */
  void doIn(Connection connection) throws SQLException;

  /** Makes the application's table. */
  static void createTable(Connection connection, String identity) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "create table customer_order (id " + identity + ", note varchar(100) not null)");
    }
  }

  private static void insertOrder(Connection connection) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("insert into customer_order (note) values (?)")) {
      insert.setString(1, "two boxes, to be called for");
      insert.executeUpdate();
    }
  }
}

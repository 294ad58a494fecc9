package dev.waybill.cli.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The service's own tables: what a real one would have anyway. */
final class Shop {
  private Shop() {}

  static void createTables(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("drop table if exists demo_orders");
      statement.execute("drop table if exists demo_ledger");
      statement.execute("drop table if exists demo_mails");
      statement.execute(
          "create table demo_orders (id varchar(60) primary key, customer varchar(20) not null,"
              + " cents bigint not null, mail integer not null)");
      // No key: it would hide a second entry for the same order, which is to be seen.
      statement.execute(
          "create table demo_ledger (order_id varchar(60) not null, cents bigint not null)");
      statement.execute("create table demo_mails (order_id varchar(60) not null)");
    }
  }

  static void insertOrder(Connection connection, Order order) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "insert into demo_orders (id, customer, cents, mail) values (?, ?, ?, ?)")) {
      insert.setString(1, order.id());
      insert.setString(2, order.customer());
      insert.setLong(3, order.cents());
      insert.setInt(4, order.wantsMail() ? 1 : 0);
      insert.executeUpdate();
    }
  }

  static void noteMail(Connection connection, String order) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("insert into demo_mails (order_id) values (?)")) {
      insert.setString(1, order);
      insert.executeUpdate();
    }
  }

  static void enterIntoLedger(Connection connection, Order order) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("insert into demo_ledger (order_id, cents) values (?, ?)")) {
      insert.setString(1, order.id());
      insert.setLong(2, order.cents());
      insert.executeUpdate();
    }
  }

  /** An order; as text {@code id customer cents}. */
  record Order(String id, String customer, long cents) {
    static Order parse(String text) {
      String[] words = text.split(" ", -1);
      return new Order(words[0], words[1], Long.parseLong(words[2]));
    }

    /** One customer in ten asks for a confirmation. */
    boolean wantsMail() {
      return cents % 10 == 0;
    }

    String text() {
      return id + " " + customer + " " + cents;
    }
  }
}

package dev.waybill.testkit;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Creates and drops databases on a server. */
final class ServerHost implements DatabaseHost {

  private final String label;
  private final ServerAddress server;

  ServerHost(String label, ServerAddress server) {
    this.label = label;
    this.server = server;
  }

  @Override
  public TestDatabase create() {
    String name =
        "waybill_" + Long.toString(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE), 36);
    asAdmin(
        statement ->
            statement.execute(
                server.product() == DatabaseProduct.POSTGRESQL
                    ? "create database " + name
                    : "create database " + name + " character set utf8mb4"));
    return new TestDatabase(this, label, name, server.database(name));
  }

  @Override
  public void drop(String name) {
    asAdmin(
        statement -> {
          if (server.product() == DatabaseProduct.POSTGRESQL) {
            statement.execute("drop database if exists " + name + " with (force)");
          } else {
            endSessions(statement, name);
            statement.execute("drop database if exists " + name);
          }
        });
  }

  /** A connection that a test forgot would make the drop wait for its locks. */
  private static void endSessions(Statement statement, String name) throws SQLException {
    List<Long> sessions = new ArrayList<>();
    try (ResultSet rows =
        statement.executeQuery(
            "select id from information_schema.processlist where db = '" + name + "'")) {
      while (rows.next()) {
        sessions.add(rows.getLong(1));
      }
    }
    for (long session : sessions) {
      try {
        statement.execute("kill " + session);
      } catch (SQLException alreadyGone) {
        if (alreadyGone.getErrorCode() != 1094) {
          throw alreadyGone;
        }
      }
    }
  }

  private void asAdmin(Work work) {
    try (Connection connection = server.admin().connect();
        Statement statement = connection.createStatement()) {
      work.with(statement);
    } catch (SQLException e) {
      throw new IllegalStateException(label + " at " + server.hostAndPort() + ": " + e, e);
    }
  }

  private interface Work {
    void with(Statement statement) throws SQLException;
  }
}

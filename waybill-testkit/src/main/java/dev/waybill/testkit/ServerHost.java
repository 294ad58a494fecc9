package dev.waybill.testkit;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Creates and drops databases on a server. */
final class ServerHost implements DatabaseHost {

  /** Whose server it is decides how much to tidy up. */
  enum Owner {
    /** Leave nothing behind. */
    USER,
    /** Gone with the build: a database may be made before it is asked for. */
    BUILD,
    /** Gone with the test, which may have killed it: nothing to drop. */
    TEST
  }

  private final Owner owner;
  private final String label;
  private final ServerAddress server;
  private @Nullable CompletableFuture<String> spare;
  private final Map<Preparation, Deque<PreparedDatabase>> idle = new HashMap<>();
  private final Map<String, Lent> lent = new HashMap<>();

  private record Lent(PreparedDatabase database, Deque<PreparedDatabase> goesTo) {}

  ServerHost(Owner owner, String label, ServerAddress server) {
    this.owner = owner;
    this.label = label;
    this.server = server;
  }

  @Override
  public TestDatabase create() {
    boolean keepsSpare = owner == Owner.BUILD && server.product() == DatabaseProduct.POSTGRESQL;
    String name = keepsSpare ? takeSpare() : createNow();
    return new TestDatabase(this, label, name, server.database(name));
  }

  /** On a server of the build they stay, and go from test to test. */
  @Override
  public synchronized TestDatabase create(Preparation preparation) {
    if (owner != Owner.BUILD) {
      TestDatabase database = create();
      preparation.prepare(database);
      return database;
    }
    Deque<PreparedDatabase> ready = idle.computeIfAbsent(preparation, any -> new ArrayDeque<>());
    PreparedDatabase database = ready.poll();
    if (database == null) {
      database = prepare(preparation);
    }
    String name = database.name();
    lent.put(name, new Lent(database, ready));
    return new TestDatabase(this, label, name, server.database(name));
  }

  private PreparedDatabase prepare(Preparation preparation) {
    TestDatabase database = create();
    preparation.prepare(database);
    try {
      return new PreparedDatabase(database.name(), server.database(database.name()));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private synchronized @Nullable Lent takeBack(String name) {
    return lent.remove(name);
  }

  private void restore(Lent back) {
    try {
      back.database().restore();
    } catch (SQLException e) {
      throw new IllegalStateException("Cannot restore " + back.database().name() + ": " + e, e);
    }
    synchronized (this) {
      back.goesTo().push(back.database());
    }
  }

  /**
   * PostgreSQL copies three hundred files for a new database, which takes a tenth of a second. So
   * the next one is made while the tests use this one.
   */
  private synchronized String takeSpare() {
    CompletableFuture<String> prepared = spare;
    spare = null;
    String name = prepared == null ? createNow() : prepared.join();
    spare = CompletableFuture.supplyAsync(this::createNow, ServerHost::inBackground);
    return name;
  }

  private static void inBackground(Runnable work) {
    Thread thread = new Thread(work, "spare-database");
    thread.setDaemon(true);
    thread.start();
  }

  private String createNow() {
    String name =
        "waybill_" + Long.toString(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE), 36);
    asAdmin(
        statement ->
            statement.execute(
                server.product() == DatabaseProduct.POSTGRESQL
                    ? "create database " + name
                    : "create database " + name + " character set utf8mb4"));
    return name;
  }

  @Override
  public void drop(String name) {
    if (owner == Owner.TEST) {
      return;
    }
    Lent back = takeBack(name);
    if (back != null) {
      asAdmin(statement -> endSessions(statement, name));
      restore(back);
      return;
    }
    asAdmin(
        statement -> {
          if (server.product() == DatabaseProduct.POSTGRESQL) {
            statement.execute("drop database if exists " + name + " with (force)");
          } else {
            killSessions(statement, name);
            statement.execute("drop database if exists " + name);
          }
        });
  }

  @Override
  public boolean isUsers() {
    return owner == Owner.USER;
  }

  /** A connection that a test forgot holds locks. */
  private void endSessions(Statement statement, String name) throws SQLException {
    if (server.product() == DatabaseProduct.POSTGRESQL) {
      statement.execute(
          "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '"
              + name
              + "'");
    } else {
      killSessions(statement, name);
    }
  }

  private static void killSessions(Statement statement, String name) throws SQLException {
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

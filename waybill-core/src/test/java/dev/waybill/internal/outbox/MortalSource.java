package dev.waybill.internal.outbox;

import dev.waybill.testkit.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import javax.sql.DataSource;

/**
 * The connections of a process that can die: then those it has break, their transactions are rolled
 * back, and it gets no more. Connections that it gave back are used again, by any process.
 */
final class MortalSource {
  /** Connections that nobody uses. */
  static final class Pool implements AutoCloseable {
    private final TestDatabase database;
    private final Deque<Connection> idle = new ArrayDeque<>();

    Pool(TestDatabase database) {
      this.database = database;
    }

    @Override
    public void close() throws SQLException {
      for (Connection each : idle) {
        each.close();
      }
    }
  }

  private final Pool pool;
  private final Set<Connection> used = new HashSet<>();
  private boolean dead;

  MortalSource(Pool pool) {
    this.pool = pool;
  }

  /** A process that is killed says nothing, neither to the database nor to anybody else. */
  void die() throws SQLException {
    dead = true;
    for (Connection each : Set.copyOf(used)) {
      each.close();
    }
    used.clear();
  }

  boolean isDead() {
    return dead;
  }

  DataSource source() {
    return proxy(
        DataSource.class,
        (self, method, args) -> {
          if (!method.getName().equals("getConnection")) {
            throw new UnsupportedOperationException(method.getName());
          }
          return connect();
        });
  }

  private Connection connect() throws SQLException {
    if (dead) {
      throw new SQLException("this process is dead", "08003");
    }
    Connection free = pool.idle.poll();
    Connection real = free == null ? pool.database.connect() : free;
    used.add(real);
    return proxy(
        Connection.class,
        (self, method, args) -> {
          if (method.getName().equals("close")) {
            giveBack(real);
            return null;
          }
          try {
            return method.invoke(real, args);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  private void giveBack(Connection real) throws SQLException {
    if (!used.remove(real) || real.isClosed()) {
      return;
    }
    boolean clean =
        switch (pool.database.product()) {
          // Its transactions do not show in JDBC.
          case SQLITE -> false;
          case POSTGRESQL, MYSQL, MARIADB -> real.getAutoCommit();
        };
    if (clean) {
      pool.idle.add(real);
    } else {
      real.close();
    }
  }

  private static <T> T proxy(Class<T> type, java.lang.reflect.InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            MortalSource.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}

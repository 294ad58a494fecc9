package dev.waybill.internal.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * A source of connections that stop when they are about to commit: all the work is done, all the
 * locks are held, nobody sees any of it. Also where a statement commits by itself; for that case
 * the transaction is made an explicit one behind its user's back.
 */
final class HeldCommit implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final DataSource real;
  private final AtomicInteger before;
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  HeldCommit(DataSource real) {
    this(real, 1);
  }

  /** Lets the commits before the n-th pass. */
  HeldCommit(DataSource real, int nth) {
    this.real = real;
    this.before = new AtomicInteger(nth - 1);
  }

  DataSource source() {
    return proxy(
        DataSource.class,
        (method, args, call) ->
            method.equals("getConnection") ? over((Connection) call.run()) : call.run());
  }

  private Connection over(Connection connection) {
    boolean[] single = {false};
    return (Connection)
        Proxy.newProxyInstance(
            HeldCommit.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, args) -> {
              boolean on = method.getName().equals("setAutoCommit") && (boolean) args[0];
              if (on && !connection.getAutoCommit()) {
                single[0] = true;
                return null;
              }
              if (method.getName().equals("setAutoCommit") && single[0]) {
                single[0] = false;
                hold();
                connection.commit();
                return null;
              }
              if (method.getName().equals("commit")) {
                hold();
              }
              return invoke(connection, method, args);
            });
  }

  private void hold() throws SQLException {
    if (before.getAndDecrement() > 0) {
      return;
    }
    reached.countDown();
    try {
      if (!released.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new SQLException("held and never released");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException(e);
    }
  }

  /** Waits until somebody has come to a commit. */
  void awaitReached() throws InterruptedException {
    if (!reached.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("Nobody came to a commit");
    }
  }

  /** Lets the commit happen, and all later ones. */
  void release() {
    released.countDown();
  }

  @Override
  public void close() {
    release();
  }

  private interface Call {
    Object run() throws Throwable;
  }

  private interface Handler {
    Object handle(String method, Object[] args, Call call) throws Throwable;
  }

  private <T> T proxy(Class<T> type, Handler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            HeldCommit.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) ->
                handler.handle(method.getName(), args, () -> invoke(real, method, args))));
  }

  private static Object invoke(Object target, Method method, Object[] args) throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}

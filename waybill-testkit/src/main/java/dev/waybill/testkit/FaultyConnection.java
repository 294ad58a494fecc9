package dev.waybill.testkit;

import dev.waybill.testkit.Operation.Kind;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import org.jspecify.annotations.Nullable;

/** What a caller of {@link FaultyDataSource} holds instead of the driver's connection. */
final class FaultyConnection implements InvocationHandler {
  private final Connection real;
  private final int number;
  private final FaultScript script;
  private volatile boolean closed;

  private FaultyConnection(Connection real, int number, FaultScript script) {
    this.real = real;
    this.number = number;
    this.script = script;
  }

  static Connection over(Connection real, int number, FaultScript script) {
    return proxy(Connection.class, new FaultyConnection(real, number, script));
  }

  @Override
  public @Nullable Object invoke(Object self, Method method, Object @Nullable [] args)
      throws Throwable {
    return switch (method.getName()) {
      case "commit" -> run(Kind.COMMIT, "", method, args);
      case "rollback" ->
          args == null
              ? run(Kind.ROLLBACK, "", method, args)
              : run(Kind.STATEMENT, "ROLLBACK TO SAVEPOINT", method, args);
      case "setSavepoint" -> run(Kind.STATEMENT, "SAVEPOINT", method, args);
      case "releaseSavepoint" -> run(Kind.STATEMENT, "RELEASE SAVEPOINT", method, args);
      case "close" -> close(method, args);
      case "createStatement", "prepareStatement", "prepareCall" -> statement(self, method, args);
      default -> likeTheRealOne(self, real, method, args);
    };
  }

  /** Runs something on this connection in the midst of the faults that are due at it. */
  @Nullable Object run(
      Kind kind, String sql, Object target, Method method, Object @Nullable [] args)
      throws Throwable {
    return script.run(
        new Operation(kind, number, sql), () -> real, () -> call(target, method, args));
  }

  private @Nullable Object run(Kind kind, String sql, Method method, Object @Nullable [] args)
      throws Throwable {
    return run(kind, sql, real, method, args);
  }

  /** Closing again does nothing, so it is no operation; after a close that failed it is one. */
  private @Nullable Object close(Method method, Object @Nullable [] args) throws Throwable {
    if (closed) {
      return call(real, method, args);
    }
    return script.run(
        new Operation(Kind.CLOSE, number, ""),
        () -> real,
        () -> {
          var nothing = call(real, method, args);
          closed = true;
          return nothing;
        });
  }

  private Object statement(Object self, Method method, Object @Nullable [] args) throws Throwable {
    var statement = (Statement) call(real, method, args);
    if (statement == null) {
      throw new IllegalStateException("the driver made no statement");
    }
    String prepared = args != null && args[0] instanceof String sql ? sql : "";
    return proxy(
        method.getReturnType(), new FaultyStatement(statement, prepared, (Connection) self, this));
  }

  /** Identity and unwrapping speak of the proxy, everything else of what is behind it. */
  @SuppressWarnings("ReferenceEquality") // This is the proxy's equals: asking it would recurse.
  static @Nullable Object likeTheRealOne(
      Object self, Wrapper real, Method method, Object @Nullable [] args) throws Throwable {
    Object first = args == null || args.length == 0 ? null : args[0];
    return switch (method.getName()) {
      case "equals" -> self == first;
      case "hashCode" -> System.identityHashCode(self);
      case "toString" -> "faulty " + real;
      case "unwrap" ->
          first instanceof Class<?> type && type.isInstance(self)
              ? self
              : first instanceof Class<?> own && own.isInstance(real)
                  ? real
                  : call(real, method, args);
      case "isWrapperFor" ->
          first instanceof Class<?> type
              && (type.isInstance(self)
                  || type.isInstance(real)
                  || Boolean.TRUE.equals(call(real, method, args)));
      default -> call(real, method, args);
    };
  }

  static @Nullable Object call(Object target, Method method, Object @Nullable [] args)
      throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  /** What a method of JDBC may throw, of anything that was thrown underneath it. */
  static SQLException asDeclared(Throwable thrown) {
    if (thrown instanceof RuntimeException e) {
      throw e;
    }
    if (thrown instanceof Error e) {
      throw e;
    }
    return thrown instanceof SQLException e ? e : new SQLException(thrown);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    var loader = FaultyConnection.class.getClassLoader();
    return type.cast(Proxy.newProxyInstance(loader, new Class<?>[] {type}, handler));
  }
}

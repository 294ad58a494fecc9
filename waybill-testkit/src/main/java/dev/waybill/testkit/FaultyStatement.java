package dev.waybill.testkit;

import dev.waybill.testkit.Operation.Kind;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement of any sort whose executions are operations of its {@link FaultyConnection}. */
final class FaultyStatement implements InvocationHandler {
  private final Statement real;
  private final String prepared;
  private final Connection seenConnection;
  private final FaultyConnection connection;
  // Like the statement itself, for one thread at a time.
  private final List<String> batch = new ArrayList<>();

  FaultyStatement(
      Statement real, String prepared, Connection seenConnection, FaultyConnection connection) {
    this.real = real;
    this.prepared = prepared;
    this.seenConnection = seenConnection;
    this.connection = connection;
  }

  @Override
  public @Nullable Object invoke(Object self, Method method, Object @Nullable [] args)
      throws Throwable {
    String text = args != null && args.length > 0 && args[0] instanceof String sql ? sql : prepared;
    switch (method.getName()) {
      case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate" -> {
        return connection.run(Kind.STATEMENT, text, real, method, args);
      }
      case "executeBatch", "executeLargeBatch" -> {
        String all = batch.isEmpty() ? prepared : String.join("; ", batch);
        batch.clear();
        return connection.run(Kind.STATEMENT, all, real, method, args);
      }
      case "addBatch" -> {
        if (args != null) {
          batch.add(text);
        }
      }
      case "clearBatch" -> batch.clear();
      case "getConnection" -> {
        // A statement that is closed must refuse; then its connection is the one the caller knows.
        FaultyConnection.call(real, method, args);
        return seenConnection;
      }
      default -> {}
    }
    return FaultyConnection.likeTheRealOne(self, real, method, args);
  }
}

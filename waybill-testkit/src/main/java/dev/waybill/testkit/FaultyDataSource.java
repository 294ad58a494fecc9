package dev.waybill.testkit;

import dev.waybill.testkit.Operation.Kind;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source that behaves as the one it wraps, except where a test tells it to fail.
 *
 * <pre>{@code
 * faulty.on(Fault.commit(1)).cut(AFTER);                         // committed, but nobody learns it
 * faulty.on(Fault.sql(s -> s.contains("unlock"))).fail(BEFORE);  // never sent
 * Hold hold = faulty.on(Fault.statement(3)).hold();              // until hold.release()
 * }</pre>
 *
 * <p>It also traces what was called, on all connections together. To let a connection pool notice
 * that its connections die, put this underneath the pool.
 *
 * <p>Thread-safe. Result sets and metadata are the driver's own.
 */
public final class FaultyDataSource implements DataSource {
  private final DataSource real;
  private final FaultScript script = new FaultScript();

  /** Wraps a data source; without faults it only watches. */
  public FaultyDataSource(DataSource real) {
    this.real = real;
  }

  /** Begins to say what shall happen there. */
  public Injection on(Fault fault) {
    return new Injection(fault, script::arm);
  }

  /** What was called, in order; calls that a fault hit are among them. */
  public List<Operation> trace() {
    return script.trace();
  }

  /** How many statements and commits were tried. */
  public Counts counts() {
    return new Counts(script.count(Kind.STATEMENT), script.count(Kind.COMMIT));
  }

  /** Forgets the trace and the counts, removes all faults and releases whoever is held. */
  public void reset() {
    script.reset();
  }

  @Override
  public Connection getConnection() throws SQLException {
    return connect(real::getConnection);
  }

  @Override
  public Connection getConnection(String username, String password) throws SQLException {
    return connect(() -> real.getConnection(username, password));
  }

  private Connection connect(Connecting realConnect) throws SQLException {
    int number = script.nextConnection();
    var made = new AtomicReference<@Nullable Connection>();
    try {
      script.run(
          new Operation(Kind.CONNECT, number, ""),
          made::get,
          () -> {
            made.set(realConnect.connect());
            return null;
          });
      return FaultyConnection.over(Objects.requireNonNull(made.get()), number, script);
    } catch (Throwable e) {
      closeUnseen(made.get(), e);
      throw FaultyConnection.asDeclared(e);
    }
  }

  private interface Connecting {
    Connection connect() throws SQLException;
  }

  /** The caller never got it, so nobody else can close it. */
  private static void closeUnseen(@Nullable Connection connection, Throwable because) {
    if (connection == null) {
      return;
    }
    try {
      connection.close();
    } catch (SQLException e) {
      because.addSuppressed(e);
    }
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    return type.isInstance(real) ? type.cast(real) : real.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || type.isInstance(real) || real.isWrapperFor(type);
  }

  @Override
  public @Nullable PrintWriter getLogWriter() throws SQLException {
    return real.getLogWriter();
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
    real.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    real.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return real.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return real.getParentLogger();
  }

  /**
   * How often something was tried, over all connections.
   *
   * @param statements executions of statements; a batch is one
   * @param commits calls of {@link Connection#commit}
   */
  public record Counts(long statements, long commits) {}
}

package dev.waybill.testkit;

import dev.waybill.testkit.Fault.Moment;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says what happens at a {@link Fault}. The fault is armed by {@link #fail}, {@link #cut} or {@link
 * #hold}, and strikes once unless {@link #always} came before. Several at one place strike in the
 * order they were armed.
 */
public final class Injection {
  private final Fault fault;
  private final Consumer<Armed> arm;
  private boolean always;

  Injection(Fault fault, Consumer<Armed> arm) {
    this.fault = fault;
    this.arm = arm;
  }

  /** Strikes at the n-th operation and at every later one of its kind. */
  public Injection always() {
    always = true;
    return this;
  }

  /** Throws a general error; the connection stays usable. */
  public void fail(Moment moment) {
    fail(moment, () -> new SQLException("injected at " + fault, "HY000"));
  }

  /** Throws that error; the connection stays usable. */
  public void fail(Moment moment, SQLException error) {
    fail(moment, () -> error);
  }

  /** Throws a new error each time; the connection stays usable. */
  public void fail(Moment moment, Supplier<? extends SQLException> error) {
    arm(
        moment,
        connection -> {
          throw error.get();
        });
  }

  /** Ends the physical connection under the caller, who sees SQLState 08006. */
  public void cut(Moment moment) {
    arm(
        moment,
        connection -> {
          var error = new SQLException("connection cut at " + fault, "08006");
          if (connection != null) {
            try {
              endPhysically(connection);
            } catch (SQLException e) {
              error.addSuppressed(e);
            }
          }
          throw error;
        });
  }

  /** Stops the caller before the call until it is released. */
  public Hold hold() {
    return hold(Moment.BEFORE);
  }

  /** Stops the caller before the call or after it took effect, until it is released. */
  public Hold hold(Moment moment) {
    var hold = new Hold(moment + " " + fault);
    var armed = new Armed(fault, moment, always, connection -> hold.pass(), hold::release);
    arm.accept(armed);
    return hold;
  }

  private void arm(Moment moment, Strike strike) {
    arm.accept(new Armed(fault, moment, always, strike, () -> {}));
  }

  /**
   * A pool's connection would only go back to its pool when closed, so the driver's own is ended.
   * Abort drops the socket without a goodbye; not every driver implements it.
   */
  private static void endPhysically(Connection connection) throws SQLException {
    var physical = connection.unwrap(Connection.class);
    physical.abort(Runnable::run);
    if (!physical.isClosed()) {
      physical.close();
    }
  }

  /** What happens to the caller; the connection is there except before it was made. */
  interface Strike {
    void at(@Nullable Connection connection) throws SQLException;
  }

  /** A fault in place. Guarded by the {@link FaultScript} that holds it. */
  static final class Armed {
    private final Fault fault;
    private final Moment moment;
    private final boolean always;
    private final Strike strike;
    private final Runnable disarm;
    private int seen;

    Armed(Fault fault, Moment moment, boolean always, Strike strike, Runnable disarm) {
      this.fault = fault;
      this.moment = moment;
      this.always = always;
      this.strike = strike;
      this.disarm = disarm;
    }

    /** Counts the operation if it is one of this fault's kind. */
    boolean strikesAt(Operation operation) {
      if (!fault.matches(operation)) {
        return false;
      }
      seen++;
      return always ? seen >= fault.nth() : seen == fault.nth();
    }

    void strike(Moment now, @Nullable Connection connection) throws SQLException {
      if (now == moment) {
        strike.at(connection);
      }
    }

    void disarm() {
      disarm.run();
    }
  }
}

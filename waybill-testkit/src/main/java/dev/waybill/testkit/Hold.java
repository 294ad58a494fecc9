package dev.waybill.testkit;

import java.sql.SQLException;
import java.time.Duration;

/**
 * A place where calls of a {@link FaultyDataSource} stop until the test lets them go. Thread-safe.
 */
public final class Hold {
  // A test that failed before releasing must not keep the threads of the code under test for ever.
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final Monitor monitor = new Monitor();
  private final String where;
  private boolean reached;
  private boolean released;

  Hold(String where) {
    this.where = where;
  }

  /** Waits until a call has stopped here. */
  public void awaitReached(Duration timeout) throws InterruptedException {
    monitor.expect(() -> reached, timeout, () -> "nothing reached the hold at " + where);
  }

  /** Lets the held call go on, and everyone who comes later. */
  public void release() {
    monitor.change(() -> released = true);
  }

  void pass() throws SQLException {
    monitor.change(() -> reached = true);
    try {
      if (!monitor.await(() -> released, LONGEST)) {
        throw new SQLException("held at " + where + " for " + LONGEST + " and never released");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while held at " + where, e);
    }
  }
}

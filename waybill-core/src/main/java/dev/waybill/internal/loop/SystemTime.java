package dev.waybill.internal.loop;

import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** Real time. */
enum SystemTime implements Time {
  INSTANCE;

  private static final Clock WALL = Clock.systemUTC();

  @Override
  public Instant now() {
    return WALL.instant();
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  @SuppressWarnings("WaitNotInLoop") // The caller loops: it knows the state it waits for.
  public void await(Lock lock, Condition condition, long nanos) throws InterruptedException {
    if (nanos > 0) {
      long unused = condition.awaitNanos(nanos);
    }
  }
}

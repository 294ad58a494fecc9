package dev.waybill.internal.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** The testkit's manual time in the shape of the core's {@link Time}. */
public final class ManualTime implements Time {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final dev.waybill.testkit.ManualTime time =
      new dev.waybill.testkit.ManualTime(Instant.EPOCH);

  @Override
  public Instant now() {
    return time.now();
  }

  @Override
  public long nanos() {
    return time.nanos();
  }

  @Override
  public void await(Lock lock, Condition condition, long nanos) throws InterruptedException {
    if (nanos > 0) {
      time.await((ReentrantLock) lock, condition, nanos);
    }
  }

  /** Milliseconds since the test began. */
  public long millis() {
    return TimeUnit.NANOSECONDS.toMillis(nanos());
  }

  /** Moves the wall clock alone, as an operator or NTP does. */
  public void jumpWall(Duration by) {
    time.jumpWall(by);
  }

  /** Lets time pass and wakes those whose wait is over. */
  public void advance(Duration by) {
    time.advance(by);
  }

  /** Waits until exactly this many threads wait in here and none of them is about to leave. */
  public void awaitParked(int threads) throws InterruptedException {
    time.awaitParked(threads, PATIENCE);
  }
}

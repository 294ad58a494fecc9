package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Time;
import dev.waybill.testkit.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** The testkit's manual time, as the core sees time. */
record TestTime(ManualTime manual) implements Time {
  TestTime() {
    this(new ManualTime());
    // An origin other than zero: only differences mean something.
    manual.advance(Duration.ofHours(1));
  }

  @Override
  public Instant now() {
    return manual.now();
  }

  @Override
  public long nanos() {
    return manual.nanos();
  }

  @Override
  public void await(Lock lock, Condition condition, long nanos) throws InterruptedException {
    if (nanos > 0) {
      manual.await((ReentrantLock) lock, condition, nanos);
    }
  }

  void advance(Duration by) {
    manual.advance(by);
  }

  void advanceMillis(long by) {
    manual.advance(Duration.ofMillis(by));
  }
}

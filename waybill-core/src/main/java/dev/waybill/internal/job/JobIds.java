package dev.waybill.internal.job;

import dev.waybill.internal.loop.Time;
import dev.waybill.internal.store.FreightId;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Ids that are made here, so that a producer knows them before the database does, and that grow
 * with time (version 7), so that new rows are neighbours. Within a process each is larger than the
 * one before, also when the clock steps back.
 */
public final class JobIds {
  private static final int COUNTER_BITS = 12;

  private final Time time;
  private final SecureRandom random = new SecureRandom();
  private final ReentrantLock lock = new ReentrantLock();
  private long last;

  /** On this clock. */
  public JobIds(Time time) {
    this.time = time;
  }

  /** A new one. */
  public UUID next() {
    return FreightId.alone(high(), low());
  }

  /** A new one for a freight, which its jobs share but for the last digit. */
  UUID nextFreight() {
    return FreightId.freight(high(), low());
  }

  private long low() {
    return random.nextLong() >>> 2 | 1L << 63;
  }

  private long high() {
    lock.lock();
    try {
      // Milliseconds and a counter in one number: a full counter borrows from the future.
      last = Math.max(last + 1, time.now().toEpochMilli() << COUNTER_BITS);
      long counter = last & (1L << COUNTER_BITS) - 1;
      return last >>> COUNTER_BITS << 16 | 7L << COUNTER_BITS | counter;
    } finally {
      lock.unlock();
    }
  }
}

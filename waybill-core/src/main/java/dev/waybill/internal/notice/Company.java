package dev.waybill.internal.notice;

import dev.waybill.internal.loop.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which other processes listen. Each says so when it begins and again from time to time; one that
 * has not for longer than that is gone.
 *
 * <p>Safe for use by many threads.
 */
final class Company {
  /** How often a process says that it listens. */
  static final Duration REFRESH = Duration.ofMinutes(5);

  private static final long FORGOTTEN_AFTER = Time.toNanos(REFRESH.multipliedBy(3));

  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Long> heardAt = new HashMap<>();

  Company(Time time) {
    this.time = time;
  }

  /** Says whether it was not known. */
  boolean listens(String sender) {
    lock.lock();
    try {
      return heardAt.put(sender, time.nanos()) == null;
    } finally {
      lock.unlock();
    }
  }

  void left(String sender) {
    lock.lock();
    try {
      heardAt.remove(sender);
    } finally {
      lock.unlock();
    }
  }

  boolean isEmpty() {
    lock.lock();
    try {
      if (!heardAt.isEmpty()) {
        long now = time.nanos();
        heardAt.values().removeIf(at -> now - at > FORGOTTEN_AFTER);
      }
      return heardAt.isEmpty();
    } finally {
      lock.unlock();
    }
  }
}

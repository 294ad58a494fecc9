package dev.waybill.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/** What handlers were given, and waiting for it. */
public final class Received {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<OutboxMessage> messages = new ArrayList<>();

  /** Remembers a message. */
  public void add(OutboxMessage message) {
    lock.lock();
    try {
      messages.add(message);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until so many have come, and gives their texts. */
  public List<String> await(int count) throws InterruptedException {
    return await(all -> all.size() >= count).stream().map(OutboxMessage::text).toList();
  }

  /** Waits until what has come is as it should be. */
  public List<OutboxMessage> await(Predicate<List<OutboxMessage>> enough)
      throws InterruptedException {
    lock.lock();
    try {
      long left = PATIENCE.toNanos();
      while (!enough.test(messages)) {
        if (left <= 0) {
          throw new AssertionError("Waited in vain; received so far: " + messages);
        }
        left = changed.awaitNanos(Math.min(left, TimeUnit.SECONDS.toNanos(30)));
      }
      return List.copyOf(messages);
    } finally {
      lock.unlock();
    }
  }

  /** What has come so far. */
  public List<OutboxMessage> soFar() {
    lock.lock();
    try {
      return List.copyOf(messages);
    } finally {
      lock.unlock();
    }
  }
}

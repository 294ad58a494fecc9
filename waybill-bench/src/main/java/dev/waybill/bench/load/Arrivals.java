package dev.waybill.bench.load;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What arrived, in the order in which it arrived. Thread-safe. */
public final class Arrivals implements Receiver {
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicInteger surplus = new AtomicInteger();
  private final long[] tags;
  private final long[] dues;
  private final long[] times;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition enough = lock.newCondition();
  private volatile long awaited = Long.MAX_VALUE;

  /** With room for so many. */
  public Arrivals(int capacity) {
    tags = new long[capacity];
    dues = new long[capacity];
    times = new long[capacity];
  }

  @Override
  public void receive(String text) {
    add(Parcel.tagOf(text), Parcel.dueOf(text), System.nanoTime());
  }

  void add(long tag, long due, long time) {
    int at = count.getAndIncrement();
    if (at >= tags.length) {
      surplus.incrementAndGet();
      count.decrementAndGet();
      return;
    }
    tags[at] = tag;
    dues[at] = due;
    times[at] = time;
    if (at + 1 >= awaited) {
      lock.lock();
      try {
        enough.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Waits until so many have arrived; false if that takes too long. */
  public boolean await(long arrivals, long seconds) throws InterruptedException {
    long left = TimeUnit.SECONDS.toNanos(seconds);
    lock.lock();
    try {
      awaited = arrivals;
      while (count.get() < arrivals && left > 0) {
        left = enough.awaitNanos(left);
      }
    } finally {
      awaited = Long.MAX_VALUE;
      lock.unlock();
    }
    return count.get() >= arrivals;
  }

  /** What arrived after the first so many. */
  public Arrivals after(int first) {
    Arrivals rest = new Arrivals(Math.max(0, count() - first));
    for (int i = first; i < count(); i++) {
      rest.add(tags[i], dues[i], times[i]);
    }
    return rest;
  }

  /** How many have arrived. */
  public int count() {
    return Math.min(count.get(), tags.length);
  }

  /** How many came after all there was room for: certainly duplicates. */
  int surplus() {
    return surplus.get();
  }

  /** The tag of the n-th arrival. */
  public long tag(int at) {
    return tags[at];
  }

  /** When the n-th arrival had been due to be sent. */
  public long due(int at) {
    return dues[at];
  }

  /** When the n-th arrival arrived. */
  public long time(int at) {
    return times[at];
  }
}

package dev.waybill.console;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;

/**
 * Answers that are young enough to be given again, so that many tabs ask the database once. They
 * may hold payloads, so none is kept for longer than it is good for once anybody asks for anything,
 * and all of them together stay small. Thread-safe.
 */
final class Recent {
  private static final int MOST = 200;

  /** Of characters, which take two bytes at most. */
  static final long MOST_CHARS = 4L << 20;

  private final LongSupplier nanos;

  /** The one that was asked for first comes first. */
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  private long chars;

  private static final class Entry {
    final FutureTask<String> answer;
    final long goodUntil;
    int length;

    Entry(FutureTask<String> answer, long goodUntil) {
      this.answer = answer;
      this.goodUntil = goodUntil;
    }
  }

  Recent(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * The answer, which is good for so long; of those who ask for the same at the same time, one does
   * the work.
   */
  String get(String key, Duration age, Callable<String> work) throws Exception {
    Entry entry;
    synchronized (this) {
      dropOld();
      entry = entries.get(key);
      if (entry == null) {
        entry = new Entry(new FutureTask<>(work), nanos.getAsLong() + age.toNanos());
        entries.put(key, entry);
        dropEldest();
      }
    }
    entry.answer.run();
    try {
      String answer = entry.answer.get();
      weigh(key, entry, answer.length());
      return answer;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  private void dropOld() {
    long now = nanos.getAsLong();
    Iterator<Entry> all = entries.values().iterator();
    while (all.hasNext()) {
      Entry entry = all.next();
      if (now - entry.goodUntil > 0) {
        all.remove();
        chars -= entry.length;
      }
    }
  }

  /** Its size is known only now. */
  private synchronized void weigh(String key, Entry entry, int length) {
    if (entries.get(key) == entry && entry.length == 0) {
      entry.length = length;
      chars += length;
      dropEldest();
    }
  }

  private void dropEldest() {
    Iterator<Entry> all = entries.values().iterator();
    while (all.hasNext() && (entries.size() > MOST || chars > MOST_CHARS)) {
      chars -= all.next().length;
      all.remove();
    }
  }

  /** Something was changed, or somebody has left. */
  synchronized void forget() {
    entries.clear();
    chars = 0;
  }

  /** How many are kept. */
  synchronized int size() {
    return entries.size();
  }

  /** How long they are together. */
  synchronized long chars() {
    return chars;
  }
}

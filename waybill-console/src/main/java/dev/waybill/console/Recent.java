package dev.waybill.console;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Answers that are young enough to be given again, so that many tabs ask the database once. */
final class Recent {
  private static final int MOST = 200;

  private final long maxAgeNanos;
  private final Map<String, Entry> entries =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Entry> eldest) {
          return size() > MOST;
        }
      };

  private record Entry(FutureTask<String> answer, long askedAt) {}

  Recent(long maxAgeNanos) {
    this.maxAgeNanos = maxAgeNanos;
  }

  /** The answer; of those who ask for the same at the same time, one does the work. */
  String get(String key, Callable<String> work) throws Exception {
    FutureTask<String> task;
    synchronized (entries) {
      Entry entry = entries.get(key);
      if (entry == null || System.nanoTime() - entry.askedAt() > maxAgeNanos) {
        entry = new Entry(new FutureTask<>(work), System.nanoTime());
        entries.put(key, entry);
      }
      task = entry.answer();
    }
    task.run();
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  /** Something was changed. */
  void forget() {
    synchronized (entries) {
      entries.clear();
    }
  }
}

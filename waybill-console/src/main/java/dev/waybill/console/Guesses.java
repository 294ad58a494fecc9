package dev.waybill.console;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Counts wrong tokens: ten a minute from one address. Thread-safe. */
final class Guesses {
  private static final int MOST = 10;
  private static final int MOST_ADDRESSES = 1_000;
  private static final long PERIOD = TimeUnit.MINUTES.toNanos(1);

  private final Map<InetAddress, Integer> wrong = new LinkedHashMap<>();
  private long since = System.nanoTime();

  synchronized boolean mayTry(InetAddress from) {
    if (System.nanoTime() - since > PERIOD) {
      since = System.nanoTime();
      wrong.clear();
    }
    return wrong.getOrDefault(from, 0) < MOST;
  }

  synchronized void wrong(InetAddress from) {
    wrong.merge(from, 1, Integer::sum);
    if (wrong.size() > MOST_ADDRESSES) {
      wrong.remove(wrong.keySet().iterator().next());
    }
  }
}

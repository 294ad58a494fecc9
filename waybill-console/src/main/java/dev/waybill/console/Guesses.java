package dev.waybill.console;

import java.util.concurrent.TimeUnit;

/** Counts wrong tokens: ten a minute, whoever tries. Thread-safe. */
final class Guesses {
  private static final int MOST = 10;
  private static final long PERIOD = TimeUnit.MINUTES.toNanos(1);

  private int wrong;
  private long since = System.nanoTime();

  synchronized boolean mayTry() {
    if (System.nanoTime() - since > PERIOD) {
      since = System.nanoTime();
      wrong = 0;
    }
    return wrong < MOST;
  }

  synchronized void wrong() {
    wrong++;
  }
}

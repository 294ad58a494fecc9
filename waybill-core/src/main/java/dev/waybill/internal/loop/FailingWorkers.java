package dev.waybill.internal.loop;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Remembers which workers' last run failed. Safe for use by many threads. */
public final class FailingWorkers implements LoopListener {
  private final Map<String, String> failing = new ConcurrentHashMap<>();

  /** By name, and why. */
  public Map<String, String> all() {
    return new TreeMap<>(failing);
  }

  @Override
  public void failed(
      String worker, Throwable error, int failures, Duration took, Duration retryIn) {
    failing.put(worker, error.toString());
  }

  @Override
  public void completed(String worker, Duration took, Next next) {
    failing.remove(worker);
  }
}

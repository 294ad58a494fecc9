package dev.waybill.internal.loop;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A request to stop: given once, seen by all. Long work asks {@link #requested} between two steps.
 *
 * <p>Safe for use by many threads.
 */
public final class StopSignal {
  private final Set<Runnable> alarms = ConcurrentHashMap.newKeySet();
  private volatile boolean requested;

  public boolean requested() {
    return requested;
  }

  /** Requests the stop; a second time does nothing. */
  void request() {
    requested = true;
    alarms.forEach(Runnable::run);
  }

  /**
   * Has the alarm run on a request. Whoever waits adds one that ends the wait, then looks at {@link
   * #requested}, then waits: in this order no request is missed.
   */
  void add(Runnable alarm) {
    alarms.add(alarm);
  }

  void remove(Runnable alarm) {
    alarms.remove(alarm);
  }
}

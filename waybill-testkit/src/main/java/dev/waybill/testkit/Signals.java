package dev.waybill.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Named events that the code under test fires and the test waits for, so that no test sleeps.
 *
 * <p>Events are remembered: waiting for one that already happened returns at once. Thread-safe.
 */
public final class Signals {
  private final Monitor monitor = new Monitor();
  private final List<String> events = new ArrayList<>();

  /** Says that something happened, once more. */
  public void fire(String name) {
    monitor.change(() -> events.add(name));
  }

  /** Waits until the event has happened at least once. */
  public void await(String name, Duration timeout) throws InterruptedException {
    await(name, 1, timeout);
  }

  /** Waits until the event has happened at least so many times, else fails the test. */
  public void await(String name, int times, Duration timeout) throws InterruptedException {
    monitor.expect(
        () -> Collections.frequency(events, name) >= times,
        timeout,
        () -> "\"" + name + "\" " + times + " times, saw " + events);
  }

  /** How often the event has happened. */
  public int count(String name) {
    return monitor.read(() -> Collections.frequency(events, name));
  }

  /** Everything that happened so far, in order. */
  public List<String> events() {
    return monitor.read(() -> List.copyOf(events));
  }
}

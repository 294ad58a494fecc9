package dev.waybill.internal.loop;

import java.util.List;
import java.util.stream.Stream;

/**
 * How a worker is driven.
 *
 * @param bells what wakes it
 * @param permits what it needs to run; held during the run, not while it waits
 * @param backoff how its failures are retried
 * @param pace how fast it goes on while it has work
 * @param listeners told in this order, after the log
 */
public record LoopOptions(
    List<Bell> bells, Permits permits, Backoff backoff, Pace pace, List<LoopListener> listeners) {
  public LoopOptions {
    bells = List.copyOf(bells);
    listeners = List.copyOf(listeners);
  }

  /** No bell, no limit, the standard backoff, no pacing, no listener. */
  public static LoopOptions defaults() {
    return new LoopOptions(
        List.of(), Permits.unlimited(), Backoff.standard(), Pace.none(), List.of());
  }

  public LoopOptions withBells(Bell... values) {
    return new LoopOptions(List.of(values), permits, backoff, pace, listeners);
  }

  public LoopOptions withPermits(Permits value) {
    return new LoopOptions(bells, value, backoff, pace, listeners);
  }

  public LoopOptions withBackoff(Backoff value) {
    return new LoopOptions(bells, permits, value, pace, listeners);
  }

  public LoopOptions withPace(Pace value) {
    return new LoopOptions(bells, permits, backoff, value, listeners);
  }

  public LoopOptions withListeners(LoopListener... values) {
    return new LoopOptions(bells, permits, backoff, pace, List.of(values));
  }

  LoopOptions withAlso(List<LoopListener> more) {
    return new LoopOptions(
        bells, permits, backoff, pace, Stream.of(listeners, more).flatMap(List::stream).toList());
  }
}

package dev.waybill.internal.job;

import dev.waybill.internal.job.JobSettlement.Ended;
import dev.waybill.internal.loop.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Ends with something of the user's to write that could not be written yet, and are tried again
 * after a pause.
 *
 * <p>Safe for use by many threads.
 */
final class LateCompletions {
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** How long to leave a run of a workflow to whoever holds it. */
  private static final Duration HELD = Duration.ofMillis(10);

  private final Time time;
  private final ConcurrentLinkedQueue<Late> all = new ConcurrentLinkedQueue<>();

  private record Late(Ended ended, long due, boolean isHeld) {}

  LateCompletions(Time time) {
    this.time = time;
  }

  /** The database was not to be had, or somebody was in the way. */
  void add(Ended ended) {
    all.add(new Late(ended, time.nanos() + PAUSE.toNanos(), false));
  }

  /** Somebody holds the workflow. */
  void addHeld(Ended ended) {
    all.add(new Late(ended, time.nanos() + HELD.toNanos(), true));
  }

  /** How many only wait for a workflow. */
  int held() {
    return (int) all.stream().filter(Late::isHeld).count();
  }

  /** Takes those whose pause is over. */
  List<Ended> due() {
    return take(time.nanos());
  }

  /** Takes all: there is no later. */
  List<Ended> rest() {
    return take(time.nanos() + PAUSE.toNanos());
  }

  private List<Ended> take(long until) {
    List<Ended> taken = new ArrayList<>();
    for (Late each : List.copyOf(all)) {
      if (each.due() - until <= 0 && all.remove(each)) {
        taken.add(each.ended());
      }
    }
    return taken;
  }

  /** How long until the next one is due; empty if there is none. */
  Optional<Duration> untilNext() {
    long now = time.nanos();
    return all.stream()
        .map(each -> each.due() - now)
        .min(Comparator.naturalOrder())
        .map(wait -> Duration.ofNanos(Math.max(1_000_000, wait)));
  }
}

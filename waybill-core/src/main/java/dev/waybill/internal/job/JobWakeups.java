package dev.waybill.internal.job;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.notice.Notices;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Who is to be woken when there may be something to claim: here, and in other processes. */
public final class JobWakeups {
  private static final String TOPIC = "JOB";

  private final Notices notices;
  private final Set<String> served;
  private final RunningJobs running;
  private final Bell stager;
  private final Bell timekeeper = new Bell();

  JobWakeups(Notices notices, Set<String> served, RunningJobs running, Bell stager) {
    this.notices = notices;
    this.served = Set.copyOf(served);
    this.running = running;
    this.stager = stager;
    if (!served.isEmpty()) {
      // Whatever was said while nobody listened is found by a look, too.
      notices.subscribe(TOPIC, types -> ring(), hearing -> ring());
    }
  }

  /** There may be jobs of any type, in the line or to be put there. */
  public void wake() {
    stager.ring();
    ready();
  }

  /** There are so many jobs of these types; others are told of what this process leaves to them. */
  void wake(Collection<String> types, int jobs) {
    ring();
    if (running.free() < jobs || !served.containsAll(types)) {
      notices.announce(TOPIC, List.of());
    }
  }

  /** There are jobs for later: they may be due before anybody would look. */
  void later() {
    stager.ring();
  }

  /** Steps of workflows begin or end at some time, which may be before anybody would look. */
  void timers() {
    stager.ring();
    timekeeper.ring();
  }

  /** Rings when there are timers of workflows. */
  public Bell timekeeper() {
    return timekeeper;
  }

  /** There may be more jobs in the line, of any type. */
  public void ready() {
    running.changed().ring();
    notices.announce(TOPIC, List.of());
  }

  private void ring() {
    stager.ring();
    running.changed().ring();
  }
}

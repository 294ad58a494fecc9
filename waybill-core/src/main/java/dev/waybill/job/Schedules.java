package dev.waybill.job;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Jobs that come back. Safe for use by many threads. */
public interface Schedules {
  /**
   * Makes a schedule, or brings it up to date by name. Whether it is active is decided when it is
   * made and by {@link #setActive}; its next time changes only when its rule or zone does.
   *
   * @throws JobException.DefinitionUnavailable if the type is not defined or is disabled
   */
  ScheduleInfo put(Schedule schedule);

  /** Puts all of these, or none. Others stay as they are; an operator's pause stays, too. */
  ScheduleSync sync(Collection<Schedule> schedules);

  /**
   * Like {@link #sync}, and those of the owned names that are not among them are paused: what a
   * program no longer wants does not fire for ever.
   */
  ScheduleSync syncExactly(Collection<Schedule> schedules, Set<String> ownedNames);

  /** A schedule. */
  Optional<ScheduleInfo> find(String name);

  /** All schedules by name. */
  List<ScheduleInfo> list();

  /** Resumes or pauses one. What fell due while it was paused is not made up for. */
  void setActive(String name, boolean active);

  /** Removes one; returns false if there is none. */
  boolean remove(String name);

  /** Enqueues its job now, besides its times. */
  Enqueued trigger(String name);

  /** What became of its latest times, newest first. The newest 1,000 are remembered. */
  List<ScheduleFire> fires(String name, int limit);

  /** The next times of a rule, without jitter. */
  List<Instant> preview(Schedule schedule, Instant after, int count);
}

package dev.waybill.internal.job;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobDefinitionStore;
import dev.waybill.internal.store.ScheduleStore;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobException.DefinitionUnavailable;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.JobException.ScheduleNotFound;
import dev.waybill.job.Schedule;
import dev.waybill.job.ScheduleFire;
import dev.waybill.job.ScheduleInfo;
import dev.waybill.job.Schedules;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The door to schedules. */
final class ScheduleDoor implements Schedules {
  private static final int LARGEST_PAGE = 1000;

  private final Database database;
  private final Scheduler scheduler;
  private final Bell bell;
  private final JobWakeups wakeups;

  ScheduleDoor(Database database, Scheduler scheduler, Bell bell, JobWakeups wakeups) {
    this.database = database;
    this.scheduler = scheduler;
    this.bell = bell;
    this.wakeups = wakeups;
  }

  @Override
  public ScheduleInfo put(Schedule schedule) {
    String complaint = Json.complaintAbout(schedule.payload());
    if (complaint != null) {
      throw new InvalidArgument(
          "job_schedule.invalid_payload",
          "The payload of schedule '" + schedule.name() + "' " + complaint + ".");
    }
    ScheduleCursor cursor = new ScheduleCursor(schedule);
    ScheduleInfo info = database.transact(tx -> put(tx, schedule, cursor));
    bell.ring();
    return info;
  }

  private static ScheduleInfo put(Tx tx, Schedule schedule, ScheduleCursor cursor) {
    requireEnabled(tx, schedule.type());
    ScheduleStore store = ScheduleStore.in(tx);
    ScheduleInfo before = store.lock(schedule.name()).orElse(null);
    boolean sameTimes =
        before != null
            && before.schedule().rule().equals(schedule.rule())
            && before.schedule().zone().equals(schedule.zone())
            && before.schedule().jitter().equals(schedule.jitter());
    Instant next = before != null && sameTimes ? before.scheduledFor() : cursor.after(store.now());
    ScheduleInfo info =
        new ScheduleInfo(
            schedule,
            before == null || before.active(),
            before != null && sameTimes ? before.nextFireAt() : cursor.fireAt(next),
            next,
            before == null ? null : before.lastFiredAt(),
            before == null ? null : before.lastJob(),
            0,
            null);
    if (before == null) {
      store.insert(info);
    } else {
      store.update(info);
    }
    return info;
  }

  /** Locked, so that it is not disabled while a schedule comes to need it. */
  private static void requireEnabled(Tx tx, String type) {
    boolean enabled =
        JobDefinitionStore.in(tx).allLocked().stream()
            .anyMatch(definition -> definition.type().equals(type) && definition.enabled());
    if (!enabled) {
      throw new DefinitionUnavailable(type);
    }
  }

  @Override
  public Optional<ScheduleInfo> find(String name) {
    return database.looking().transact(tx -> ScheduleStore.in(tx).get(name));
  }

  @Override
  public List<ScheduleInfo> list() {
    return database.looking().transact(tx -> ScheduleStore.in(tx).all());
  }

  @Override
  public void setActive(String name, boolean active) {
    database.transact(
        tx -> {
          ScheduleStore store = ScheduleStore.in(tx);
          ScheduleInfo info = locked(tx, name);
          if (active) {
            requireEnabled(tx, info.schedule().type());
          }
          ScheduleCursor cursor = new ScheduleCursor(info.schedule());
          Instant next = active && !info.active() ? cursor.after(store.now()) : info.scheduledFor();
          store.update(
              new ScheduleInfo(
                  info.schedule(), active, cursor.fireAt(next), next, null, null, 0, null));
          return true;
        });
    bell.ring();
  }

  private static ScheduleInfo locked(Tx tx, String name) {
    return ScheduleStore.in(tx).lock(name).orElseThrow(() -> new ScheduleNotFound(name));
  }

  @Override
  public boolean remove(String name) {
    return database.transact(tx -> ScheduleStore.in(tx).remove(name));
  }

  private record Triggered(Instant time, Enqueued job) {}

  @Override
  public Enqueued trigger(String name) {
    Triggered fire =
        database.transact(
            tx -> {
              ScheduleInfo info = locked(tx, name);
              Instant now = ScheduleStore.in(tx).now();
              Enqueued enqueued =
                  scheduler.enqueue(tx, info.schedule(), now, "trigger:" + name + "@" + now);
              ScheduleStore.in(tx).fire(name, now, ScheduleFire.Outcome.TRIGGERED, enqueued.id());
              return new Triggered(now, enqueued);
            });
    scheduler.triggered(name, fire.time(), fire.job().id());
    wakeups.ready();
    return fire.job();
  }

  @Override
  public List<ScheduleFire> fires(String name, int limit) {
    checkCount(limit);
    return database.looking().transact(tx -> ScheduleStore.in(tx).fires(name, limit));
  }

  @Override
  public List<Instant> preview(Schedule schedule, Instant after, int count) {
    checkCount(count);
    return new ScheduleCursor(schedule).preview(after, count);
  }

  private static void checkCount(int count) {
    if (count < 1 || count > LARGEST_PAGE) {
      throw new InvalidArgument(
          "job.invalid_pagination", "Ask for 1 to 1000 entries, not " + count + ".");
    }
  }
}

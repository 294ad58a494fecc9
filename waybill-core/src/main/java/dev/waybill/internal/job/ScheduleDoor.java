package dev.waybill.internal.job;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.ScheduleStore;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.JobException.ScheduleNotFound;
import dev.waybill.job.Schedule;
import dev.waybill.job.ScheduleFire;
import dev.waybill.job.ScheduleInfo;
import dev.waybill.job.ScheduleSync;
import dev.waybill.job.Schedules;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The door to schedules. */
final class ScheduleDoor implements Schedules {
  private static final int LARGEST_PAGE = 1000;

  private final Database database;
  private final Scheduler scheduler;
  private final ScheduleCatalog catalog;
  private final Bell bell;
  private final JobWakeups wakeups;

  ScheduleDoor(Database database, Scheduler scheduler, Bell bell, JobWakeups wakeups) {
    this.database = database;
    this.scheduler = scheduler;
    this.catalog = new ScheduleCatalog(database);
    this.bell = bell;
    this.wakeups = wakeups;
  }

  @Override
  public ScheduleInfo put(Schedule schedule) {
    ScheduleInfo info = catalog.put(schedule);
    bell.ring();
    return info;
  }

  @Override
  public ScheduleSync sync(Collection<Schedule> schedules) {
    ScheduleSync done = catalog.sync(schedules);
    bell.ring();
    return done;
  }

  @Override
  public ScheduleSync syncExactly(Collection<Schedule> schedules, Set<String> ownedNames) {
    ScheduleSync done = catalog.syncExactly(schedules, ownedNames);
    bell.ring();
    return done;
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
          if (active) {
            // Before the schedule, as whoever puts one does.
            String type =
                store.get(name).orElseThrow(() -> new ScheduleNotFound(name)).schedule().type();
            ScheduleCatalog.requireEnabled(tx, type);
          }
          ScheduleInfo info = locked(tx, name);
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
              Instant now = ownTime(ScheduleStore.in(tx), name);
              Enqueued enqueued =
                  scheduler.enqueue(tx, info.schedule(), now, "trigger:" + name + "@" + now);
              ScheduleStore.in(tx).fire(name, now, ScheduleFire.Outcome.TRIGGERED, enqueued.id());
              return new Triggered(now, enqueued);
            });
    scheduler.triggered(name, fire.time(), fire.job().id());
    wakeups.ready();
    return fire.job();
  }

  /** Not one of the rule's times, which are whole seconds, nor that of a trigger just before. */
  private static Instant ownTime(ScheduleStore store, String name) {
    Instant time = store.now();
    while (time.equals(time.truncatedTo(ChronoUnit.SECONDS)) || store.isFired(name, time)) {
      time = time.plus(1, ChronoUnit.MICROS);
    }
    return time;
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

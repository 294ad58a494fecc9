package dev.waybill.internal.job;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.WaybillException;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobStore;
import dev.waybill.internal.store.ScheduleStore;
import dev.waybill.internal.store.ScheduleStore.Due;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.Schedule;
import dev.waybill.job.ScheduleFire.Outcome;
import dev.waybill.job.ScheduleInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acts upon schedules that are due by the database's clock, each in a transaction of its own: the
 * job, the record of the fire and the next time become durable together, and the key of the fire
 * makes a second one impossible. Goes on without a pause while one is due.
 */
final class Scheduler implements Worker {
  private static final Logger log = LoggerFactory.getLogger(Scheduler.class);
  private static final Duration LOOK = Duration.ofSeconds(5);
  private static final Duration FIRST_DELAY = Duration.ofSeconds(30);
  private static final int MOST_DOUBLINGS = 7;

  /** So many times of a schedule are remembered: years of a daily one. */
  static final int KEPT = 1_000;

  private final Database database;
  private final JobEnqueuer enqueuer;
  private final JobWakeups wakeups;
  private final JobNews news;

  Scheduler(Database database, JobEnqueuer enqueuer, JobWakeups wakeups, JobNews news) {
    this.database = database;
    this.enqueuer = enqueuer;
    this.wakeups = wakeups;
    this.news = news;
  }

  /**
   * What a look at the schedules led to.
   *
   * @param pause how long until the next is due; zero if there may be another now
   */
  private record Look(Duration pause, String schedule, @Nullable Instant time, @Nullable UUID job) {
    static Look nothing(Duration pause) {
      return new Look(pause, "", null, null);
    }
  }

  @Override
  public String name() {
    return "job-scheduler";
  }

  @Override
  public Next runOnce() {
    Failed failed;
    try {
      Look look = database.transact(this::fireOne);
      Instant time = look.time();
      UUID job = look.job();
      if (time != null && job != null) {
        news.fired(look.schedule(), time, job);
      }
      Duration wait = look.pause();
      if (wait.isZero()) {
        wakeups.ready();
        return Next.now();
      }
      return Next.sleep(wait.compareTo(LOOK) < 0 ? wait : LOOK);
    } catch (Failed e) {
      failed = e;
    }
    putOff(failed);
    return Next.now();
  }

  private Look fireOne(Tx tx) {
    ScheduleStore store = ScheduleStore.in(tx);
    Due due = store.lockDue().orElse(null);
    if (due == null) {
      Duration wait = store.untilNext().orElse(LOOK);
      // One that is due and locked is somebody else's; it is looked for again soon.
      return Look.nothing(wait.isNegative() || wait.isZero() ? Duration.ofMillis(100) : wait);
    }
    ScheduleInfo info = due.info();
    if (info == null) {
      throw new Failed(due, due.complaint());
    }
    try {
      return fire(tx, store, info);
    } catch (DatabaseException e) {
      if (e.kind() == Kind.CONTENTION || e.kind() == Kind.DISCONNECTED) {
        throw e;
      }
      throw new Failed(due, e);
    } catch (WaybillException e) {
      throw new Failed(due, e);
    }
  }

  private Look fire(Tx tx, ScheduleStore store, ScheduleInfo due) {
    Schedule schedule = due.schedule();
    ScheduleCursor cursor = new ScheduleCursor(schedule);
    ScheduleCursor.Step step = cursor.step(due, store.now());
    Instant missed = step.missed();
    if (missed != null && !isFired(store, schedule, missed)) {
      store.fire(schedule.name(), missed, Outcome.MISFIRED, null);
    }
    Instant time = step.fire();
    UUID job = null;
    if (time != null && !isFired(store, schedule, time)) {
      if (schedule.overlap() == Schedule.Overlap.SKIP && isBusy(tx, due.lastJob())) {
        store.fire(schedule.name(), time, Outcome.OVERLAPPED, null);
      } else {
        job = enqueue(tx, schedule, time, "schedule:" + schedule.name() + "@" + time).id();
        store.fire(schedule.name(), time, Outcome.ENQUEUED, job);
      }
    }
    store.fired(schedule.name(), cursor.fireAt(step.next()), step.next(), job);
    store.forget(schedule.name(), KEPT);
    return new Look(Duration.ZERO, schedule.name(), time, job);
  }

  /** Its time comes again if the database's clock was set back and the schedule began anew. */
  private static boolean isFired(ScheduleStore store, Schedule schedule, Instant time) {
    boolean fired = store.isFired(schedule.name(), time);
    if (fired) {
      log.warn("Schedule {} was acted upon for {} before", schedule.name(), time);
    }
    return fired;
  }

  private static boolean isBusy(Tx tx, @Nullable UUID lastJob) {
    return lastJob != null
        && JobStore.in(tx)
            .get(lastJob)
            .map(JobInfo::status)
            .filter(s -> !s.isTerminal())
            .isPresent();
  }

  /** A time that an operator chose became a job. */
  void triggered(String schedule, Instant time, UUID job) {
    news.fired(schedule, time, job);
  }

  Enqueued enqueue(Tx tx, Schedule schedule, Instant time, String key) {
    JobRequest request =
        JobRequest.of(schedule.type())
            .scope(schedule.scope())
            .payload(payload(schedule, time))
            .stage("scheduled")
            .idempotencyKey(key)
            .build();
    return enqueuer.enqueue(tx, List.of(request)).get(0);
  }

  /** The payload, and from which schedule and for which time it comes. */
  static String payload(Schedule schedule, Instant time) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    Object own = Json.parse(schedule.payload());
    if (own instanceof Map<?, ?> object) {
      object.forEach((name, value) -> members.put((String) name, value));
    } else {
      members.put("payload", own);
    }
    members.put("_schedule", Map.of("name", schedule.name(), "scheduled_for", time.toString()));
    return Json.write(members);
  }

  private void putOff(Failed failed) {
    Due due = failed.due;
    String name = due.name();
    Duration delay = FIRST_DELAY.multipliedBy(1L << Math.min(due.failures(), MOST_DOUBLINGS));
    log.warn(
        "Schedule {} cannot be acted upon; trying again in {}", name, delay, failed.getCause());
    database.transact(
        tx -> {
          ScheduleStore.in(tx).failed(name, delay, Wording.of(String.valueOf(failed.getMessage())));
          return true;
        });
  }

  private static final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Due due;

    Failed(Due due, @Nullable WaybillException cause) {
      super(cause == null ? null : cause.getMessage(), cause);
      this.due = due;
    }
  }
}

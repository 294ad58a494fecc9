package dev.waybill.internal.store;

import dev.waybill.WaybillException;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.Schedule;
import dev.waybill.job.ScheduleFire;
import dev.waybill.job.ScheduleInfo;
import dev.waybill.job.Scope;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs that come back, in one transaction. */
public final class ScheduleStore {
  private final Tx tx;

  private ScheduleStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static ScheduleStore in(Tx tx) {
    return new ScheduleStore(tx);
  }

  /** The database's clock. */
  public Instant now() {
    return tx.sql("schedule_clock").one(row -> row.time("now"));
  }

  /** The names of the active schedules that enqueue jobs of a type. */
  public List<String> activeFor(String type) {
    return tx.sql("schedule_active_for").set("type", type).list(row -> row.text("name"));
  }

  /** All by name. */
  public List<ScheduleInfo> all() {
    return tx.sql("schedule_rows").list(ScheduleStore::read);
  }

  /** Reads one. */
  public Optional<ScheduleInfo> get(String name) {
    return tx.sql("schedule_get").set("name", name).first(ScheduleStore::read);
  }

  /** Reads one that nobody else changes until the transaction ends. */
  public Optional<ScheduleInfo> lock(String name) {
    return tx.sql("schedule_lock").set("name", name).first(ScheduleStore::read);
  }

  /**
   * One that is due. What its row says may be more than this program understands.
   *
   * @param info null if so
   * @param complaint what it does not understand
   */
  public record Due(
      String name,
      int failures,
      @Nullable ScheduleInfo info,
      @Nullable WaybillException complaint) {
    private static Due read(Row row) throws SQLException {
      String name = row.text("name");
      int failures = (int) row.number("failures");
      try {
        return new Due(name, failures, ScheduleStore.read(row), null);
      } catch (WaybillException e) {
        return new Due(name, failures, null, e);
      }
    }
  }

  /** Locks the one that is due longest and that nobody else has. */
  public Optional<Due> lockDue() {
    return tx.sql("schedule_due_lock").first(Due::read);
  }

  /** How long until the next is due. */
  public Optional<Duration> untilNext() {
    return tx.sql("schedule_next")
        .one(row -> Optional.ofNullable(row.numberOrNull("micros")))
        .map(micros -> Duration.of(micros, ChronoUnit.MICROS));
  }

  private static ScheduleInfo read(Row row) throws SQLException {
    String tenant = row.text("tenant");
    Schedule schedule =
        new Schedule(
            row.text("name"),
            row.text("type"),
            tenant.isEmpty() ? Scope.global() : Scope.tenant(tenant),
            row.text("payload"),
            row.text("rule"),
            zone(row.text("name"), row.text("zone")),
            Duration.of(row.number("jitter_micros"), ChronoUnit.MICROS),
            JobCodes.MISFIRE.word(row.number("misfire")),
            Duration.of(row.number("misfire_micros"), ChronoUnit.MICROS),
            JobCodes.OVERLAP.word(row.number("overlap")));
    return new ScheduleInfo(
        schedule,
        row.flag("active"),
        row.time("next_fire_at"),
        row.time("scheduled_for"),
        row.timeOrNull("last_fired_at"),
        row.uuidOrNull("last_job_id"),
        (int) row.number("failures"),
        row.textOrNull("last_error"));
  }

  /** Somebody whose JVM is newer may have put it. */
  private static ZoneId zone(String schedule, String zone) {
    try {
      return ZoneId.of(zone);
    } catch (DateTimeException e) {
      throw new InvalidArgument(
          "job_schedule.unknown_zone",
          "Schedule '"
              + schedule
              + "' is in the time zone '"
              + zone
              + "', which this JVM does not know: update its time zone data, or remove the schedule"
              + " and put it with another zone.");
    }
  }

  /** Adds one. */
  public void insert(ScheduleInfo info) {
    fields("schedule_insert", info).update();
  }

  /** Replaces what one says and when it is next. */
  public void update(ScheduleInfo info) {
    fields("schedule_update", info).update();
  }

  private Query fields(String statement, ScheduleInfo info) {
    Schedule schedule = info.schedule();
    return tx.sql(statement)
        .set("name", schedule.name())
        .set("type", schedule.type())
        .set("tenant", Objects.requireNonNullElse(JobStore.tenantOrAny(schedule.scope()), ""))
        .set("payload", schedule.payload())
        .set("rule", schedule.rule())
        .set("zone", schedule.zone().getId())
        .set("jitter", schedule.jitter().toNanos() / 1000)
        .set("misfire", JobCodes.MISFIRE.number(schedule.misfire()))
        .set("window", schedule.misfireWindow().toNanos() / 1000)
        .set("overlap", JobCodes.OVERLAP.number(schedule.overlap()))
        .set("active", info.active())
        .time("next_fire_at", info.nextFireAt())
        .time("scheduled_for", info.scheduledFor());
  }

  /** One has been acted upon. */
  public void fired(String name, Instant nextFireAt, Instant scheduledFor, @Nullable UUID job) {
    tx.sql("schedule_fired")
        .set("name", name)
        .time("next_fire_at", nextFireAt)
        .time("scheduled_for", scheduledFor)
        .set("job", job)
        .update();
  }

  /** One could not be acted upon. */
  public void failed(String name, Duration delay, String error) {
    tx.sql("schedule_failed")
        .set("name", name)
        .set("delay", delay.toNanos() / 1000)
        .set("error", error)
        .update();
  }

  /** Removes one. */
  public boolean remove(String name) {
    return tx.sql("schedule_remove").set("name", name).update() > 0;
  }

  /** Whether something became of a time already. */
  public boolean isFired(String schedule, Instant scheduledFor) {
    return tx.sql("schedule_fire_count")
        .set("schedule", schedule)
        .time("scheduled_for", scheduledFor)
        .one(row -> row.number("fires") > 0);
  }

  /** Records what became of a time. */
  public void fire(
      String schedule, Instant scheduledFor, ScheduleFire.Outcome outcome, @Nullable UUID job) {
    tx.sql("schedule_fire_insert")
        .set("schedule", schedule)
        .time("scheduled_for", scheduledFor)
        .set("outcome", JobCodes.FIRE.number(outcome))
        .set("job", job)
        .update();
  }

  /** Forgets what became of all times of a schedule but the newest so many. */
  public void forget(String schedule, int kept) {
    tx.sql("schedule_fire_old")
        .set("schedule", schedule)
        .set("kept", kept)
        .first(row -> row.time("scheduled_for"))
        .ifPresent(
            old ->
                tx.sql("schedule_fire_forget")
                    .set("schedule", schedule)
                    .time("scheduled_for", old)
                    .update());
  }

  /** What became of its times, newest first. */
  public List<ScheduleFire> fires(String schedule, int limit) {
    return tx.sql("schedule_fire_rows")
        .set("schedule", schedule)
        .set("limit", limit)
        .list(
            row ->
                new ScheduleFire(
                    row.time("scheduled_for"),
                    row.time("fired_at"),
                    JobCodes.FIRE.word(row.number("outcome")),
                    row.uuidOrNull("job_id")));
  }
}

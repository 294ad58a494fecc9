package dev.waybill.internal.job;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobDefinitionStore;
import dev.waybill.internal.store.ScheduleStore;
import dev.waybill.job.JobException.DefinitionUnavailable;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.Schedule;
import dev.waybill.job.ScheduleInfo;
import dev.waybill.job.ScheduleSync;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Brings the schedules in the database in line with those of the program. The definitions are
 * locked first, so that programs that start together do it one after the other.
 */
final class ScheduleCatalog {
  private final Database database;

  ScheduleCatalog(Database database) {
    this.database = database;
  }

  /** A schedule that can be followed, and its times. */
  private record Wanted(Schedule schedule, ScheduleCursor cursor) {
    static Wanted checked(Schedule schedule) {
      String complaint = Json.complaintAbout(schedule.payload());
      if (complaint != null) {
        throw new InvalidArgument(
            "job_schedule.invalid_payload",
            "The payload of schedule '" + schedule.name() + "' " + complaint + ".");
      }
      return new Wanted(schedule, new ScheduleCursor(schedule));
    }
  }

  ScheduleInfo put(Schedule schedule) {
    Wanted wanted = Wanted.checked(schedule);
    return database.transact(
        tx -> {
          requireEnabled(tx, schedule.type());
          ScheduleStore store = ScheduleStore.in(tx);
          return put(store, wanted, store.lock(schedule.name()).orElse(null));
        });
  }

  ScheduleSync sync(Collection<Schedule> schedules) {
    return sync(byName(schedules), Set.of());
  }

  ScheduleSync syncExactly(Collection<Schedule> schedules, Set<String> owned) {
    Map<String, Wanted> byName = byName(schedules);
    if (owned.isEmpty()) {
      throw new InvalidArgument(
          "job_schedule.empty_scope",
          "An exact synchronisation needs the names that it owns: those of all schedules that"
              + " this program ever had.");
    }
    Set<String> strangers = new TreeSet<>(byName.keySet());
    strangers.removeAll(owned);
    if (!strangers.isEmpty()) {
      throw new InvalidArgument(
          "job_schedule.outside_scope",
          "The schedules " + strangers + " are wanted but not among the owned names.");
    }
    return sync(byName, owned);
  }

  private static Map<String, Wanted> byName(Collection<Schedule> schedules) {
    Map<String, Wanted> byName = new TreeMap<>();
    for (Schedule schedule : schedules) {
      if (byName.put(schedule.name(), Wanted.checked(schedule)) != null) {
        throw new InvalidArgument(
            "job_schedule.duplicate_name",
            "There are two schedules with the name '" + schedule.name() + "'.");
      }
    }
    return byName;
  }

  private ScheduleSync sync(Map<String, Wanted> wanted, Set<String> owned) {
    if (wanted.isEmpty() && owned.isEmpty()) {
      return new ScheduleSync(List.of(), List.of(), List.of());
    }
    return database.transact(
        tx -> {
          List<String> inserted = new ArrayList<>();
          List<String> updated = new ArrayList<>();
          List<String> paused = new ArrayList<>();
          wanted.values().forEach(each -> requireEnabled(tx, each.schedule().type()));
          ScheduleStore store = ScheduleStore.in(tx);
          Set<String> names = new TreeSet<>(owned);
          names.addAll(wanted.keySet());
          for (String name : names) {
            ScheduleInfo before = store.lock(name).orElse(null);
            Wanted each = wanted.get(name);
            if (each == null) {
              if (before != null && before.active()) {
                pause(store, before);
                paused.add(name);
              }
            } else if (before == null || !before.schedule().equals(each.schedule())) {
              put(store, each, before);
              (before == null ? inserted : updated).add(name);
            }
          }
          return new ScheduleSync(inserted, updated, paused);
        });
  }

  private static ScheduleInfo put(
      ScheduleStore store, Wanted wanted, @Nullable ScheduleInfo before) {
    Schedule schedule = wanted.schedule();
    ScheduleInfo same = before != null && hasRuleOf(before, schedule) ? before : null;
    Instant next = same == null ? wanted.cursor().after(store.now()) : same.scheduledFor();
    Instant fireAt =
        same != null && same.schedule().jitter().equals(schedule.jitter())
            ? same.nextFireAt()
            : wanted.cursor().fireAt(next);
    ScheduleInfo info =
        new ScheduleInfo(
            schedule,
            before == null || before.active(),
            fireAt,
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

  private static boolean hasRuleOf(ScheduleInfo before, Schedule schedule) {
    return before.schedule().rule().equals(schedule.rule())
        && before.schedule().zone().equals(schedule.zone());
  }

  private static void pause(ScheduleStore store, ScheduleInfo info) {
    store.update(
        new ScheduleInfo(
            info.schedule(), false, info.nextFireAt(), info.scheduledFor(), null, null, 0, null));
  }

  /** Locked, so that it is not disabled while a schedule comes to need it. */
  static void requireEnabled(Tx tx, String type) {
    boolean enabled =
        JobDefinitionStore.in(tx).allLocked().stream()
            .anyMatch(definition -> definition.type().equals(type) && definition.enabled());
    if (!enabled) {
      throw new DefinitionUnavailable(type);
    }
  }
}

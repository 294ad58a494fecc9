package dev.waybill.internal.job;

import dev.waybill.job.Schedule;
import dev.waybill.job.ScheduleInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** Which time of a schedule comes when, and what to do with those that have passed. */
final class ScheduleCursor {
  /** Whoever comes this late has missed the time; before, it was only busy. */
  private static final Duration LATE = Duration.ofMinutes(1);

  /** A rule without a further time looks again in a year. */
  private static final Duration NEVER = Duration.ofDays(366);

  private final Schedule schedule;
  private final ScheduleRule rule;

  ScheduleCursor(Schedule schedule) {
    this.schedule = schedule;
    this.rule = ScheduleRule.of(schedule);
  }

  /**
   * What to do now.
   *
   * @param fire the time to enqueue a job for; null for none
   * @param missed the time that is left out; null for none
   * @param next the time after that
   */
  record Step(@Nullable Instant fire, @Nullable Instant missed, Instant next) {}

  Step step(ScheduleInfo info, Instant now) {
    Instant current = info.scheduledFor();
    return switch (schedule.misfire()) {
      case SKIP -> {
        boolean late = Duration.between(info.nextFireAt(), now).compareTo(LATE) > 0;
        // A failure puts a time off; that is not what being late means.
        yield late && info.failures() == 0
            ? new Step(null, current, after(now))
            : new Step(current, null, after(later(current, now)));
      }
      case ONCE -> {
        Instant latest = latest(current, now);
        yield new Step(latest, null, after(later(latest, now)));
      }
      case ALL -> {
        Instant oldest = now.minus(schedule.misfireWindow());
        Instant first = current.isBefore(oldest) ? after(oldest.minusSeconds(1)) : current;
        yield first.isAfter(now)
            ? new Step(null, current, first)
            : new Step(first, null, after(first));
      }
    };
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  Instant after(Instant time) {
    return rule.next(time).orElse(time.plus(NEVER));
  }

  /** The last time up to now, at least the current one; found from now backwards. */
  private Instant latest(Instant current, Instant now) {
    Instant next = after(current);
    if (next.isAfter(now)) {
      return current;
    }
    for (Duration back = Duration.ofSeconds(2); ; back = back.multipliedBy(2)) {
      Instant from = later(now.minus(back), current);
      Instant found = after(from);
      if (!found.isAfter(now)) {
        for (next = after(found); !next.isAfter(now); next = after(next)) {
          found = next;
        }
        return found;
      }
      if (from.equals(current)) {
        return current;
      }
    }
  }

  /** When to act upon a time: always the same delay for the same time. */
  Instant fireAt(Instant time) {
    long micros = schedule.jitter().toNanos() / 1000;
    if (micros == 0) {
      return time;
    }
    CRC32 crc = new CRC32();
    crc.update((schedule.name() + "@" + time).getBytes(StandardCharsets.UTF_8));
    return time.plus((long) (crc.getValue() / (double) 0xFFFFFFFFL * micros), ChronoUnit.MICROS);
  }

  List<Instant> preview(Instant after, int count) {
    List<Instant> times = new ArrayList<>();
    rule.next(after).ifPresent(times::add);
    while (!times.isEmpty() && times.size() < count) {
      var next = rule.next(times.get(times.size() - 1));
      if (next.isEmpty()) {
        return times;
      }
      times.add(next.get());
    }
    return times;
  }
}

package dev.waybill.internal.job;

import dev.waybill.internal.job.CronField.Kind;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cron expression in a time zone: five fields, or six with seconds in front, or a word such as
 * {@code @daily}. A day must match both the day of the month and the day of the week.
 *
 * <p>When clocks change: an expression with certain hours fires once for each time it names. A time
 * that the clocks leave out is made up for at the moment they are set forward; a time that they
 * show twice counts the first time. An expression whose hours are open ({@code *}, or every n-th)
 * fires whenever the clock shows such a time: also when it shows it a second time, and not for an
 * hour that it leaves out.
 */
final class Cron implements ScheduleRule {
  private static final Map<String, String> WORDS =
      Map.of(
          "@yearly", "0 0 1 1 *",
          "@annually", "0 0 1 1 *",
          "@monthly", "0 0 1 * *",
          "@weekly", "0 0 * * 0",
          "@daily", "0 0 * * *",
          "@midnight", "0 0 * * *",
          "@hourly", "0 * * * *");

  /** A leap day on a certain day of the week comes back after forty years at most. */
  private static final int YEARS = 45;

  private final ZoneRules rules;
  private final CronField second;
  private final CronField minute;
  private final CronField hour;
  private final CronField dayOfMonth;
  private final CronField month;
  private final CronField dayOfWeek;

  private Cron(String[] fields, ZoneId zone) {
    this.rules = zone.getRules();
    this.second = CronField.parse(Kind.SECOND, fields[0]);
    this.minute = CronField.parse(Kind.MINUTE, fields[1]);
    this.hour = CronField.parse(Kind.HOUR, fields[2]);
    this.dayOfMonth = CronField.parse(Kind.DAY_OF_MONTH, fields[3]);
    this.month = CronField.parse(Kind.MONTH, fields[4]);
    this.dayOfWeek = CronField.parse(Kind.DAY_OF_WEEK, fields[5]);
  }

  /** Throws an {@link IllegalArgumentException} that says what is wrong with the text. */
  static Cron parse(String text, ZoneId zone) {
    String words = text.strip().toLowerCase(Locale.ROOT);
    String expression = WORDS.getOrDefault(words, text.strip());
    String[] fields = expression.split("\\s+");
    if (fields.length == 5) {
      fields = ("0 " + expression).split("\\s+");
    }
    if (fields.length != 6) {
      throw new IllegalArgumentException("it has " + fields.length + " fields instead of 5 or 6");
    }
    Cron cron = new Cron(fields, zone);
    if (cron.nextLocal(LocalDateTime.of(2000, 1, 1, 0, 0)) == null) {
      throw new IllegalArgumentException("no day of any year matches it");
    }
    return cron;
  }

  @Override
  public Optional<Instant> next(Instant after) {
    Instant at = after.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
    Instant end = after.plus(366L * YEARS, ChronoUnit.DAYS);
    while (at.isBefore(end)) {
      ZoneOffsetTransition before = rules.previousTransition(at.plusNanos(1));
      if (before != null && before.getInstant().equals(at) && isMissedIn(before)) {
        return Optional.of(at);
      }
      ZoneOffset offset = rules.getOffset(at);
      LocalDateTime match = nextLocal(from(at, offset, before));
      if (match == null) {
        return Optional.empty();
      }
      Instant found = match.toInstant(offset);
      ZoneOffsetTransition next = rules.nextTransition(at);
      if (next == null || found.isBefore(next.getInstant())) {
        return Optional.of(found);
      }
      at = next.getInstant();
    }
    return Optional.empty();
  }

  /** Whether the clocks left out a time that is named. */
  private boolean isMissedIn(ZoneOffsetTransition transition) {
    if (!transition.isGap() || hour.isOpen()) {
      return false;
    }
    LocalDateTime match = nextLocal(transition.getDateTimeBefore());
    // What matches at the end of the gap fires by itself.
    return match != null && match.isBefore(transition.getDateTimeAfter());
  }

  /** The local time from which on to look: not again where the clocks were set back. */
  private LocalDateTime from(Instant at, ZoneOffset offset, @Nullable ZoneOffsetTransition before) {
    LocalDateTime local = LocalDateTime.ofEpochSecond(at.getEpochSecond(), 0, offset);
    return before != null
            && before.isOverlap()
            && !hour.isOpen()
            && local.isBefore(before.getDateTimeBefore())
        ? before.getDateTimeBefore()
        : local;
  }

  /** The first matching local time, this one included. */
  private @Nullable LocalDateTime nextLocal(LocalDateTime from) {
    LocalDate day = from.toLocalDate();
    LocalTime time = nextTime(from.toLocalTime());
    if (time == null) {
      day = day.plusDays(1);
    }
    if (time == null || !matches(day)) {
      LocalDate found = nextDay(day);
      time = found != null && found.equals(day) && time != null ? time : nextTime(LocalTime.MIN);
      day = found;
    }
    return day == null || time == null ? null : day.atTime(time);
  }

  private @Nullable LocalDate nextDay(LocalDate from) {
    LocalDate end = from.plusYears(YEARS);
    LocalDate day = from;
    while (day.isBefore(end)) {
      if (!month.matches(day.getMonthValue())) {
        day = day.withDayOfMonth(1).plusMonths(1);
      } else if (matches(day)) {
        return day;
      } else {
        day = day.plusDays(1);
      }
    }
    return null;
  }

  private boolean matches(LocalDate day) {
    return month.matches(day.getMonthValue())
        && dayOfMonth.matches(day.getDayOfMonth())
        && dayOfWeek.matches(day.getDayOfWeek().getValue() % 7);
  }

  private @Nullable LocalTime nextTime(LocalTime from) {
    int h = hour.next(from.getHour());
    int m = h == from.getHour() ? minute.next(from.getMinute()) : minute.next(0);
    int s =
        h == from.getHour() && m == from.getMinute()
            ? second.next(from.getSecond())
            : second.next(0);
    if (h >= 0 && m >= 0 && s < 0) {
      m = minute.next(m + 1);
      s = second.next(0);
    }
    if (h >= 0 && m < 0) {
      h = hour.next(h + 1);
      m = minute.next(0);
      s = second.next(0);
    }
    return h < 0 ? null : LocalTime.of(h, m, s);
  }
}

package dev.waybill.internal.job;

import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** When a schedule fires. */
interface ScheduleRule {
  /** The first time after this one. */
  Optional<Instant> next(Instant after);

  /** The rule of a schedule. */
  static ScheduleRule of(Schedule schedule) {
    String text = schedule.rule().strip();
    try {
      return text.startsWith("every ")
          ? Every.parse(text.substring("every ".length()).strip())
          : Cron.parse(text, schedule.zone());
    } catch (IllegalArgumentException | DateTimeParseException e) {
      throw new InvalidArgument(
          "job_schedule.invalid_rule",
          "The rule of schedule '"
              + schedule.name()
              + "' cannot be followed: "
              + e.getMessage()
              + ". Write a cron expression of 5 or 6 fields, a word such as @daily, or 'every' and"
              + " an ISO duration such as PT15M.");
    }
  }

  /**
   * At a fixed rate, counted from 1970, so that all processes agree without asking.
   *
   * @param seconds between two times
   */
  record Every(long seconds) implements ScheduleRule {
    private static final Duration LONGEST = Duration.ofDays(366);

    static Every parse(String text) {
      Duration period = Duration.parse(text);
      if (period.toSeconds() < 1 || period.toNanosPart() != 0 || period.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "the period must be of whole seconds, from a second to a year, not " + period);
      }
      return new Every(period.toSeconds());
    }

    @Override
    public Optional<Instant> next(Instant after) {
      long count = Math.floorDiv(after.getEpochSecond(), seconds) + 1;
      return Optional.of(Instant.ofEpochSecond(count * seconds));
    }
  }
}

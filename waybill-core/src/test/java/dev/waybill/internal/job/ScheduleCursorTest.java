package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.job.Schedule;
import dev.waybill.job.Schedule.Misfire;
import dev.waybill.job.ScheduleInfo;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What was missed while the clocks were changed. */
class ScheduleCursorTest {
  private static final Schedule NIGHTLY =
      Schedule.of("n", "a", "30 2 * * *").withZone(ZoneId.of("Europe/Berlin"));
  private static final Schedule HALF_HOURLY =
      Schedule.of("h", "a", "*/30 * * * *").withZone(ZoneId.of("Europe/Berlin"));

  /** All that is fired if somebody looks only now, from a time on that was due long ago. */
  private static List<Instant> caughtUp(Schedule schedule, String current, String now) {
    ScheduleCursor cursor = new ScheduleCursor(schedule);
    Instant at = Instant.parse(now);
    Instant due = Instant.parse(current);
    List<Instant> fired = new ArrayList<>();
    while (!due.isAfter(at)) {
      ScheduleCursor.Step step =
          cursor.step(new ScheduleInfo(schedule, true, due, due, null, null, 0, null), at);
      Instant time = step.fire();
      if (time != null) {
        fired.add(time);
      }
      due = step.next();
    }
    return fired;
  }

  private static List<Instant> times(String... times) {
    return List.of(times).stream().map(Instant::parse).toList();
  }

  @Test
  void everyNightWithinTheWindowIsMadeUpForOnceAlsoThoseOfTheChanges() {
    Schedule all = NIGHTLY.withMisfire(Misfire.ALL, Duration.ofDays(3));
    // 2030-03-31: 02:00 becomes 03:00, so 02:30 is made up for at 03:00, which is 01:00 in UTC.
    assertThat(caughtUp(all, "2030-03-20T01:30:00Z", "2030-04-02T00:00:00Z"))
        .isEqualTo(times("2030-03-30T01:30:00Z", "2030-03-31T01:00:00Z", "2030-04-01T00:30:00Z"));
    // 2030-10-27: 03:00 becomes 02:00, and 02:30 comes twice.
    assertThat(caughtUp(all, "2030-10-20T00:30:00Z", "2030-10-28T12:00:00Z"))
        .isEqualTo(times("2030-10-26T00:30:00Z", "2030-10-27T00:30:00Z", "2030-10-28T01:30:00Z"));
  }

  @Test
  void theLatestOfManyIsThatOfTheChange() {
    Schedule once = NIGHTLY.withMisfire(Misfire.ONCE, Duration.ZERO);
    assertThat(caughtUp(once, "2030-01-01T01:30:00Z", "2030-03-31T12:00:00Z"))
        .isEqualTo(times("2030-03-31T01:00:00Z"));
    assertThat(caughtUp(once, "2030-01-01T01:30:00Z", "2030-10-27T01:00:00Z"))
        .isEqualTo(times("2030-10-27T00:30:00Z"));
  }

  /** A window counts the time that passes, not what clocks show. */
  @Test
  void aWindowOverAChangeIsAsLongAsAnyOther() {
    Schedule all = HALF_HOURLY.withMisfire(Misfire.ALL, Duration.ofHours(2));
    assertThat(caughtUp(all, "2030-10-26T20:00:00Z", "2030-10-27T02:00:00Z"))
        .isEqualTo(
            times(
                "2030-10-27T00:00:00Z",
                "2030-10-27T00:30:00Z",
                "2030-10-27T01:00:00Z",
                "2030-10-27T01:30:00Z",
                "2030-10-27T02:00:00Z"));
  }

  @Test
  void whatIsLeftOutIsLeftOutUpToNow() {
    Schedule skip = NIGHTLY.withMisfire(Misfire.SKIP, Duration.ZERO);
    assertThat(caughtUp(skip, "2030-03-29T01:30:00Z", "2030-03-31T01:00:00Z")).isEmpty();
    assertThat(caughtUp(skip, "2030-03-31T01:00:00Z", "2030-03-31T01:00:30Z"))
        .isEqualTo(times("2030-03-31T01:00:00Z"));
  }
}

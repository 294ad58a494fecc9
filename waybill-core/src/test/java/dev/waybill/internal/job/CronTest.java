package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronTest {
  private static Instant next(String cron, String zone, String after) {
    return Cron.parse(cron, ZoneId.of(zone)).next(Instant.parse(after)).orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          * * * * *            | 2030-01-01T00:00:00Z    | 2030-01-01T00:01:00Z
          * * * * * *          | 2030-01-01T00:00:00.5Z  | 2030-01-01T00:00:01Z
          */15 * * * *         | 2030-01-01T00:46:00Z    | 2030-01-01T01:00:00Z
          5/20 * * * *         | 2030-01-01T00:06:00Z    | 2030-01-01T00:25:00Z
          30 10 6 * * *        | 2030-01-01T06:10:30Z    | 2030-01-02T06:10:30Z
          0 9-17/4 * * 1-5     | 2030-01-04T17:00:00Z    | 2030-01-07T09:00:00Z
          0 0 1 JAN,jul *      | 2030-01-01T00:00:00Z    | 2030-07-01T00:00:00Z
          0 0 31 * *           | 2030-01-31T00:00:00Z    | 2030-03-31T00:00:00Z
          0 0 29 2 *           | 2097-01-01T00:00:00Z    | 2104-02-29T00:00:00Z
          0 0 29 2 MON         | 2030-01-01T00:00:00Z    | 2044-02-29T00:00:00Z
          0 12 13 * FRI        | 2030-01-01T00:00:00Z    | 2030-09-13T12:00:00Z
          0 0 * * 7            | 2030-01-01T00:00:00Z    | 2030-01-06T00:00:00Z
          0 0 * * SUN          | 2030-01-01T00:00:00Z    | 2030-01-06T00:00:00Z
          0 0 * * 0            | 2030-01-06T00:00:00Z    | 2030-01-13T00:00:00Z
          0 0 * * SAT-SUN      | 2030-01-05T00:00:00Z    | 2030-01-06T00:00:00Z
          0 0 * * MON-SUN      | 2030-01-06T00:00:00Z    | 2030-01-07T00:00:00Z
          0 0 * * MON-SUN/3    | 2030-01-03T00:00:00Z    | 2030-01-06T00:00:00Z
          0 0 * * SUN-TUE      | 2030-01-01T00:00:00Z    | 2030-01-06T00:00:00Z
          0 0 ? * 5-7          | 2030-01-05T00:00:00Z    | 2030-01-06T00:00:00Z
          59 59 23 31 12 *     | 2030-12-31T23:59:59Z    | 2031-12-31T23:59:59Z
          @hourly              | 2030-01-01T00:00:01Z    | 2030-01-01T01:00:00Z
          @daily               | 2030-01-01T00:00:00Z    | 2030-01-02T00:00:00Z
          @weekly              | 2030-01-01T00:00:00Z    | 2030-01-06T00:00:00Z
          @monthly             | 2030-01-01T00:00:00Z    | 2030-02-01T00:00:00Z
          @Yearly              | 2030-01-01T00:00:00Z    | 2031-01-01T00:00:00Z
          """)
  void hardCases(String cron, String after, String expected) {
    assertThat(next(cron, "Z", after)).isEqualTo(Instant.parse(expected));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*",
        "* * * *",
        "* * * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * 0 *",
        "* * * * 8",
        "*/0 * * * *",
        "1-0 * * * *",
        "1--2 * * * *",
        "a * * * *",
        "1,,2 * * * *",
        "1/2/3 * * * *",
        "-1 * * * *",
        "* * * FOO *",
        "* * 30 2 *",
        "* * 31 4,6,9,11 *",
        "@never",
        "99999 * * * *"
      })
  void nonsenseIsRefused(String cron) {
    assertThatThrownBy(() -> Cron.parse(cron, ZoneOffset.UTC))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aTimeThatTheClocksLeaveOutIsMadeUpForWhenTheyChange() {
    // Berlin, 2030-03-31: 02:00 becomes 03:00.
    assertThat(next("30 2 * * *", "Europe/Berlin", "2030-03-30T12:00:00Z"))
        .isEqualTo(Instant.parse("2030-03-31T01:00:00Z"));
    assertThat(next("30 2 * * *", "Europe/Berlin", "2030-03-31T01:00:00Z"))
        .isEqualTo(Instant.parse("2030-04-01T00:30:00Z"));
    assertThat(next("0 3 * * *", "Europe/Berlin", "2030-03-31T00:00:00Z"))
        .isEqualTo(Instant.parse("2030-03-31T01:00:00Z"));
    assertThat(next("0 3 * * *", "Europe/Berlin", "2030-03-31T01:00:00Z"))
        .isEqualTo(Instant.parse("2030-04-01T01:00:00Z"));
  }

  @Test
  void aTimeThatTheClocksShowTwiceCountsOnce() {
    // Berlin, 2030-10-27: 03:00 becomes 02:00.
    assertThat(next("30 2 * * *", "Europe/Berlin", "2030-10-26T12:00:00Z"))
        .isEqualTo(Instant.parse("2030-10-27T00:30:00Z"));
    assertThat(next("30 2 * * *", "Europe/Berlin", "2030-10-27T00:30:00Z"))
        .isEqualTo(Instant.parse("2030-10-28T01:30:00Z"));
  }

  @Test
  void openHoursGoByTheTimeThatPasses() {
    Cron cron = Cron.parse("*/30 * * * *", ZoneId.of("Europe/Berlin"));
    for (String day : List.of("2030-03-31T00:00:00Z", "2030-10-27T00:00:00Z")) {
      Instant at = Instant.parse(day).minusSeconds(3600);
      for (int i = 0; i < 10; i++) {
        Instant next = cron.next(at).orElseThrow();
        assertThat(next).isEqualTo(at.plusSeconds(1800));
        at = next;
      }
    }
  }

  /** Twenty zones over ten years, against a search that looks at every local day. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Europe/Berlin",
        "Europe/London",
        "Europe/Dublin",
        "Europe/Moscow",
        "Europe/Istanbul",
        "America/New_York",
        "America/Los_Angeles",
        "America/Sao_Paulo",
        "America/St_Johns",
        "America/Havana",
        "America/Santiago",
        "Asia/Tokyo",
        "Asia/Kathmandu",
        "Asia/Tehran",
        "Asia/Gaza",
        "Africa/Casablanca",
        "Africa/Cairo",
        "Australia/Lord_Howe",
        "Pacific/Apia",
        "Pacific/Chatham"
      })
  void everyDayHasItsFireOnceInEveryZone(String name) {
    ZoneId zone = ZoneId.of(name);
    for (String time : List.of("00:00", "00:30", "01:30", "02:00", "02:30", "03:00", "23:59")) {
      int hour = Integer.parseInt(time.substring(0, 2));
      int minute = Integer.parseInt(time.substring(3));
      Cron cron = Cron.parse(minute + " " + hour + " * * *", zone);
      List<Instant> expected = new ArrayList<>();
      LocalDate end = LocalDate.of(2030, 1, 1);
      for (LocalDate day = LocalDate.of(2020, 1, 1); day.isBefore(end); day = day.plusDays(1)) {
        expected.add(fire(day.atTime(hour, minute), zone));
      }
      Instant at = expected.get(0).minusSeconds(1);
      for (Instant each : expected) {
        at = cron.next(at).orElseThrow();
        assertThat(at).as("%s %s", name, time).isEqualTo(each);
      }
    }
  }

  /** A missing time becomes the moment of the change, a double one its first. */
  private static Instant fire(LocalDateTime local, ZoneId zone) {
    var transition = zone.getRules().getTransition(local);
    if (transition != null && transition.isGap()) {
      return transition.getInstant();
    }
    return ZonedDateTime.ofLocal(local, zone, null)
        .withEarlierOffsetAtOverlap()
        .toInstant()
        .truncatedTo(ChronoUnit.SECONDS);
  }
}

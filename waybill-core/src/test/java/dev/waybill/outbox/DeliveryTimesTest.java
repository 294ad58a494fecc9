package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeliveryTimesTest {
  private static DeliveryTimes of(Duration... times) {
    Long[] counts = Collections.nCopies(DeliveryTimes.BUCKETS, 0L).toArray(Long[]::new);
    for (Duration time : times) {
      counts[DeliveryTimes.bucketOf(time)]++;
    }
    return new DeliveryTimes(List.of(counts));
  }

  @Test
  void aPercentileIsAtMostAFifthTooLong() {
    for (long micros = 100; micros < 3_600_000_000L; micros = micros * 3 / 2) {
      Duration time = Duration.ofNanos(micros * 1000);
      Duration told = of(time).percentile(0.99).orElseThrow();
      assertThat(told).isBetween(time.minusNanos(1), Duration.ofNanos(time.toNanos() * 6 / 5));
    }
  }

  @Test
  void whatIsTooShortOrTooLongIsCountedToo() {
    DeliveryTimes times = of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofDays(400));
    assertThat(times.total()).isEqualTo(3);
    assertThat(times.percentile(0.5)).hasValue(Duration.ofNanos(100_000));
    assertThat(times.percentile(1).orElseThrow()).isGreaterThan(Duration.ofHours(1));
  }

  @Test
  void whatWasAddedHasItsOwnPercentiles() {
    Duration quick = Duration.ofMillis(1);
    Duration slow = Duration.ofSeconds(2);
    DeliveryTimes earlier = of(quick, quick, quick);
    DeliveryTimes later = of(quick, quick, quick, slow);
    assertThat(later.percentile(0.5).orElseThrow()).isLessThan(Duration.ofMillis(2));
    assertThat(later.since(earlier).total()).isEqualTo(1);
    assertThat(later.since(earlier).percentile(0.5).orElseThrow()).isGreaterThanOrEqualTo(slow);
    assertThat(later.since(later).percentile(0.99)).isEmpty();
  }

  @Test
  void whatSeveralDeliveredHasThePercentilesOfAll() {
    Duration quick = Duration.ofMillis(1);
    Duration slow = Duration.ofSeconds(2);
    DeliveryTimes all = of(quick, quick, quick).plus(of(slow)).plus(DeliveryTimes.none());
    assertThat(all).isEqualTo(of(quick, quick, quick, slow));
    assertThat(all.percentile(0.75)).isEqualTo(of(quick).percentile(1));
    assertThat(all.percentile(0.76)).isEqualTo(of(slow).percentile(1));
    assertThat(DeliveryTimes.none().percentile(0.5)).isEmpty();
  }
}

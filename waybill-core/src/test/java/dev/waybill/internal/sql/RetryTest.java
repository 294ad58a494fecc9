package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryTest {
  private static Retry retry(Duration first, Duration most, double jitter) {
    return new Retry(7, first, most, () -> jitter, duration -> {});
  }

  @Test
  void theLimitOfThePausesDoublesUpToTheMost() {
    Retry retry = retry(Duration.ofMillis(20), Duration.ofMillis(500), 0.999_999_999);
    assertThat(
            IntStream.rangeClosed(1, 8)
                .mapToLong(failures -> Math.round(retry.pauseAfter(failures).toNanos() / 1e6)))
        .containsExactly(20L, 40L, 80L, 160L, 320L, 500L, 500L, 500L);
  }

  @Test
  void aPauseIsARandomPartOfItsLimit() {
    Duration first = Duration.ofMillis(20);
    assertThat(retry(first, first, 0).pauseAfter(3)).isZero();
    assertThat(retry(first, first, 0.5).pauseAfter(3)).isEqualTo(Duration.ofMillis(10));
  }

  @Test
  void thePausesOfTheStandardStayInRangeAndDiffer() {
    Retry standard = Retry.standard(duration -> {});
    assertThat(standard.attempts()).isEqualTo(7);
    var pauses = IntStream.range(0, 1000).mapToObj(i -> standard.pauseAfter(6)).toList();
    assertThat(pauses)
        .allSatisfy(pause -> assertThat(pause).isBetween(Duration.ZERO, Duration.ofMillis(500)))
        .doesNotHaveDuplicates();
  }

  @Test
  void longPausesAndManyFailuresDoNotOverflow() {
    Retry retry = retry(Duration.ofDays(1), Duration.ofDays(100_000), 0.999);
    for (int failures : new int[] {1, 2, 20, 21, 62, 63, 64, 65, Integer.MAX_VALUE}) {
      assertThat(retry.pauseAfter(failures))
          .isBetween(Duration.ofHours(23), Duration.ofDays(100_000));
    }
    assertThat(retry(Duration.ZERO, Duration.ofDays(1), 0.9).pauseAfter(50)).isZero();
  }

  @Test
  void neverMeansOneAttempt() {
    assertThat(Retry.never().attempts()).isEqualTo(1);
    assertThatCode(() -> Retry.never().pause().sleep(Duration.ofDays(1)))
        .doesNotThrowAnyException();
  }

  @Test
  void nonsenseIsRefused() {
    Duration one = Duration.ofMillis(1);
    assertThatThrownBy(() -> new Retry(0, one, one, () -> 0, duration -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 1");
    assertThatThrownBy(() -> retry(one.negated(), one, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> retry(one, Duration.ZERO, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

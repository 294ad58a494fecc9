package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static final Backoff PLAIN =
      new Backoff(Duration.ofSeconds(1), 2, Duration.ofSeconds(30), 0);

  @Test
  void standardIs100MsDoublingTo30SWith30PercentJitter() {
    assertThat(Backoff.standard())
        .isEqualTo(new Backoff(Duration.ofMillis(100), 2, Duration.ofSeconds(30), 0.3));
  }

  @Test
  void takesValidNumbers() {
    assertThat(PLAIN.initial()).isEqualTo(Duration.ofSeconds(1));
    assertThat(PLAIN.multiplier()).isEqualTo(2);
    assertThat(PLAIN.max()).isEqualTo(Duration.ofSeconds(30));
    assertThat(PLAIN.jitter()).isZero();
  }

  @Test
  void changesOneNumberAtATime() {
    assertThat(
            Backoff.standard()
                .withInitial(Duration.ofMillis(500))
                .withMax(Duration.ofSeconds(60))
                .withMultiplier(3)
                .withJitter(0.1))
        .isEqualTo(new Backoff(Duration.ofMillis(500), 3, Duration.ofSeconds(60), 0.1));
  }

  @Test
  void refusesAMultiplierBelowOne() {
    for (double bad : new double[] {0.99, 0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> PLAIN.withMultiplier(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("multiplier");
    }
  }

  @Test
  void refusesAnInitialDelayAboveTheMaximum() {
    assertThatThrownBy(() -> PLAIN.withInitial(Duration.ofSeconds(31)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT30S")
        .hasMessageContaining("PT31S");
  }

  @Test
  void refusesAnInitialDelayOfNothing() {
    assertThatThrownBy(() -> PLAIN.withInitial(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> PLAIN.withInitial(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesJitterOutsideZeroToOne() {
    for (double bad : new double[] {-0.1, 1, Double.NaN}) {
      assertThatThrownBy(() -> PLAIN.withJitter(bad)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void theFirstFailureWaitsTheInitialDelay() {
    assertThat(PLAIN.delay(1, BackoffTest::neverAsked)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void growsByTheMultiplier() {
    assertThat(delays(PLAIN, 4)).containsExactly(1000L, 2000L, 4000L, 8000L);
  }

  @Test
  void staysLinearWithAMultiplierOfOne() {
    assertThat(delays(PLAIN.withMultiplier(1), 4)).containsExactly(1000L, 1000L, 1000L, 1000L);
  }

  @Test
  void isCappedAtTheMaximumHoweverLongTheStreak() {
    assertThat(delays(PLAIN, 7)).endsWith(16_000L, 30_000L, 30_000L);
    assertThat(PLAIN.delay(Integer.MAX_VALUE, BackoffTest::neverAsked))
        .isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void withoutJitterEveryCallAgrees() {
    assertThat(PLAIN.delay(3, BackoffTest::neverAsked))
        .isEqualTo(PLAIN.delay(3, BackoffTest::neverAsked));
  }

  @Test
  void jitterVariesWithinItsBounds() {
    Backoff backoff = PLAIN.withJitter(0.3);
    var random = new Random(42);
    var seen =
        IntStream.range(0, 1000).mapToObj(i -> backoff.delay(2, random::nextDouble)).toList();
    assertThat(seen)
        .allSatisfy(d -> assertThat(d).isBetween(Duration.ofMillis(1400), Duration.ofMillis(2600)));
    assertThat(seen.stream().distinct().count()).isGreaterThan(900);
    assertThat(backoff.delay(2, () -> 0)).isEqualTo(Duration.ofMillis(1400));
    assertThat(backoff.delay(2, () -> 0.5)).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void jitterDoesNotExceedTheMaximum() {
    Backoff backoff = PLAIN.withJitter(0.3);
    var random = new Random(7);
    for (int i = 0; i < 1000; i++) {
      assertThat(backoff.delay(10, random::nextDouble))
          .isBetween(Duration.ofSeconds(21), Duration.ofSeconds(30));
    }
  }

  @Test
  void thereIsNoDelayWithoutAFailure() {
    assertThatThrownBy(() -> PLAIN.delay(0, BackoffTest::neverAsked))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Without jitter there is no use for random numbers. */
  private static double neverAsked() {
    throw new AssertionError("asked for a random number");
  }

  private static List<Long> delays(Backoff backoff, int failures) {
    return IntStream.rangeClosed(1, failures)
        .mapToObj(n -> backoff.delay(n, BackoffTest::neverAsked).toMillis())
        .toList();
  }
}

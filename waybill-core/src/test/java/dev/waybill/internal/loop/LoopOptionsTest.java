package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LoopOptionsTest {
  private final LoopOptions defaults = LoopOptions.defaults();

  @Test
  void byDefaultThereIsNoBellNoLimitNoPaceAndTheStandardBackoff() {
    assertThat(defaults.bells()).isEmpty();
    assertThat(defaults.permits().available()).isEqualTo(Integer.MAX_VALUE);
    assertThat(defaults.backoff()).isEqualTo(Backoff.standard());
    assertThat(defaults.pace()).isEqualTo(Pace.none());
    assertThat(defaults.listeners()).isEmpty();
  }

  @Test
  void takesOneOrSeveralBells() {
    var bell = new Bell();
    var other = new Bell();
    assertThat(defaults.withBells(bell).bells()).containsExactly(bell);
    assertThat(defaults.withBells(bell, other).bells()).containsExactly(bell, other);
  }

  @Test
  void keepsWhatItDoesNotChange() {
    var bell = new Bell();
    Permits permits = Permits.unlimited();
    var pace = new Pace(Duration.ofMillis(2), Duration.ofMillis(1), Duration.ofMillis(1));
    Backoff backoff = Backoff.standard().withMax(Duration.ofSeconds(60));
    var listener = new LoopListener() {};
    assertThat(
            defaults
                .withBells(bell)
                .withPermits(permits)
                .withPace(pace)
                .withBackoff(backoff)
                .withListeners(listener))
        .isEqualTo(
            defaults
                .withListeners(listener)
                .withBackoff(backoff)
                .withPace(pace)
                .withPermits(permits)
                .withBells(bell));
  }
}

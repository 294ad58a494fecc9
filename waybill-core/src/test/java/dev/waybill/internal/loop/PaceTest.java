package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PaceTest {
  @Test
  void rampsDownToTheMinimum() {
    var pace = new Pace(Duration.ofMillis(20), Duration.ofMillis(1), Duration.ofMillis(6));
    assertThat(Stream.iterate(pace.active(), pace::after).limit(6).map(Duration::toMillis))
        .containsExactly(20L, 14L, 8L, 2L, 1L, 1L);
  }

  @Test
  void staysWhereItIsWithoutARampStep() {
    var pace = new Pace(Duration.ofMillis(20), Duration.ZERO, Duration.ZERO);
    assertThat(pace.after(pace.active())).isEqualTo(Duration.ofMillis(20));
  }

  @Test
  void noneIsNoWaitAtAll() {
    assertThat(Pace.none().active()).isZero();
    assertThat(Pace.none().after(Duration.ZERO)).isZero();
  }

  @Test
  void refusesNegativesAndAMinimumAboveTheActiveInterval() {
    var ms = Duration.ofMillis(1);
    assertThatThrownBy(() -> new Pace(ms, Duration.ofMillis(2), ms))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT0.002S");
    assertThatThrownBy(() -> new Pace(ms, ms, ms.negated()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Pace(ms, ms.negated(), ms))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Pace(ms.negated(), ms.negated(), ms))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

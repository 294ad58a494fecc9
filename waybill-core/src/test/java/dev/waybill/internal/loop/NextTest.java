package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class NextTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void saysWhetherToPaceAndWhetherARingEndsTheWait() {
    assertThat(Next.now().isNow()).isTrue();
    assertThat(Next.now().endsWhenRung()).isFalse();
    assertThat(Next.after(SECOND).endsWhenRung()).isFalse();
    assertThat(Next.sleep(SECOND).endsWhenRung()).isTrue();
    assertThat(Next.whenRung().endsWhenRung()).isTrue();
    assertThat(Next.whenRung(SECOND).endsWhenRung()).isTrue();
  }

  @Test
  void carriesItsTime() {
    assertThat(Next.after(SECOND).nanos()).isEqualTo(1_000_000_000);
    assertThat(Next.sleep(SECOND).nanos()).isEqualTo(1_000_000_000);
    assertThat(Next.whenRung(SECOND).nanos()).isEqualTo(1_000_000_000);
    assertThat(Next.whenRung().nanos()).isEqualTo(Time.FOREVER);
  }

  @Test
  void onlyWaitingToBeRungIsIdle() {
    assertThat(Next.whenRung().isIdle()).isTrue();
    assertThat(Next.whenRung(SECOND).isIdle()).isTrue();
    assertThat(Next.now().isIdle()).isFalse();
    assertThat(Next.after(SECOND).isIdle()).isFalse();
    assertThat(Next.sleep(SECOND).isIdle()).isFalse();
  }

  @Test
  void kindsAreDistinct() {
    assertThat(
            List.of(
                Next.now(),
                Next.after(SECOND),
                Next.sleep(SECOND),
                Next.whenRung(),
                Next.whenRung(SECOND)))
        .doesNotHaveDuplicates();
  }

  @Test
  void equalWhenKindAndTimeAreEqual() {
    assertThat(Next.sleep(SECOND))
        .isEqualTo(Next.sleep(Duration.ofMillis(1000)))
        .hasSameHashCodeAs(Next.sleep(Duration.ofMillis(1000)))
        .isNotEqualTo(Next.sleep(Duration.ofMillis(1001)));
    assertThat(Next.now()).isEqualTo(Next.now()).isNotEqualTo(Next.after(Duration.ZERO));
  }

  @Test
  void readsWell() {
    assertThat(Next.now()).hasToString("now");
    assertThat(Next.after(SECOND)).hasToString("after PT1S");
    assertThat(Next.sleep(SECOND)).hasToString("sleep PT1S");
    assertThat(Next.whenRung()).hasToString("when rung");
    assertThat(Next.whenRung(SECOND)).hasToString("when rung, at most PT1S");
  }

  @Test
  @SuppressWarnings("NullAway") // What a caller without the checker could do.
  void refusesNullAndNegative() {
    List<Function<Duration, Next>> all = List.of(Next::after, Next::sleep, Next::whenRung);
    for (var factory : all) {
      assertThatThrownBy(() -> factory.apply(null)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> factory.apply(Duration.ofNanos(-1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("negative");
    }
  }

  @Test
  void whatIsTooLongForTheClockIsForever() {
    assertThat(Next.after(Duration.ofSeconds(Long.MAX_VALUE)).nanos()).isEqualTo(Time.FOREVER);
  }
}

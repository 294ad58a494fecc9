package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HeadStartTest {
  private final TestTime time = new TestTime();
  private final HeadStart headStart = new HeadStart(time);

  @Test
  void whoHasLittleToDeliverIsNumberedAtOnce() {
    assertThat(headStart.rest(1, HeadStart.PLENTY - 1, 3_000)).isZero();
    time.advanceMillis(10);
    assertThat(headStart.rest(1, HeadStart.PLENTY - 1, 3_000)).isZero();
  }

  @Test
  void whoHasPlentyRestsForHalfTheTimeItTakes() {
    assertThat(headStart.rest(1, 4_000, 3_000)).isZero();
    time.advanceMillis(100);
    // Of 7,000, 1,000 went in 100 ms; 6,000 take 600 ms.
    assertThat(headStart.rest(1, 6_000, 3_000)).isEqualTo(Duration.ofMillis(300));
    time.advanceMillis(300);
    assertThat(headStart.rest(1, 6_000, 3_000)).isEqualTo(Duration.ofMillis(300));
    assertThat(headStart.rest(2, 4_000, 3_000)).isZero();
  }

  @Test
  void theRestIsShortWhileNobodyKnowsHowFastItGoes() {
    assertThat(headStart.rest(1, 9_000, 3_000)).isEqualTo(Duration.ofMillis(50));
    time.advanceMillis(50);
    assertThat(headStart.rest(1, 12_000, 3_000)).isEqualTo(Duration.ofMillis(50));
    headStart.forget(1);
    time.advanceMillis(50);
    assertThat(headStart.rest(1, 12_000, 3_000)).isEqualTo(Duration.ofMillis(50));
  }

  @Test
  void evenWhoIsVerySlowIsNumberedEverySecond() {
    headStart.rest(1, 1_000_000, 3_000);
    time.advanceMillis(1_000);
    assertThat(headStart.rest(1, 1_002_990, 3_000)).isEqualTo(Duration.ofSeconds(1));
  }
}

package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.loop.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GatheringTest {
  private static final Duration VISIT = Duration.ofMillis(2);

  private final ManualTime time = new ManualTime();
  private final Gathering gathering = new Gathering(time);

  private Duration afterAVisit(Duration took, int messages, boolean more) {
    time.advance(gathering.left());
    long began = time.nanos();
    time.advance(took);
    gathering.visited(messages, began, more);
    return gathering.left();
  }

  @Test
  void aMessageThatComesAloneNeverWaits() {
    assertThat(gathering.left()).isZero();
    for (int i = 0; i < 10; i++) {
      assertThat(afterAVisit(VISIT, 1, false)).isZero();
    }
  }

  @Test
  void pausesGrowWhileSmallVisitsLeaveMore() {
    assertThat(afterAVisit(VISIT, 3, true)).isEqualTo(Duration.ofMillis(1));
    assertThat(afterAVisit(VISIT, 3, true)).isEqualTo(Duration.ofMillis(2));
    for (int i = 0; i < 10; i++) {
      afterAVisit(VISIT, 3, true);
    }
    assertThat(afterAVisit(VISIT, 3, true)).isEqualTo(VISIT.multipliedBy(4));
  }

  @Test
  void noPauseIsLongerThanABearableOne() {
    for (int i = 0; i < 10; i++) {
      afterAVisit(Duration.ofSeconds(1), 3, true);
    }
    assertThat(gathering.left()).isEqualTo(Duration.ofMillis(20));
  }

  @Test
  void aVisitThatWasWorthItOrTheLastEndsThePauses() {
    afterAVisit(VISIT, 3, true);
    assertThat(afterAVisit(VISIT, 50, true)).isZero();
    afterAVisit(VISIT, 3, true);
    assertThat(afterAVisit(VISIT, 3, false)).isZero();
    assertThat(afterAVisit(VISIT, 3, true)).isEqualTo(Duration.ofMillis(1));
  }

  @Test
  void aPauseEndsByItself() {
    afterAVisit(VISIT, 3, true);
    time.advance(Duration.ofMillis(5));
    assertThat(gathering.left()).isZero();
  }
}

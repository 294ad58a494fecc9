package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class GatheringTest {
  private static final Duration VISIT = Duration.ofMillis(2);

  private final Gathering gathering = Gathering.of(10);

  @Test
  void aMessageThatComesAloneNeverWaits() {
    for (int i = 0; i < 10; i++) {
      assertThat(gathering.after(1, VISIT, false)).isZero();
    }
  }

  @Test
  void restsGrowWhileSmallVisitsLeaveMore() {
    assertThat(gathering.after(3, VISIT, true)).isEqualTo(Duration.ofMillis(1));
    assertThat(gathering.after(3, VISIT, true)).isEqualTo(Duration.ofMillis(2));
    for (int i = 0; i < 10; i++) {
      gathering.after(3, VISIT, true);
    }
    assertThat(gathering.after(3, VISIT, true)).isEqualTo(VISIT.multipliedBy(4));
  }

  @Test
  void messagesComeAllTheTimeIfManyVisitsLeaveMoreHoweverLargeTheyAre() {
    for (int i = 0; i < 10; i++) {
      gathering.after(4 * Gathering.ENOUGH, VISIT, true);
      assertThat(gathering.isCalm()).isTrue();
    }
    gathering.after(4 * Gathering.ENOUGH, VISIT, true);
    assertThat(gathering.isCalm()).isFalse();
    gathering.after(1, VISIT, false);
    assertThat(gathering.isCalm()).isTrue();
  }

  @Test
  void noRestIsLongerThanABearableOne() {
    for (int i = 0; i < 10; i++) {
      gathering.after(3, Duration.ofSeconds(1), true);
    }
    assertThat(gathering.after(3, Duration.ofSeconds(1), true)).isEqualTo(Gathering.MOST);
  }

  @Test
  void aVisitThatWasWorthItKeepsTheRestAndPlentyShortensIt() {
    gathering.after(3, VISIT, true);
    assertThat(gathering.after(3, VISIT, true)).isEqualTo(Duration.ofMillis(2));
    assertThat(gathering.after(Gathering.ENOUGH, VISIT, true)).isEqualTo(Duration.ofMillis(2));
    assertThat(gathering.after(4 * Gathering.ENOUGH, VISIT, true)).isEqualTo(Duration.ofMillis(1));
    assertThat(gathering.after(4 * Gathering.ENOUGH, VISIT, true)).isZero();
    assertThat(gathering.after(4 * Gathering.ENOUGH, VISIT, true)).isZero();
  }

  @Test
  void aVisitThatLeftNothingEndsTheRests() {
    gathering.after(3, VISIT, true);
    gathering.after(3, VISIT, true);
    assertThat(gathering.after(3, VISIT, false)).isZero();
    assertThat(gathering.after(3, VISIT, true)).isEqualTo(Duration.ofMillis(1));
  }

  @Test
  void whoDeliversInLargeBatchesLetsMoreGather() {
    Gathering large = Gathering.of(100);
    for (int i = 0; i < 3; i++) {
      gathering.after(Gathering.ENOUGH, VISIT, true);
      large.after(Gathering.ENOUGH, VISIT, true);
    }
    assertThat(gathering.after(Gathering.ENOUGH, VISIT, true)).isZero();
    assertThat(large.after(Gathering.ENOUGH, VISIT, true)).isEqualTo(VISIT.multipliedBy(2));
    assertThat(large.after(200, VISIT, true)).isEqualTo(VISIT.multipliedBy(2));
    assertThat(large.after(800, VISIT, true)).isEqualTo(Duration.ofMillis(3));
  }
}

package dev.waybill.internal.outbox;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.outbox.Ending.Kind;
import dev.waybill.internal.store.PartitionState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a turn waits for, if the partition and its parked keys want different things. */
class EndingTest {
  private static PartitionState state(
      boolean more, Duration notBefore, int parked, Duration parkedDue) {
    return new PartitionState(
        more ? 2 : 1, 1, 0, 1, null, null, notBefore, ZERO, parked, parkedDue, false);
  }

  @Test
  void withoutParkedOnesItIsTheCursorThatCounts() {
    assertThat(Ending.of(state(false, ZERO, 0, ZERO))).isEqualTo(Ending.of(Kind.IDLE));
    assertThat(Ending.of(state(true, ZERO, 0, ZERO))).isEqualTo(Ending.of(Kind.SKIPPED));
    assertThat(Ending.of(state(true, ofSeconds(3), 0, ZERO)))
        .isEqualTo(Ending.of(Kind.LATER, ofSeconds(3)));
  }

  @Test
  void newsMayShortenAWaitForParkedOnesAlone() {
    assertThat(Ending.of(Kind.IDLE).after(state(false, ZERO, 1, ofSeconds(5)), false))
        .isEqualTo(Ending.of(Kind.UNTIL, ofSeconds(5)));
    assertThat(Ending.of(Kind.IDLE).after(state(false, ZERO, 0, ZERO), false))
        .isEqualTo(Ending.of(Kind.IDLE));
  }

  @Test
  void theEarlierOfTwoWaitsCounts() {
    Ending later = Ending.of(Kind.LATER, ofSeconds(9));
    assertThat(later.after(state(true, ofSeconds(9), 1, ofSeconds(5)), false))
        .isEqualTo(Ending.of(Kind.LATER, ofSeconds(5)));
    assertThat(later.after(state(true, ofSeconds(2), 1, ofSeconds(5)), false))
        .isEqualTo(Ending.of(Kind.LATER, ofSeconds(2)));
    assertThat(later.after(state(true, ofSeconds(2), 0, ZERO), false))
        .isEqualTo(Ending.of(Kind.LATER, ofSeconds(2)));
  }

  @Test
  void roomThatWasMadeIsUsedAtOnce() {
    assertThat(Ending.of(Kind.LATER, ofSeconds(9)).after(state(true, ZERO, 1, ofSeconds(5)), false))
        .isEqualTo(Ending.of(Kind.MORE));
  }

  @Test
  void aPauseOfTheTuningIsKept() {
    Ending paced = Ending.of(Kind.PACED, ofSeconds(1));
    assertThat(paced.after(state(true, ZERO, 1, ofSeconds(5)), false))
        .isEqualTo(Ending.of(Kind.LATER, ofSeconds(1)));
    assertThat(paced.after(state(true, ZERO, 0, ZERO), false))
        .isEqualTo(Ending.of(Kind.LATER, ofSeconds(1)));
  }

  @Test
  void whatIsDueAndCannotBeHadIsSomebodyElses() {
    PartitionState due = state(false, ZERO, 1, ZERO);
    assertThat(Ending.of(Kind.IDLE).after(due, false)).isEqualTo(Ending.of(Kind.SKIPPED));
    assertThat(Ending.of(Kind.IDLE).after(due, true)).isEqualTo(Ending.of(Kind.MORE));
    assertThat(Ending.of(Kind.SKIPPED).after(state(true, ZERO, 1, ofSeconds(1)), false))
        .isEqualTo(Ending.of(Kind.SKIPPED));
  }
}

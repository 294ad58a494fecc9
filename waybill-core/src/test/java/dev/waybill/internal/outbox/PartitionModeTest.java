package dev.waybill.internal.outbox;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.outbox.RetryTuning;
import dev.waybill.outbox.WorkerTuning;
import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PartitionModeTest {
  @Test
  void normallyUsesTheConfiguredSize() {
    var mode = mode(10, 2);
    assertThat(mode.size()).isEqualTo(10);
    assertThat(mode.isNormal()).isTrue();
    mode.succeeded();
    assertThat(mode.size()).isEqualTo(10);
    assertThat(mode.isNormal()).isTrue();
  }

  @Test
  void retriesShrinkToOne() {
    var mode = mode(32, 1);
    mode.retried(0, 32);
    assertThat(mode.size()).isEqualTo(1);
    assertThat(mode.isNormal()).isFalse();
  }

  @Test
  void successDoubles() {
    var mode = mode(32, 1);
    mode.retried(0, 32);
    assertThat(sizesWhileSucceeding(mode, 6)).containsExactly(2, 4, 8, 16, 32, 32);
    assertThat(mode.isNormal()).isTrue();
  }

  @Test
  void theLastDoublingIsCapped() {
    var mode = mode(10, 1);
    mode.retried(0, 10);
    assertThat(sizesWhileSucceeding(mode, 4)).containsExactly(2, 4, 8, 10);
    var huge = mode(Integer.MAX_VALUE, 1);
    huge.retried(Integer.MAX_VALUE - 1, Integer.MAX_VALUE);
    huge.succeeded();
    assertThat(huge.size()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void aRejectShrinksAtOnceWhateverTheThreshold() {
    var mode = mode(10, 5);
    mode.rejected(3, 10);
    assertThat(mode.size()).isEqualTo(3);
    mode.rejected(0, 3);
    assertThat(mode.size()).isEqualTo(1);
  }

  @Test
  void staysBelowTheThreshold() {
    var mode = mode(10, 3);
    mode.retried(0, 10);
    mode.retried(0, 10);
    assertThat(mode.size()).isEqualTo(10);
    mode.retried(0, 10);
    assertThat(mode.size()).isEqualTo(1);
  }

  @Test
  void successBreaksTheStreak() {
    var mode = mode(10, 2);
    mode.retried(0, 10);
    mode.succeeded();
    mode.retried(0, 10);
    assertThat(mode.size()).isEqualTo(10);
  }

  @Test
  void shrinksToWhatSucceededWithinWhatWasFetched() {
    var mode = mode(10, 1);
    mode.retried(6, 10);
    assertThat(mode.size()).isEqualTo(6);
    mode.retried(50, 4);
    assertThat(mode.size()).isEqualTo(4);
  }

  @Test
  void theReferencesTrace() {
    var mode = mode(10, 2);
    assertThat(mode.retried(0, 10)).isEqualTo(ofSeconds(1));
    assertThat(mode.size()).isEqualTo(10);
    assertThat(mode.retried(0, 10)).isEqualTo(ofSeconds(2));
    assertThat(mode.size()).isEqualTo(1);
    assertThat(LongStream.range(0, 6).map(i -> mode.retried(0, 1).toSeconds()))
        .containsExactly(4L, 8L, 16L, 32L, 60L, 60L);
    assertThat(sizesWhileSucceeding(mode, 4)).containsExactly(2, 4, 8, 10);

    mode.retried(0, 10);
    mode.retried(6, 10);
    assertThat(mode.size()).isEqualTo(6);
    mode.succeeded();
    assertThat(mode.isNormal()).isTrue();

    mode.rejected(3, 10);
    assertThat(mode.size()).isEqualTo(3);
    assertThat(mode.retried(0, 3)).isEqualTo(ofSeconds(1));
  }

  @Test
  void theDelayIsSpreadByChanceAndNeverAboveTheMaximum() {
    var random = new Random(1);
    var mode =
        new PartitionMode(
            WorkerTuning.unpaced(10),
            new RetryTuning(ofMillis(100), ofMillis(400), 1),
            random::nextDouble);
    assertThat(mode.retried(0, 1)).isBetween(ofMillis(70), ofMillis(130));
    mode.retried(0, 1);
    assertThat(IntStream.range(0, 100).mapToObj(i -> mode.retried(0, 1)).distinct().count())
        .isGreaterThan(10);
    assertThat(mode.retried(0, 1)).isBetween(ofMillis(280), ofMillis(400));
  }

  @Test
  void fortyThousandRetriesAreNothingSpecial() {
    var mode = mode(10, 2);
    Duration last = Duration.ZERO;
    for (int i = 0; i < 40_000; i++) {
      last = mode.retried(0, 1);
    }
    assertThat(last).isEqualTo(ofSeconds(60));
  }

  private static PartitionMode mode(int size, int degradeAfter) {
    return new PartitionMode(
        WorkerTuning.unpaced(size),
        new RetryTuning(ofSeconds(1), ofSeconds(60), degradeAfter),
        () -> 0.5);
  }

  @Test
  void pausesShrinkWhileThereIsMoreAndStartOverAfterARest() {
    var mode =
        new PartitionMode(
            new WorkerTuning(10, ofMillis(20), ofMillis(15), ofMillis(3)),
            new RetryTuning(ofSeconds(1), ofSeconds(60), 2),
            () -> 0.5);
    assertThat(mode.isUnpaced()).isFalse();
    assertThat(mode.isNormal()).isTrue();
    assertThat(mode.nextPause()).isEqualTo(ofMillis(20));
    assertThat(mode.nextPause()).isEqualTo(ofMillis(17));
    assertThat(mode.nextPause()).isEqualTo(ofMillis(15));
    assertThat(mode.nextPause()).isEqualTo(ofMillis(15));
    assertThat(mode.isNormal()).isFalse();
    mode.rested();
    assertThat(mode.isNormal()).isTrue();
    assertThat(mode.nextPause()).isEqualTo(ofMillis(20));
    assertThat(mode(10, 1).isUnpaced()).isTrue();
  }

  private static int[] sizesWhileSucceeding(PartitionMode mode, int times) {
    return IntStream.range(0, times)
        .map(
            i -> {
              mode.succeeded();
              return mode.size();
            })
        .toArray();
  }
}

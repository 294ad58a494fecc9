package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.internal.outbox.Settlement.Rejection;
import dev.waybill.internal.outbox.Settlement.Verdict;
import dev.waybill.outbox.BatchMisuseException;
import dev.waybill.outbox.BatchMisuseException.BatchClosed;
import dev.waybill.outbox.BatchMisuseException.InvalidChunkSize;
import dev.waybill.outbox.BatchMisuseException.SettledBeyondTaken;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.OutboxMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LeasedBatchTest {
  private final TestTime time = new TestTime();
  private Optional<Long> renewed = Optional.empty();

  @Test
  void givesEachMessageOnceInOrder() {
    var batch = batch(3);
    assertThat(List.of(take(batch), take(batch), take(batch))).containsExactly(1L, 2L, 3L);
    assertThat(batch.next()).isNull();
    assertThat(batch.next()).isNull();
    assertThat(batch.size()).isEqualTo(3);
    assertThat(batch.epoch()).isEqualTo(7);
  }

  @Test
  void givesChunksTheLastOneShorter() {
    var batch = batch(7);
    var sizes = new ArrayList<Integer>();
    for (var chunk = batch.nextChunk(3); !chunk.isEmpty(); chunk = batch.nextChunk(3)) {
      sizes.add(chunk.size());
      batch.ackChunk(chunk.size());
    }
    assertThat(sizes).containsExactly(3, 3, 1);
    assertThat(batch.conclude(HandlerResult.success()).processed()).isEqualTo(7);
  }

  @Test
  void chunksAndSinglesMixAndHugeChunksDoNotOverflow() {
    var batch = batch(5);
    take(batch);
    assertThat(batch.nextChunk(Integer.MAX_VALUE)).hasSize(4);
    assertThatThrownBy(() -> batch.nextChunk(0)).isInstanceOf(InvalidChunkSize.class);
    assertThatThrownBy(() -> batch.nextChunk(-1)).isInstanceOf(InvalidChunkSize.class);
    assertThatThrownBy(() -> batch.ackChunk(-1)).isInstanceOf(InvalidChunkSize.class);
    assertThatThrownBy(() -> batch.ackChunk(Integer.MAX_VALUE))
        .isInstanceOf(SettledBeyondTaken.class);
  }

  @Test
  void acksCount() {
    var batch = batch(5);
    take(batch);
    batch.ack();
    batch.nextChunk(3);
    batch.ackChunk(3);
    batch.ackChunk(0);
    assertThat(batch.processed()).isEqualTo(4);
  }

  @Test
  void aRejectionCountsAndIsKeptWithPositionAndReason() {
    var batch = batch(3);
    batch.nextChunk(3);
    batch.ack();
    batch.reject("bad");
    batch.ack();
    assertThat(batch.processed()).isEqualTo(3);
    var settlement = batch.conclude(HandlerResult.success());
    assertThat(settlement.rejections()).containsExactly(new Rejection(1, "bad"));
    assertThat(settlement.verdict()).isEqualTo(Verdict.SUCCESS);
  }

  @Test
  void knowsTheTimeLeft() {
    var batch = batch(1);
    assertThat(batch.remaining()).isEqualTo(Duration.ofSeconds(28));
    time.advance(Duration.ofSeconds(27));
    assertThat(batch.remaining()).isEqualTo(Duration.ofSeconds(1));
    renewed = Optional.of(time.nanos() + Duration.ofSeconds(5).toNanos());
    assertThat(batch.renew()).isTrue();
    assertThat(batch.remaining()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aLostLeaseCannotBeRenewed() {
    var batch = batch(1);
    assertThat(batch.renew()).isFalse();
    assertThat(batch.remaining()).isEqualTo(Duration.ofSeconds(28));
  }

  @Test
  void noTimeIsLeftAfterTheDeadline() {
    var batch = batch(1);
    time.advance(Duration.ofMinutes(1));
    assertThat(batch.remaining()).isZero();
  }

  @Test
  void aSecondAckIsRefusedAndChangesNothing() {
    var batch = batch(2);
    take(batch);
    batch.ack();
    assertThatThrownBy(batch::ack)
        .isInstanceOfSatisfying(
            SettledBeyondTaken.class,
            e -> {
              assertThat(e.asked()).isEqualTo(1);
              assertThat(e.open()).isZero();
            });
    assertThatThrownBy(() -> batch.reject("x")).isInstanceOf(SettledBeyondTaken.class);
    assertThat(batch.processed()).isEqualTo(1);
    assertThat(batch.conclude(HandlerResult.success()).rejections()).isEmpty();
  }

  @Test
  void moreAcksThanTakenAreRefusedAndChangeNothing() {
    var batch = batch(5);
    batch.nextChunk(3);
    assertThatThrownBy(() -> batch.ackChunk(4))
        .isInstanceOf(BatchMisuseException.class)
        .hasMessageContaining("settled 4 messages, but 3 are taken");
    assertThat(batch.processed()).isZero();
    batch.ackChunk(3);
    assertThat(batch.processed()).isEqualTo(3);
  }

  @Test
  void successWithAllSettledIsSuccess() {
    var batch = batch(2);
    batch.nextChunk(2);
    batch.ackChunk(2);
    assertThat(batch.conclude(HandlerResult.success()))
        .isEqualTo(new Settlement(Verdict.SUCCESS, 2, 2, 2, List.of(), null));
  }

  @Test
  void successWithSomeNeverTakenGoesOnWithThem() {
    var batch = batch(5);
    batch.nextChunk(2);
    batch.ackChunk(2);
    var settlement = batch.conclude(HandlerResult.success());
    assertThat(settlement.verdict()).isEqualTo(Verdict.SUCCESS);
    assertThat(settlement.processed()).isEqualTo(2);
    assertThat(settlement.hasLeftover()).isTrue();
  }

  @Test
  void successWithNothingSettledIsARetry() {
    assertThat(batch(2).conclude(HandlerResult.success()))
        .isEqualTo(
            new Settlement(
                Verdict.RETRY,
                2,
                0,
                0,
                List.of(),
                "the handler reported success, but settled nothing"));
  }

  @Test
  void successWithTakenOnesUnsettledKeepsThePrefixAndIsARetry() {
    var batch = batch(4);
    batch.nextChunk(3);
    batch.ack();
    var settlement = batch.conclude(HandlerResult.success());
    assertThat(settlement.verdict()).isEqualTo(Verdict.RETRY);
    assertThat(settlement.processed()).isEqualTo(1);
    assertThat(settlement.reason()).contains("left 2 taken messages unsettled");
  }

  @Test
  void retryKeepsThePrefixAndTheReason() {
    var batch = batch(4);
    batch.nextChunk(3);
    batch.ackChunk(2);
    assertThat(batch.conclude(HandlerResult.retry("busy")))
        .isEqualTo(new Settlement(Verdict.RETRY, 4, 2, 2, List.of(), "busy"));
  }

  @Test
  void rejectThenRetryPassesTheRejectedOneExactlyOnce() {
    var batch = batch(4);
    batch.nextChunk(2);
    batch.reject("bad");
    assertThat(batch.conclude(HandlerResult.retry("busy")))
        .isEqualTo(
            new Settlement(Verdict.RETRY, 4, 1, 1, List.of(new Rejection(0, "bad")), "busy"));
  }

  @Test
  void rejectOfTheRestMeansThoseTakenAndUnsettled() {
    var batch = batch(5);
    batch.nextChunk(4);
    batch.ack();
    batch.reject("first");
    assertThat(batch.conclude(HandlerResult.reject("rest")))
        .isEqualTo(
            new Settlement(
                Verdict.REJECT,
                5,
                2,
                4,
                List.of(
                    new Rejection(1, "first"), new Rejection(2, "rest"), new Rejection(3, "rest")),
                "rest"));
  }

  @Test
  void rejectThatNamesNoMessageIsARetry() {
    var untouched = batch(2).conclude(HandlerResult.reject("all bad"));
    assertThat(untouched.verdict()).isEqualTo(Verdict.RETRY);
    assertThat(untouched.processed()).isZero();
    assertThat(untouched.rejections()).isEmpty();
    assertThat(untouched.reason()).contains("all bad");
  }

  @Test
  void noAnswerIsARetry() {
    assertThat(batch(1).conclude(null).verdict()).isEqualTo(Verdict.RETRY);
  }

  @Test
  void afterTheEndAHandlerChangesNothing() {
    var batch = batch(3);
    batch.nextChunk(2);
    batch.ack();
    var atTheDeadline = batch.conclude(HandlerResult.retry("out of time"));
    assertThatThrownBy(batch::ack).isInstanceOf(BatchClosed.class);
    assertThatThrownBy(() -> batch.ackChunk(1)).isInstanceOf(BatchClosed.class);
    assertThatThrownBy(() -> batch.reject("x")).isInstanceOf(BatchClosed.class);
    assertThatThrownBy(batch::next).isInstanceOf(BatchClosed.class);
    assertThatThrownBy(() -> batch.nextChunk(1)).isInstanceOf(BatchClosed.class);
    assertThat(batch.conclude(HandlerResult.success())).isSameAs(atTheDeadline);
    assertThat(batch.processed()).isEqualTo(1);
    assertThat(batch.remaining()).isPositive();
  }

  @Test
  void whateverAHandlerDoesTheOutcomeIsBoundedAndEachRejectionPassedOnce() {
    for (int seed = 0; seed < 2_000; seed++) {
      var random = new Random(seed);
      int size = 1 + random.nextInt(6);
      var batch = batch(size);
      for (int step = 0; step < 12; step++) {
        try {
          switch (random.nextInt(5)) {
            case 0 -> batch.next();
            case 1 -> batch.nextChunk(random.nextInt(4));
            case 2 -> batch.ack();
            case 3 -> batch.ackChunk(random.nextInt(4));
            default -> batch.reject("bad");
          }
        } catch (BatchMisuseException refused) {
          assertThat(batch.processed()).isBetween(0, size);
        }
      }
      var results =
          List.of(HandlerResult.success(), HandlerResult.retry("r"), HandlerResult.reject("j"));
      var settlement = batch.conclude(results.get(random.nextInt(3)));
      assertThat(settlement.processed()).isBetween(settlement.handled(), size);
      assertThat(settlement.rejections())
          .extracting(Rejection::position)
          .doesNotHaveDuplicates()
          .isSorted()
          .allMatch(position -> position < settlement.processed());
      // No progress is never a success: that would be delivered again at full speed.
      assertThat(settlement.processed() > 0 || settlement.verdict() == Verdict.RETRY).isTrue();
    }
  }

  private static long take(LeasedBatch batch) {
    OutboxMessage message = batch.next();
    return Objects.requireNonNull(message, "the batch is at its end").seq();
  }

  private LeasedBatch batch(int size) {
    return new LeasedBatch(
        Messages.several(size),
        7,
        time.nanos() + Duration.ofSeconds(28).toNanos(),
        time,
        () -> renewed);
  }
}

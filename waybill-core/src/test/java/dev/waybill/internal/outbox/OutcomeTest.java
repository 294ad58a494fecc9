package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.MessageBody;
import dev.waybill.internal.store.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OutcomeTest {
  private static final MessageBody BODY =
      new MessageBody("test", new byte[0], Map.of(), null, Instant.EPOCH);

  /** Of messages 4 to 6, the first of which was tried so often before. */
  private static Outcome outcome(int triedBefore) {
    List<StoredMessage> messages =
        LongStream.rangeClosed(4, 6).mapToObj(n -> new StoredMessage(n, n, BODY)).toList();
    return new Outcome(1, new Delivery(3, triedBefore, 1, 6, 0, messages), triedBefore);
  }

  @Test
  void aRetryOfTheFirstMessageCountsWhatWasBefore() {
    Outcome outcome = outcome(4);
    outcome.retry("busy", 0);
    assertThat(outcome.attempts()).isEqualTo(5);
    assertThat(outcome.processedSeq()).isEqualTo(3);
    assertThat(outcome.retryReason()).isEqualTo("busy");
  }

  @Test
  void aRetryOfALaterMessageIsItsFirst() {
    Outcome outcome = outcome(4);
    outcome.doneUpTo(2);
    outcome.retry("busy", 5);
    assertThat(outcome.attempts()).isEqualTo(1);
    assertThat(outcome.processedSeq()).isEqualTo(5);
    assertThat(outcome.deadLetters()).isEmpty();
  }

  @Test
  void whatWasTriedOftenEnoughIsGivenUp() {
    Outcome outcome = outcome(4);
    outcome.retry("busy", 5);
    assertThat(outcome.retryReason()).isNull();
    assertThat(outcome.processedSeq()).isEqualTo(4);
    assertThat(outcome.deadLetters())
        .singleElement()
        .satisfies(
            letter -> {
              assertThat(letter.message().seq()).isEqualTo(4);
              assertThat(letter.reason()).contains("5 attempts").contains("busy");
            });
  }

  @Test
  void aRetryWithEverythingDoneGivesNothingUp() {
    Outcome outcome = outcome(0);
    outcome.doneUpTo(3);
    outcome.retry("rest", 1);
    assertThat(outcome.deadLetters()).isEmpty();
    assertThat(outcome.attempts()).isZero();
    assertThat(outcome.processedSeq()).isEqualTo(6);
    assertThat(outcome.move(Duration.ofSeconds(1)).delay()).isEqualTo(Duration.ofSeconds(1));
  }
}

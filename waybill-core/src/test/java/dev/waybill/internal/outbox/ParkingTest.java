package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.outbox.Parking.Sorted;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.MessageBody;
import dev.waybill.internal.store.NewParked;
import dev.waybill.internal.store.ParkedStore;
import dev.waybill.internal.store.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Messages 4, 5, … with these keys, while the key {@code a} is parked. */
class ParkingTest {
  private static Sorted sorted(int limit, int parked, @Nullable String... keys) {
    List<StoredMessage> messages = new ArrayList<>();
    for (String key : keys) {
      long seq = 4L + messages.size();
      messages.add(
          new StoredMessage(
              seq, seq, new MessageBody("test", new byte[0], Map.of(), key, Instant.EPOCH)));
    }
    return new Parking(
            Set.of(ParkedStore.lane("a")),
            Duration.ofSeconds(7),
            limit - parked,
            limit,
            Duration::ofSeconds)
        .sort(new Delivery(3, 0, 1, 100, parked, messages), messages);
  }

  private static List<Long> seqs(List<StoredMessage> messages) {
    return messages.stream().map(StoredMessage::seq).toList();
  }

  private static List<Long> parked(Outcome outcome) {
    return outcome.parked().stream().map(each -> each.message().seq()).sorted().toList();
  }

  @Test
  void followersAreSetAside() {
    Sorted sorted = sorted(10, 1, "b", "a", null, "a");
    assertThat(seqs(sorted.delivery().messages())).containsExactly(4L, 6L);
    assertThat(seqs(sorted.followers())).containsExactly(5L, 7L);
    Outcome outcome = new Outcome(1, sorted, 3);
    assertThat(outcome.triedBefore(0)).isEqualTo(3);
    outcome.doneUpTo(2);
    assertThat(outcome.processedSeq()).isEqualTo(7);
    assertThat(parked(outcome)).containsExactly(5L, 7L);
    assertThat(outcome.hasMore()).isTrue();
  }

  @Test
  void triesBelongToTheMessageBehindTheCursorAlone() {
    assertThat(new Outcome(1, sorted(10, 1, "a", "b"), 3).triedBefore(0)).isZero();
  }

  @Test
  void aKeyThatFailsIsPassedWithThoseBeforeItAndNotThoseBehind() {
    Outcome outcome = new Outcome(1, sorted(10, 1, "b", "a", "c", "a", "d"), 0);
    outcome.doneUpTo(1);
    outcome.retry("busy", 5);
    assertThat(outcome.retryReason()).isNull();
    assertThat(outcome.processedSeq()).isEqualTo(6);
    assertThat(parked(outcome)).containsExactly(5L, 6L);
    NewParked head = Objects.requireNonNull(outcome.parkedHead());
    assertThat(head.attempts()).isEqualTo(1);
    assertThat(head.delay()).isEqualTo(Duration.ofSeconds(1));
    assertThat(outcome.move(Duration.ZERO).attempts()).isZero();
    assertThat(outcome.hasMore()).isTrue();
  }

  @Test
  void withoutAKeyOrRoomItBlocks() {
    Outcome unkeyed = new Outcome(1, sorted(10, 1, "a", null), 0);
    unkeyed.retry("busy", 5);
    assertThat(unkeyed.retryReason()).isEqualTo("busy");
    assertThat(unkeyed.processedSeq()).isEqualTo(4);
    assertThat(parked(unkeyed)).containsExactly(4L);
    Outcome full = new Outcome(1, sorted(2, 1, "a", "b"), 0);
    full.retry("busy", 5);
    assertThat(full.retryReason()).contains("busy").contains("limit of 2 parked messages");
    assertThat(full.retriedSeq()).isEqualTo(5);
    assertThat(full.attempts()).isEqualTo(1);
    assertThat(parked(full)).containsExactly(4L);
  }

  @Test
  void aFollowerWithoutRoomEndsTheBatch() {
    Sorted sorted = sorted(2, 1, "b", "a", "c", "a", "d");
    assertThat(seqs(sorted.delivery().messages())).containsExactly(4L, 6L);
    Outcome outcome = new Outcome(1, sorted, 0);
    outcome.doneUpTo(2);
    assertThat(outcome.isBlocked()).isTrue();
    assertThat(outcome.processedSeq()).isEqualTo(6);
    assertThat(parked(outcome)).containsExactly(5L);
    assertThat(outcome.move(Duration.ZERO).delay()).isEqualTo(Duration.ofSeconds(7));
    assertThat(outcome.move(Duration.ZERO).lastError()).contains("limit of 2");
    assertThat(outcome.hasMore()).isTrue();
  }

  @Test
  void whatWasTriedOftenEnoughIsGivenUpNotParked() {
    Outcome outcome = new Outcome(1, sorted(10, 1, "b"), 4);
    outcome.retry("busy", 5);
    assertThat(outcome.parkedHead()).isNull();
    assertThat(outcome.deadLetters()).hasSize(1);
  }

  @Test
  void whatWasInterruptedByAStopIsNotParked() {
    Outcome outcome = new Outcome(1, sorted(10, 1, "b", "a"), 2);
    outcome.notTried();
    assertThat(outcome.attempts()).isEqualTo(2);
    assertThat(outcome.processedSeq()).isEqualTo(3);
    assertThat(outcome.parked()).isEmpty();
  }
}

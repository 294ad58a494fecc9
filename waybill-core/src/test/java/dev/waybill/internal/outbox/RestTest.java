package dev.waybill.internal.outbox;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.outbox.DirtyPartitions.Claim;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Partitions rest together after a small visit during which more came. */
class RestTest {
  private final TestTime time = new TestTime();
  private final AtomicInteger rings = new AtomicInteger();
  private final DirtyPartitions dirty =
      new DirtyPartitions(time, rings::incrementAndGet, () -> 0.5, Gathering.of(10));

  /** A visit of 4 ms to partition 1 that finds so many messages. */
  private void visit(int messages, long... markedMeanwhile) {
    try (Claim claim = dirty.take(10)) {
      assertThat(claim.ids()).contains(1L);
      time.advanceMillis(4);
      for (long partition : markedMeanwhile) {
        dirty.mark(List.of(partition));
      }
      claim.found(messages);
      claim.done(claim.ids(), true);
    }
  }

  @Test
  void whatComesAloneIsVisitedAtOnce() {
    dirty.mark(List.of(1L));
    visit(1);
    dirty.mark(List.of(1L));
    assertThat(dirty.next()).isEqualTo(Next.now());
  }

  @Test
  void whatCameMeanwhileRestsAndSoDoesWhatComesThen() {
    dirty.mark(List.of(1L));
    visit(1, 1);
    assertThat(dirty.take(10).isEmpty()).isTrue();
    assertThat(dirty.next()).isEqualTo(Next.sleep(ofMillis(2)));
    time.advanceMillis(1);
    dirty.mark(List.of(2L));
    assertThat(dirty.untilNext()).hasValue(ofMillis(1));
    time.advanceMillis(1);
    assertThat(dirty.take(10).ids()).containsExactly(1L, 2L);
  }

  @Test
  void othersThatWaitCountAsMore() {
    dirty.mark(List.of(1L));
    visit(1, 2);
    assertThat(dirty.untilNext()).hasValue(ofMillis(2));
  }

  @Test
  void aRestCostsNoRings() {
    dirty.mark(List.of(1L));
    visit(1, 1);
    int before = rings.get();
    dirty.mark(List.of(2L));
    dirty.mark(List.of(3L));
    assertThat(rings).hasValue(before);
  }

  @Test
  void whoeverEndsTheSilenceOfARestIsHeard() {
    dirty.mark(List.of(1L));
    visit(1, 2);
    // Somebody takes them all just before the next rest.
    time.advanceMillis(2);
    try (Claim claim = dirty.take(10)) {
      dirty.mark(List.of(2L));
      claim.found(1);
      claim.done(claim.ids(), true);
    }
    int before = rings.get();
    assertThat(dirty.untilNext()).isPresent();
    time.advanceMillis(20);
    assertThat(dirty.untilNext()).hasValue(ZERO);
    dirty.take(10).done(List.of(2L), true);
    dirty.mark(List.of(9L));
    assertThat(rings.get()).isGreaterThan(before);
  }

  @Test
  void plentyOfMessagesEndTheRests() {
    dirty.mark(List.of(1L));
    visit(1, 1);
    time.advanceMillis(2);
    visit(4 * Gathering.ENOUGH, 1);
    assertThat(dirty.next()).isEqualTo(Next.now());
  }
}

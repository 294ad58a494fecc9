package dev.waybill.internal.outbox;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.outbox.DirtyPartitions.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DirtyPartitionsTest {
  private final TestTime time = new TestTime();
  private final AtomicInteger rings = new AtomicInteger();
  private final DirtyPartitions dirty =
      new DirtyPartitions(time, rings::incrementAndGet, () -> 0.5, Gathering.of(10));

  @Test
  void nothingIsDirtyAtFirst() {
    assertThat(dirty.take(10).ids()).isEmpty();
    assertThat(dirty.take(10).isEmpty()).isTrue();
    assertThat(dirty.untilNext()).isEmpty();
    assertThat(dirty.next()).isEqualTo(Next.whenRung());
  }

  @Test
  void aMarkedPartitionIsTakenOnce() {
    mark(7);
    assertThat(dirty.untilNext()).hasValue(ZERO);
    assertThat(dirty.next()).isEqualTo(Next.now());
    assertThat(dirty.take(10).ids()).containsExactly(7L);
    assertThat(dirty.take(10).ids()).isEmpty();
  }

  @Test
  void theOldestAreTakenFirstAndAtMostSoMany() {
    mark(3);
    time.advanceMillis(1);
    mark(1);
    time.advanceMillis(1);
    mark(2, 0);
    assertThat(dirty.take(3).ids()).containsExactly(3L, 1L, 0L);
    assertThat(dirty.take(3).ids()).containsExactly(2L);
    assertThat(dirty.take(0).ids()).isEmpty();
  }

  @Test
  void marksOfAWaitingPartitionCoalesceAndKeepItsPlace() {
    mark(2);
    time.advanceMillis(1);
    mark(1);
    mark(2, 2, 2);
    assertThat(dirty.size()).isEqualTo(2);
    assertThat(dirty.take(10).ids()).containsExactly(2L, 1L);
  }

  @Test
  void aDrainedPartitionIsIdleAndForgotten() {
    mark(7);
    take(1).done(List.of(7L), true);
    assertThat(dirty.size()).isZero();
    assertThat(dirty.take(1).ids()).isEmpty();
    mark(7);
    assertThat(dirty.take(1).ids()).containsExactly(7L);
  }

  @Test
  void oneThatIsNotDrainedGoesBehindTheOthers() {
    mark(7);
    time.advanceMillis(1);
    mark(8);
    Claim seven = take(1);
    time.advanceMillis(1);
    seven.done(List.of(7L), false);
    assertThat(dirty.take(10).ids()).containsExactly(8L, 7L);
  }

  @Test
  void aMarkDuringTheVisitLeadsToAnother() {
    mark(7);
    Claim visit = take(1);
    mark(7);
    mark(7);
    // Another sequencer's look neither gets it nor loses the mark.
    assertThat(dirty.take(10).ids()).isEmpty();
    visit.done(List.of(7L), true);
    assertThat(dirty.take(10).ids()).containsExactly(7L);
    assertThat(dirty.take(10).ids()).isEmpty();
  }

  @Test
  void theMarkDuringAVisitIsForThatVisitOnly() {
    mark(7);
    Claim first = take(1);
    mark(7);
    first.done(List.of(7L), true);
    take(1).done(List.of(7L), true);
    assertThat(dirty.size()).isZero();
  }

  @Test
  void marksAreNotSuppressedHoweverSoonTheyComeAfterAVisit() {
    for (int i = 0; i < 5; i++) {
      mark(7);
      take(1).done(List.of(7L), true);
    }
    mark(7);
    assertThat(dirty.take(1).ids()).containsExactly(7L);
  }

  @Test
  void aSetIsSettledInParts() {
    mark(1, 2, 3, 4, 5);
    Claim claim = take(10);
    claim.done(List.of(1L), true);
    claim.done(List.of(2L), false);
    claim.skipped(List.of(3L));
    claim.failed(List.of(4L, 5L));
    claim.close();
    assertThat(dirty.size()).isEqualTo(4);
    assertThat(dirty.take(10).ids()).containsExactly(2L);
    time.advanceMillis(5);
    assertThat(dirty.take(10).ids()).containsExactly(3L);
    time.advanceMillis(195);
    assertThat(dirty.take(10).ids()).containsExactly(4L, 5L);
  }

  @Test
  void aPartitionIsSettledOncePerClaim() {
    mark(1);
    Claim claim = take(10);
    claim.done(List.of(1L), true);
    assertThatThrownBy(() -> claim.skipped(List.of(1L))).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> claim.done(List.of(2L), true))
        .isInstanceOf(IllegalStateException.class);
    mark(1);
    Claim other = take(10);
    // A late close of the first claim does not reach into the second.
    claim.close();
    assertThat(dirty.take(10).ids()).isEmpty();
    other.done(List.of(1L), true);
    assertThat(dirty.size()).isZero();
  }

  @Test
  void whatIsLeftWhenAClaimIsClosedHasFailed() {
    mark(1, 2);
    assertThatThrownBy(
            () -> {
              try (Claim claim = take(10)) {
                claim.done(List.of(1L), true);
                throw new IllegalStateException("lost the connection");
              }
            })
        .hasMessage("lost the connection");
    assertThat(dirty.untilNext()).hasValue(ofMillis(200));
    time.advanceMillis(200);
    assertThat(dirty.take(10).ids()).containsExactly(2L);
  }

  @Test
  void errorsCoolDownTwiceAsLongEachTimeUpTo30Seconds() {
    mark(7);
    var cooldowns = new ArrayList<Duration>();
    for (int i = 0; i < 25; i++) {
      take(1).failed(List.of(7L));
      Duration wait = dirty.untilNext().orElseThrow();
      cooldowns.add(wait);
      time.advance(wait.minusNanos(1));
      assertThat(dirty.take(1).ids()).isEmpty();
      time.advance(Duration.ofNanos(1));
    }
    assertThat(cooldowns).startsWith(ofMillis(200), ofMillis(400), ofMillis(800));
    assertThat(cooldowns).endsWith(ofSeconds(30), ofSeconds(30));
  }

  @Test
  void aVisitThatGoesWellEndsTheStreakOfErrors() {
    mark(7);
    take(1).failed(List.of(7L));
    time.advanceMillis(200);
    take(1).done(List.of(7L), false);
    take(1).failed(List.of(7L));
    assertThat(dirty.untilNext()).hasValue(ofMillis(200));
  }

  @Test
  void newTrafficDoesNotShortenACooldown() {
    mark(7);
    take(1).failed(List.of(7L));
    mark(7);
    assertThat(dirty.take(1).ids()).isEmpty();
    assertThat(dirty.untilNext()).hasValue(ofMillis(200));
  }

  @Test
  void aHealthyPartitionIsServedBeforeACoolingOne() {
    mark(7);
    take(1).failed(List.of(7L));
    time.advanceMillis(199);
    mark(8);
    time.advanceMillis(1);
    assertThat(dirty.take(10).ids()).containsExactly(8L, 7L);
  }

  @Test
  void afterAnErrorAndSilenceTheCooldownItselfIsTheAlarm() {
    mark(7);
    take(1).failed(List.of(7L));
    assertThat(dirty.next()).isEqualTo(Next.sleep(ofMillis(200)));
    time.advanceMillis(150);
    assertThat(dirty.next()).isEqualTo(Next.sleep(ofMillis(50)));
    time.advanceMillis(50);
    assertThat(dirty.next()).isEqualTo(Next.now());
  }

  @Test
  void aSkippedPartitionPausesLongerEachTimeUpToALimit() {
    mark(7);
    var pauses = new ArrayList<Long>();
    for (int i = 0; i < 8; i++) {
      take(1).skipped(List.of(7L));
      Duration wait = dirty.untilNext().orElseThrow();
      pauses.add(wait.toMillis());
      time.advance(wait);
    }
    assertThat(pauses).containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 200L, 200L);
    take(1).done(List.of(7L), false);
    take(1).skipped(List.of(7L));
    assertThat(dirty.untilNext()).hasValue(ofMillis(5));
  }

  @Test
  void skippedPartitionsStarveNobody() {
    // As many as you like are locked, older than the healthy one, and taken one at a time.
    dirty.mark(LongStream.range(0, 1_000).boxed().toList());
    for (int i = 0; i < 1_000; i++) {
      Claim locked = take(1);
      locked.skipped(locked.ids());
    }
    time.advanceMillis(1);
    mark(5_000);
    time.advanceMillis(200);
    assertThat(dirty.take(1).ids()).containsExactly(5_000L);
  }

  @Test
  void aLockedPartitionIsVisitedSeldomAndNotLost() {
    mark(7);
    int visits = 0;
    for (int ms = 0; ms < 30_000; ms++) {
      mark(7);
      Claim claim = dirty.take(10);
      visits += claim.ids().size();
      claim.skipped(claim.ids());
      time.advanceMillis(1);
    }
    // Thirty seconds of a held lock, under traffic: five visits a second, no more.
    assertThat(visits).isBetween(100, 160);
    time.advanceMillis(200);
    assertThat(dirty.take(10).ids()).containsExactly(7L);
  }

  @Test
  void ringsOnceForSomethingNewAndNotForWhatIsKnown() {
    mark(7);
    assertThat(rings).hasValue(1);
    mark(7);
    mark(8, 9);
    assertThat(rings).hasValue(1);
    Claim claim = take(10);
    assertThat(rings).hasValue(1);
    mark(7);
    assertThat(rings).hasValue(1);
    claim.done(List.of(8L, 9L), true);
    assertThat(rings).hasValue(1);
    claim.done(List.of(7L), true);
    assertThat(rings).hasValue(2);
  }

  @Test
  void aSequencerThatLeavesSomethingCallsAnother() {
    mark(1, 2);
    assertThat(rings).hasValue(1);
    take(1);
    assertThat(rings).hasValue(2);
    take(1);
    assertThat(rings).hasValue(2);
    dirty.take(1);
    assertThat(rings).hasValue(2);
  }

  @Test
  void aSequencerThatTurnsToOtherWorkLeavesTheClockToAnother() {
    mark(7);
    Claim seven = take(1);
    mark(8);
    // 8 is due sooner, so nobody is called for this; whoever takes 8 has to.
    seven.failed(List.of(7L));
    assertThat(rings).hasValue(2);
    assertThat(take(10).ids()).containsExactly(8L);
    assertThat(rings).hasValue(3);
    // A look that finds nothing due calls nobody: who looked waits for it now.
    assertThat(dirty.take(10).ids()).isEmpty();
    assertThat(rings).hasValue(3);
  }

  @Test
  void aCoolingPartitionDoesNotCostARingPerVisitOfTheOthers() {
    mark(7);
    take(1).failed(List.of(7L));
    rings.set(0);
    for (int i = 0; i < 100; i++) {
      mark(8);
      take(10).done(List.of(8L), true);
    }
    // One for each mark, none for what is left: somebody was called to watch it already.
    assertThat(rings).hasValue(100);
  }

  @Test
  void theReferencesTrace() {
    mark(7);
    Claim s1 = take(10);
    time.advanceMillis(1);
    mark(7);
    assertThat(dirty.take(10).ids()).isEmpty();
    s1.done(List.of(7L), true);
    assertThat(take(10).ids()).containsExactly(7L);
  }

  @Test
  void sixThousandPartitionsAreAllServedAndForgotten() {
    dirty.mark(LongStream.range(0, 6_400).boxed().toList());
    var served = new HashSet<Long>();
    while (dirty.size() > 0) {
      try (Claim claim = take(100)) {
        served.addAll(claim.ids());
        claim.done(claim.ids(), true);
      }
    }
    assertThat(served).hasSize(6_400);
    assertThat(dirty.untilNext()).isEmpty();
  }

  @Test
  void marksAndVisitsInterleave() {
    mark(1, 2);
    Claim one = take(1);
    time.advanceMillis(1);
    mark(3, 1);
    Claim two = take(1);
    assertThat(two.ids()).containsExactly(2L);
    time.advanceMillis(1);
    one.done(one.ids(), true);
    two.done(two.ids(), true);
    assertThat(dirty.take(10).ids()).containsExactly(3L, 1L);
  }

  private void mark(long... partitions) {
    dirty.mark(LongStream.of(partitions).boxed().toList());
  }

  private Claim take(int max) {
    Claim claim = dirty.take(max);
    assertThat(claim.ids()).isNotEmpty();
    return claim;
  }
}

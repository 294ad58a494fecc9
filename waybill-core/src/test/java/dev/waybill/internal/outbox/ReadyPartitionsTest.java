package dev.waybill.internal.outbox;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.loop.Next;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ReadyPartitionsTest {
  private final TestTime time = new TestTime();
  private final AtomicInteger rings = new AtomicInteger();
  private final ReadyPartitions ready =
      new ReadyPartitions(time, rings::incrementAndGet, () -> 0.5);

  @Test
  void servesTheOldestOfAllQueues() {
    ready.mark("b", List.of(2L));
    time.advanceMillis(1);
    ready.mark("a", List.of(1L));
    Turn<String> turn = take();
    assertThat(turn.partition()).isEqualTo(2);
    assertThat(turn.queue()).isEqualTo("b");
    assertThat(take().partition()).isEqualTo(1);
    assertThat(ready.take()).isNull();
    assertThat(ready.next()).isEqualTo(Next.whenRung());
  }

  @Test
  void slowHandlersOfOneQueueLeaveTheOthersAlone() {
    ready.limit("slow", 4);
    ready.limit("fast", 4);
    ready.mark("slow", LongStream.range(0, 64).boxed().toList());
    List<Turn<String>> slow = takeAll();
    assertThat(slow).hasSize(4);
    time.advanceMillis(1);
    ready.mark("fast", List.of(100L));
    assertThat(take().partition()).isEqualTo(100);
    assertThat(ready.take()).isNull();
    // Nothing can be taken, so nobody need come back before a turn ends.
    assertThat(ready.untilNext()).isEmpty();
    int before = rings.get();
    slow.get(0).done(false);
    assertThat(rings).hasValue(before + 1);
    assertThat(take().partition()).isEqualTo(4);
  }

  @Test
  void anIdlePartitionCanBeTakenAtOnceAndNewsOfItBringsItBack() {
    Turn<String> turn = Objects.requireNonNull(ready.takeIdle("q", 1));
    assertThat(ready.takeIdle("q", 1)).isNull();
    ready.mark("q", List.of(1L));
    assertThat(ready.take()).isNull();
    turn.done(false);
    assertThat(take().partition()).isEqualTo(1);
  }

  @Test
  void nobodyIsTakenAheadOfThoseWhoWaitOrBeyondTheLimit() {
    ready.limit("q", 2);
    ready.mark("q", List.of(1L));
    assertThat(ready.takeIdle("q", 2)).isNull();
    assertThat(ready.takeIdle("other", 3)).isNotNull();
    take();
    Turn<String> second = Objects.requireNonNull(ready.takeIdle("q", 2));
    assertThat(ready.takeIdle("q", 4)).isNull();
    second.done(false);
    assertThat(ready.takeIdle("q", 4)).isNotNull();
  }

  @Test
  void aPartitionThatIsToWaitIsNotIdleButKeepsNobodyElseWaiting() {
    ready.mark("q", 1, ofSeconds(5));
    assertThat(ready.takeIdle("q", 1)).isNull();
    assertThat(ready.takeIdle("q", 2)).isNotNull();
  }

  @Test
  void aTurnThatEndsWithMoreGoesBehindItsQueue() {
    ready.limit("q", 1);
    ready.mark("q", List.of(1L, 2L));
    Turn<String> one = take();
    time.advanceMillis(1);
    one.done(true);
    Turn<String> two = take();
    assertThat(two.partition()).isEqualTo(2);
    two.done(true);
    assertThat(take().partition()).isEqualTo(1);
  }

  @Test
  void aRetryTimeSurvivesAnyTraffic() {
    ready.mark("q", List.of(1L));
    var attempts = new ArrayList<Long>();
    long begin = time.nanos();
    Duration backoff = ofSeconds(1);
    for (int ms = 0; ms <= 16_000; ms++) {
      ready.mark("q", List.of(1L));
      ready.mark("q", 1L, ZERO);
      Turn<String> turn = ready.take();
      if (turn != null) {
        attempts.add((time.nanos() - begin) / 1_000_000);
        ready.mark("q", List.of(1L));
        turn.notBefore(backoff);
        backoff = backoff.multipliedBy(2);
      }
      time.advanceMillis(1);
    }
    assertThat(attempts).containsExactly(0L, 1_000L, 3_000L, 7_000L, 15_000L);
  }

  @Test
  void aRetryTimeIsItsOwnAlarm() {
    ready.mark("q", List.of(1L));
    take().notBefore(ofSeconds(5));
    assertThat(ready.next()).isEqualTo(Next.sleep(ofSeconds(5)));
    time.advance(ofSeconds(5));
    assertThat(take().partition()).isEqualTo(1);
  }

  @Test
  void anEarlierRetryTimeRingsALaterOneDoesNot() {
    ready.mark("q", List.of(1L, 2L, 3L));
    List<Turn<String>> turns = takeAll();
    rings.set(0);
    turns.get(0).notBefore(ofSeconds(10));
    turns.get(1).notBefore(ofSeconds(20));
    assertThat(rings).hasValue(1);
    turns.get(2).notBefore(ofSeconds(5));
    assertThat(rings).hasValue(2);
  }

  @Test
  void aStoredRetryTimeIsKeptFromTheStart() {
    ready.mark("q", 1L, ofSeconds(30));
    ready.mark("q", List.of(1L));
    assertThat(ready.take()).isNull();
    assertThat(ready.untilNext()).hasValue(ofSeconds(30));
    ready.mark("q", 2L, Duration.ofSeconds(Long.MAX_VALUE));
    time.advance(ofSeconds(30));
    assertThat(take().partition()).isEqualTo(1);
    assertThat(ready.untilNext()).isPresent();
  }

  @Test
  void aLeaseElsewhereIsWaitedForUntilThereIsNews() {
    ready.markReckoned("q", 1L, ofSeconds(30));
    ready.markReckoned("q", 2L, ofSeconds(30));
    ready.markReckoned("q", 1L, ofSeconds(40));
    assertThat(ready.untilNext()).hasValue(ofSeconds(30));
    int before = rings.get();
    ready.mark("q", List.of(2L));
    assertThat(rings).hasValue(before + 1);
    assertThat(take().partition()).isEqualTo(2);
    ready.markReckoned("q", 1L, ofSeconds(5));
    assertThat(ready.untilNext()).hasValue(ofSeconds(5));
    // A stored retry time that is nearer than the lease was, and from then on certain.
    ready.mark("q", 1L, ofSeconds(2));
    ready.mark("q", List.of(1L));
    assertThat(ready.untilNext()).hasValue(ofSeconds(2));
  }

  @Test
  void aPausedQueueRestsAndResumes() {
    ready.mark("q", List.of(1L));
    ready.limit("q", 0);
    assertThat(ready.take()).isNull();
    assertThat(ready.next()).isEqualTo(Next.whenRung());
    int before = rings.get();
    ready.limit("q", 2);
    assertThat(rings).hasValue(before + 1);
    assertThat(take().partition()).isEqualTo(1);
  }

  @Test
  void aLimitLoweredBelowTheTurnsInProgressIsReachedAsTheyEnd() {
    ready.mark("q", List.of(1L, 2L, 3L));
    Turn<String> one = take();
    Turn<String> two = take();
    ready.limit("q", 1);
    one.done(false);
    assertThat(ready.take()).isNull();
    two.done(false);
    assertThat(take().partition()).isEqualTo(3);
  }

  @Test
  void errorsAndLostRacesComeBackByTimer() {
    ready.mark("q", List.of(1L));
    take().failed();
    assertThat(ready.untilNext()).hasValue(ofMillis(100));
    time.advanceMillis(100);
    take().skipped();
    assertThat(ready.untilNext()).hasValue(ofMillis(10));
    time.advanceMillis(10);
    take().close();
    assertThat(ready.untilNext()).hasValue(ofMillis(200));
  }

  @Test
  void onlyTheFirstSettlementOfATurnCounts() {
    ready.mark("q", List.of(1L));
    Turn<String> first = take();
    first.done(true);
    Turn<String> second = take();
    first.close();
    first.notBefore(ofSeconds(9));
    first.skipped();
    first.done(false);
    assertThat(ready.take()).isNull();
    assertThat(ready.size()).isEqualTo(1);
    second.done(false);
    assertThat(ready.size()).isZero();
  }

  @Test
  void idlePartitionsAreNotHeld() {
    for (int queue = 0; queue < 100; queue++) {
      ready.mark(
          "q" + queue,
          IntStream.range(queue * 64, queue * 64 + 64).asLongStream().boxed().toList());
    }
    assertThat(ready.size()).isEqualTo(6_400);
    takeAll().forEach(turn -> turn.done(false));
    assertThat(ready.size()).isZero();
    assertThat(ready.untilNext()).isEmpty();
  }

  private Turn<String> take() {
    return Objects.requireNonNull(ready.take(), "nothing is due");
  }

  private List<Turn<String>> takeAll() {
    var turns = new ArrayList<Turn<String>>();
    for (Turn<String> turn = ready.take(); turn != null; turn = ready.take()) {
      turns.add(turn);
    }
    return turns;
  }
}

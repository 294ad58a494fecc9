package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What each answer of a worker means to its loop. */
@Timeout(60)
class LoopAnswersTest extends LoopInManualTime {
  @Test
  void theFirstRunNeedsNoRing() throws Exception {
    start(options);
    assertThat(worker.runs()).containsExactly(0L);
  }

  @Test
  void nowRunsAgainAtOnce() throws Exception {
    worker.answers(Next.now(), Next.now(), Next.now());
    start(options);
    assertThat(worker.runs()).containsExactly(0L, 0L, 0L, 0L);
  }

  @Test
  void sleepRunsWhenTheTimeHasPassed() throws Exception {
    worker.answers(Next.sleep(ms(50)));
    start(options);
    advance(49);
    assertThat(worker.runs()).containsExactly(0L);
    advance(1);
    assertThat(worker.runs()).containsExactly(0L, 50L);
  }

  @Test
  void sleepOfNothingRunsAtOnce() throws Exception {
    worker.answers(Next.sleep(Duration.ZERO), Next.after(Duration.ZERO));
    start(options);
    assertThat(worker.runs()).containsExactly(0L, 0L, 0L);
  }

  @Test
  void sleepEndsEarlyWhenRung() throws Exception {
    worker.answers(Next.sleep(HOUR));
    start(options);
    advance(10);
    bell.ring();
    time.awaitParked(1);
    assertThat(worker.runs()).containsExactly(0L, 10L);
  }

  @Test
  void afterIsNotShortenedByARingWhichIsRemembered() throws Exception {
    worker.answers(Next.after(ms(100)));
    start(options);
    bell.ring();
    advance(99);
    assertThat(worker.runs()).containsExactly(0L);
    advance(1);
    assertThat(worker.runs()).containsExactly(0L, 100L);
  }

  @Test
  void whenRungWaitsForARing() throws Exception {
    start(options);
    advance(3_600_000);
    assertThat(worker.runs()).containsExactly(0L);
    bell.ring();
    time.awaitParked(1);
    assertThat(worker.runs()).containsExactly(0L, 3_600_000L);
  }

  @Test
  void whenRungAtMostLooksInAnyway() throws Exception {
    worker.thenAlways(() -> Next.whenRung(ms(100)));
    start(options);
    advance(100);
    advance(100);
    assertThat(worker.runs()).containsExactly(0L, 100L, 200L);
  }

  @Test
  void eachWaitOfAPeriodicLookBeginsAnew() throws Exception {
    worker.thenAlways(() -> Next.whenRung(ms(100)));
    start(options);
    advance(60);
    bell.ring();
    time.awaitParked(1);
    advance(99);
    assertThat(worker.runs()).containsExactly(0L, 60L);
    advance(1);
    assertThat(worker.runs()).containsExactly(0L, 60L, 160L);
  }

  @Test
  void aWallClockThatJumpsMovesNothing() throws Exception {
    worker.answers(Next.sleep(ms(100)));
    start(options);
    time.jumpWall(Duration.ofDays(1));
    advance(99);
    time.jumpWall(Duration.ofDays(-2));
    assertThat(worker.runs()).containsExactly(0L);
    advance(1);
    assertThat(worker.runs()).containsExactly(0L, 100L);
  }

  @Test
  void aWaitLongerThanTheClockCanSayIsForever() throws Exception {
    worker.answers(Next.after(Duration.ofSeconds(Long.MAX_VALUE)));
    start(options);
    advance(3_600_000);
    assertThat(worker.runs()).containsExactly(0L);
  }

  @Test
  void withoutABellOnlyTheStopEndsTheWait() throws Exception {
    start(options.withBells());
    bell.ring();
    advance(3_600_000);
    assertThat(worker.runs()).containsExactly(0L);
  }
}

package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What holds a run back: the pace and the permits. */
@Timeout(60)
class LoopLimitsTest extends LoopInManualTime {
  // Pacing.

  @Test
  void goesFasterWhileThereIsWork() throws Exception {
    worker.answers(Next.now(), Next.now(), Next.now(), Next.now());
    start(options.withPace(new Pace(ms(30), ms(10), ms(10))));
    for (int i = 0; i < 100; i++) {
      advance(1);
    }
    assertThat(worker.runs()).containsExactly(0L, 30L, 50L, 60L, 70L);
  }

  @Test
  void aRestStartsThePaceOverAndAWakeUpIsNotPaced() throws Exception {
    worker.answers(Next.now(), Next.now(), Next.whenRung(), Next.now());
    start(options.withPace(new Pace(ms(30), ms(10), ms(10))));
    advance(30);
    advance(20);
    bell.ring();
    time.awaitParked(1);
    assertThat(worker.runs()).containsExactly(0L, 30L, 50L, 50L);
    advance(29);
    assertThat(worker.runs()).hasSize(4);
    advance(1);
    assertThat(worker.runs()).endsWith(80L);
  }

  @Test
  void aRingDoesNotHurryThePace() throws Exception {
    worker.answers(Next.now());
    start(options.withPace(new Pace(ms(30), ms(10), ms(10))));
    bell.ring();
    time.awaitParked(1);
    assertThat(worker.runs()).hasSize(1);
    advance(30);
    assertThat(worker.runs()).containsExactly(0L, 30L);
  }

  // Permits.

  @Test
  void thePermitIsHeldDuringTheRunAndNotWhileWaiting() throws Exception {
    Permits permits = Permits.fixed(1, time);
    List<Integer> free = new CopyOnWriteArrayList<>();
    worker.does(
        () -> {
          free.add(permits.available());
          return Next.whenRung();
        });
    start(options.withPermits(permits));
    assertThat(free).containsExactly(0);
    assertThat(permits.available()).isOne();
  }

  @Test
  void thePermitComesBackAfterAFailure() throws Exception {
    Permits permits = Permits.fixed(1, time);
    worker.fails(1);
    start(options.withPermits(permits));
    assertThat(permits.available()).isOne();
  }

  @Test
  void waitsForAPermit() throws Exception {
    Permits permits = Permits.fixed(1, time);
    var held = Objects.requireNonNull(permits.acquire(stop));
    start(options.withPermits(permits));
    assertThat(worker.runs()).isEmpty();
    held.release();
    time.awaitParked(1);
    assertThat(worker.runs()).hasSize(1);
  }

  @Test
  void aRingWhileWaitingForAPermitIsAnsweredByThatRun() throws Exception {
    Permits permits = Permits.fixed(1, time);
    var held = Objects.requireNonNull(permits.acquire(stop));
    start(options.withPermits(permits));
    bell.ring();
    held.release();
    time.awaitParked(1);
    assertThat(worker.runs()).hasSize(1);
  }

  @Test
  void aStopEndsTheWaitForAPermit() throws Exception {
    Permits permits = Permits.fixed(1, time);
    var held = Objects.requireNonNull(permits.acquire(stop));
    start(options.withPermits(permits));
    stopAndJoin();
    assertThat(worker.runs()).isEmpty();
    held.release();
    assertThat(permits.available()).isOne();
  }

  @Test
  void closedPermitsEndTheLoop() throws Exception {
    Permits permits = Permits.fixed(1, time);
    start(options.withPermits(permits));
    permits.close();
    bell.ring();
    loops.get(0).join();
    assertThat(worker.runs()).hasSize(1);
  }
}

package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker that fails or is interrupted is run again by timer, ever more rarely. */
@Timeout(60)
class LoopErrorsTest extends LoopInManualTime {
  @Test
  void anErrorThenSilenceIsRetriedByTimer() throws Exception {
    worker.fails(1);
    start(options);
    advance(99);
    assertThat(worker.runs()).containsExactly(0L);
    advance(1);
    assertThat(worker.runs()).containsExactly(0L, 100L);
  }

  @Test
  void anErrorNeedsNoBellToBeRetried() throws Exception {
    worker.fails(1);
    start(options.withBells());
    advance(100);
    assertThat(worker.runs()).containsExactly(0L, 100L);
  }

  @Test
  void errorsInARowWaitLongerAndLonger() throws Exception {
    worker.fails(3);
    start(options.withBackoff(new Backoff(ms(10), 2, ms(1000), 0)));
    for (int i = 0; i < 100; i++) {
      advance(1);
    }
    assertThat(worker.runs()).containsExactly(0L, 10L, 30L, 70L);
  }

  @Test
  void successStartsTheBackoffOver() throws Exception {
    worker.fails(2).answers(Next.now()).fails(1);
    start(options);
    for (int i = 0; i < 20; i++) {
      advance(50);
    }
    assertThat(worker.runs()).containsExactly(0L, 100L, 300L, 300L, 400L);
  }

  @Test
  void theBackoffIsMeasuredFromTheEndOfTheFailedRun() throws Exception {
    worker.does(
        () -> {
          time.advance(ms(70));
          throw new IllegalStateException("slow and broken");
        });
    start(options);
    advance(99);
    assertThat(worker.runs()).containsExactly(0L);
    advance(1);
    assertThat(worker.runs()).containsExactly(0L, 170L);
  }

  @Test
  void aRingDuringABackoffNeitherShortensItNorIsLost() throws Exception {
    worker.fails(1);
    start(options);
    advance(50);
    bell.ring();
    advance(49);
    assertThat(worker.runs()).containsExactly(0L);
    advance(1);
    assertThat(worker.runs()).containsExactly(0L, 100L);
    advance(3_600_000);
    assertThat(worker.runs()).hasSize(2);
  }

  @Test
  void trafficDoesNotHurryAStreak() throws Exception {
    worker.fails(3);
    start(options);
    for (int i = 0; i < 800; i++) {
      bell.ring();
      advance(1);
    }
    assertThat(worker.runs()).startsWith(0L, 100L, 300L, 700L).doesNotContain(699L, 299L, 99L);
  }

  @Test
  void jitterComesFromTheGivenSource() throws Exception {
    worker.fails(1);
    start(options.withBackoff(Backoff.standard()), () -> 0);
    advance(69);
    assertThat(worker.runs()).hasSize(1);
    advance(1);
    assertThat(worker.runs()).containsExactly(0L, 70L);
  }

  @Test
  void evenAnErrorIsRetriedAndSaidLoudly() throws Exception {
    worker.does(
        () -> {
          throw new StackOverflowError("deep");
        });
    start(options);
    advance(100);
    assertThat(worker.runs()).containsExactly(0L, 100L);
    assertThat(log.linesAt(Level.ERROR)).singleElement().asString().contains("worker failed");
  }

  @Test
  @SuppressWarnings("NullAway") // What a worker without the checker could do.
  void noAnswerIsAnError() throws Exception {
    worker.does(() -> null);
    start(options);
    advance(100);
    assertThat(worker.runs()).containsExactly(0L, 100L);
  }

  @Test
  void anInterruptNobodyOfUsSentIsAnErrorLikeAnyOther() throws Exception {
    worker.does(
        () -> {
          throw new InterruptedException("a library's");
        });
    start(options);
    advance(100);
    assertThat(worker.runs()).containsExactly(0L, 100L);
  }

  @Test
  void anInterruptTheWorkerLeftBehindDoesNotReachItsNextRun() throws Exception {
    List<Boolean> interrupted = new CopyOnWriteArrayList<>();
    worker
        .does(
            () -> {
              Thread.currentThread().interrupt();
              return Next.now();
            })
        .does(
            () -> {
              interrupted.add(Thread.currentThread().isInterrupted());
              return Next.whenRung();
            });
    start(options);
    assertThat(interrupted).containsExactly(false);
  }

  @Test
  void aStrayInterruptDoesNotEndTheWait() throws Exception {
    worker.answers(Next.sleep(ms(100)));
    start(options);
    loops.get(0).thread().interrupt();
    advance(99);
    assertThat(worker.runs()).containsExactly(0L);
    bell.ring();
    time.awaitParked(1);
    assertThat(worker.runs()).containsExactly(0L, 99L);
  }
}

package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoopTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualTime time = new ManualTime();
  private final StopSignal stop = new StopSignal();
  private final ScriptedWorker worker = new ScriptedWorker("worker", time);
  private final Bell bell = new Bell();
  private final LoopOptions options =
      LoopOptions.defaults().withBells(bell).withBackoff(Backoff.standard().withJitter(0));
  private final LogCapture log = new LogCapture(Loop.class);
  private final List<Background<Boolean>> loops = new ArrayList<>();

  @AfterEach
  void release() throws Exception {
    stop.request();
    for (var loop : loops) {
      loop.join();
    }
    log.close();
  }

  // What the answers mean.

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

  // Rings.

  @Test
  void aRingBeforeTheStartIsAnsweredByTheFirstRun() throws Exception {
    bell.ring();
    start(options);
    assertThat(worker.runs()).hasSize(1);
  }

  @Test
  void aRingDuringARunIsAnsweredByAnother() throws Exception {
    worker.does(
        () -> {
          bell.ring();
          return Next.whenRung();
        });
    start(options);
    assertThat(worker.runs()).hasSize(2);
  }

  @Test
  void aRingDuringARunOutlivesAHardWait() throws Exception {
    worker.does(
        () -> {
          bell.ring();
          return Next.after(ms(10));
        });
    start(options);
    assertThat(worker.runs()).hasSize(1);
    advance(10);
    assertThat(worker.runs()).containsExactly(0L, 10L);
  }

  @Test
  void manyRingsAreOneRun() throws Exception {
    worker.does(
        () -> {
          for (int i = 0; i < 5; i++) {
            bell.ring();
          }
          return Next.whenRung();
        });
    start(options);
    assertThat(worker.runs()).hasSize(2);
  }

  @Test
  void anyOfSeveralBellsWakes() throws Exception {
    var bells = List.of(new Bell(), new Bell(), new Bell());
    start(options.withBells(bells.toArray(new Bell[0])));
    for (Bell each : bells) {
      each.ring();
      time.awaitParked(1);
    }
    assertThat(worker.runs()).hasSize(4);
  }

  @Test
  void ringsOfSeveralBellsDuringOneRunAreOneRun() throws Exception {
    var other = new Bell();
    worker.does(
        () -> {
          bell.ring();
          other.ring();
          return Next.whenRung();
        });
    start(options.withBells(bell, other));
    assertThat(worker.runs()).hasSize(2);
  }

  // Errors.

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

  // Stopping.

  @Test
  void aStopEndsWaitingToBeRung() throws Exception {
    start(options);
    stopAndJoin();
    assertThat(worker.runs()).hasSize(1);
  }

  @Test
  void aStopEndsASleep() throws Exception {
    worker.answers(Next.sleep(HOUR));
    start(options);
    stopAndJoin();
    assertThat(worker.runs()).hasSize(1);
  }

  @Test
  void aStopEndsAHardWaitAndABackoff() throws Exception {
    worker.answers(Next.after(HOUR)).fails(1);
    start(options);
    advance(3_600_000);
    stopAndJoin();
    assertThat(worker.runs()).hasSize(2);
  }

  @Test
  void aStopBetweenTwoRunsIsSeen() throws Exception {
    worker
        .does(
            () -> {
              stop.request();
              return Next.now();
            })
        .thenAlways(Next::now);
    launch(worker, options).join();
    assertThat(worker.runs()).hasSize(1);
  }

  @Test
  void aStopIsVisibleToTheRunInProgressWhichIsLeftAlone() throws Exception {
    var running = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    List<Boolean> seen = new CopyOnWriteArrayList<>();
    worker.does(
        () -> {
          running.countDown();
          Background.await(goOn);
          seen.add(stop.requested());
          return Next.now();
        });
    launch(worker, options);
    Background.await(running);
    stop.request();
    goOn.countDown();
    stopAndJoin();
    assertThat(seen).containsExactly(true);
    assertThat(log.linesAt(Level.WARN)).isEmpty();
  }

  @Test
  void afterAStopNothingRuns() throws Exception {
    stop.request();
    launch(worker, options).join();
    assertThat(worker.runs()).isEmpty();
  }

  @Test
  void anInterruptedRunEndsQuietlyWhenStopping() throws Exception {
    worker.does(
        () -> {
          stop.request();
          throw new InterruptedException();
        });
    launch(worker, options).join();
    assertThat(worker.runs()).hasSize(1);
    assertThat(log.linesAt(Level.WARN)).isEmpty();
  }

  // Listeners.

  @Test
  void listenersHearStartAndStop() throws Exception {
    var events = new Events();
    start(options.withListeners(events));
    stopAndJoin();
    assertThat(events.heard)
        .containsExactly("started", "running", "completed PT0S when rung", "stopped");
  }

  @Test
  void listenersHearHowLongARunTook() throws Exception {
    var events = new Events();
    worker.does(
        () -> {
          time.advance(ms(7));
          return Next.sleep(HOUR);
        });
    start(options.withListeners(events));
    assertThat(events.heard).contains("completed PT0.007S sleep PT1H");
  }

  @Test
  void listenersHearAStreakAndItsEnd() throws Exception {
    var events = new Events();
    worker.fails(2);
    start(options.withListeners(events));
    advance(100);
    advance(200);
    assertThat(events.heard)
        .containsExactly(
            "started",
            "running",
            "failed 1 broken, PT0.1S",
            "running",
            "failed 2 broken, PT0.2S",
            "running",
            "recovered 2 PT0.3S",
            "completed PT0S when rung");
  }

  @Test
  void aStreakIsLoggedOnceAndItsEndOnce() throws Exception {
    worker.fails(5);
    start(options);
    for (int i = 0; i < 100; i++) {
      advance(100);
    }
    assertThat(log.linesAt(Level.WARN)).hasSize(1);
    assertThat(log.linesAt(Level.INFO))
        .containsExactly("worker works again after 5 failures in PT3.1S");
  }

  @Test
  void listenersAreToldInTheirOrder() throws Exception {
    List<String> order = new CopyOnWriteArrayList<>();
    start(
        options.withListeners(
            new LoopListener() {
              @Override
              public void running(String name) {
                order.add("first " + name);
              }
            },
            new LoopListener() {
              @Override
              public void running(String name) {
                order.add("second " + name);
              }
            }));
    assertThat(order).containsExactly("first worker", "second worker");
  }

  @Test
  void aBrokenListenerHarmsNobody() throws Exception {
    var events = new Events();
    start(
        options.withListeners(
            new LoopListener() {
              @Override
              public void running(String name) {
                throw new IllegalStateException("listener");
              }

              @Override
              public void completed(String name, Duration took, Next next) {
                throw new AssertionError("listener");
              }
            },
            events));
    bell.ring();
    time.awaitParked(1);
    assertThat(worker.runs()).hasSize(2);
    assertThat(events.heard).hasSize(5);
    assertThat(log.linesAt(Level.ERROR)).hasSize(4).allMatch(line -> line.contains("listener"));
  }

  private static final class Events implements LoopListener {
    private final List<String> heard = new CopyOnWriteArrayList<>();

    @Override
    public void started(String name) {
      heard.add("started");
    }

    @Override
    public void running(String name) {
      heard.add("running");
    }

    @Override
    public void completed(String name, Duration took, Next next) {
      heard.add("completed " + took + " " + next);
    }

    @Override
    public void failed(
        String name, Throwable error, int failures, Duration took, Duration retryIn) {
      heard.add("failed " + failures + " " + error.getMessage() + ", " + retryIn);
    }

    @Override
    public void recovered(String name, int failures, Duration lasted) {
      heard.add("recovered " + failures + " " + lasted);
    }

    @Override
    public void stopped(String name) {
      heard.add("stopped");
    }
  }

  /** Starts the worker and waits until it waits. */
  private void start(LoopOptions with) throws InterruptedException {
    launch(worker, with);
    time.awaitParked(1);
  }

  private void start(LoopOptions with, java.util.function.DoubleSupplier jitter)
      throws InterruptedException {
    loops.add(Background.run(new Loop(worker, with, time, jitter, stop)));
    time.awaitParked(1);
  }

  private Background<Boolean> launch(Worker launched, LoopOptions with) {
    var loop = Background.run(new Loop(launched, with, time, () -> 0.5, stop));
    loops.add(loop);
    return loop;
  }

  private void advance(long millis) throws InterruptedException {
    time.advance(ms(millis));
    time.awaitParked(1);
  }

  private void stopAndJoin() throws Exception {
    stop.request();
    for (var loop : loops) {
      loop.join();
    }
  }

  private static Duration ms(long millis) {
    return Duration.ofMillis(millis);
  }
}

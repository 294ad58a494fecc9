package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CrewTest {
  private static final Duration GRACE = Duration.ofSeconds(30);
  private static final Duration BOUND = GRACE.plus(Crew.AFTER_INTERRUPT);

  private final ManualTime time = new ManualTime();
  private final Crew crew = new Crew(time, () -> 0.5);
  private final Bell bell = new Bell();
  private final LoopOptions options = LoopOptions.defaults().withBells(bell);
  private final LogCapture log = new LogCapture(Crew.class);
  private final LogCapture rosterLog = new LogCapture(Roster.class);
  private final CountDownLatch running = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @AfterEach
  void release() {
    goOn.countDown();
    crew.stop(GRACE);
    log.close();
    rosterLog.close();
  }

  @Test
  void startsAndStops() throws Exception {
    var worker = add("worker");
    crew.start();
    time.awaitParked(1);
    assertThat(worker.runs()).hasSize(1);
    assertThat(crew.stop(GRACE).isClean()).isTrue();
    time.awaitParked(0);
  }

  @Test
  void allEndOnStop() throws Exception {
    for (int i = 0; i < 10; i++) {
      add("worker-" + i);
    }
    crew.start();
    time.awaitParked(10);
    assertThat(crew.stop(GRACE)).isEqualTo(new Crew.Stopped(List.of()));
    time.awaitParked(0);
  }

  @Test
  void anEmptyCrewStartsAndStops() {
    crew.start();
    assertThat(crew.stop(GRACE).isClean()).isTrue();
  }

  @Test
  void threadsAreNamedAfterTheirWork() throws Exception {
    List<String> names = new CopyOnWriteArrayList<>();
    var worker =
        add("vacuum")
            .does(
                () -> {
                  names.add(Thread.currentThread().getName());
                  assertThat(Thread.currentThread().isDaemon()).isTrue();
                  return Next.whenRung();
                });
    crew.start();
    time.awaitParked(1);
    assertThat(worker.runs()).hasSize(1);
    assertThat(names).containsExactly("waybill-vacuum");
  }

  @Test
  void nothingRunsBeforeTheStart() {
    var worker = add("worker");
    assertThat(crew.run("task", () -> {})).isFalse();
    assertThat(worker.runs()).isEmpty();
  }

  @Test
  void startingTwiceIsStartingOnce() throws Exception {
    var worker = add("worker");
    crew.start();
    crew.start();
    time.awaitParked(1);
    assertThat(worker.runs()).hasSize(1);
  }

  @Test
  void stoppingBeforeTheStartIsFinal() {
    var worker = add("worker");
    assertThat(crew.stop(GRACE).isClean()).isTrue();
    assertThatThrownBy(crew::start).isInstanceOf(IllegalStateException.class);
    assertThat(worker.runs()).isEmpty();
  }

  @Test
  void stoppingTwiceIsLegal() throws Exception {
    add("worker");
    crew.start();
    time.awaitParked(1);
    assertThat(crew.stop(GRACE).isClean()).isTrue();
    assertThat(crew.stop(GRACE).isClean()).isTrue();
  }

  @Test
  void nobodyJoinsLate() {
    crew.start();
    assertThatThrownBy(() -> add("late"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("late")
        .hasMessageContaining("STARTED");
  }

  @Test
  void refusesANegativeGrace() throws Exception {
    add("worker");
    crew.start();
    time.awaitParked(1);
    assertThatThrownBy(() -> crew.stop(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(crew.stopSignal().requested()).isFalse();
  }

  @Test
  void aRunInProgressIsLeftAloneDuringTheGrace() throws Exception {
    var interrupted = new AtomicInteger();
    add("slow").does(() -> stubborn(interrupted::incrementAndGet));
    crew.start();
    Background.await(running);
    var stopping = Background.call(() -> crew.stop(GRACE));
    time.awaitParked(1);
    time.advance(GRACE.minusNanos(1));
    assertThat(crew.stopSignal().requested()).isTrue();
    goOn.countDown();
    assertThat(stopping.join().isClean()).isTrue();
    assertThat(interrupted).hasValue(0);
  }

  @Test
  void afterTheGraceTheRunIsInterrupted() throws Exception {
    add("slow")
        .does(
            () -> {
              running.countDown();
              goOn.await();
              return Next.now();
            });
    crew.start();
    Background.await(running);
    var stopping = Background.call(() -> crew.stop(GRACE));
    time.awaitParked(1);
    time.advance(GRACE);
    assertThat(stopping.join().isClean()).isTrue();
    assertThat(log.linesAt(Level.WARN)).isEmpty();
  }

  @Test
  void whoIgnoresTheInterruptIsLeftBehindAndNamed() throws Exception {
    var interrupted = new CountDownLatch(1);
    add("deaf").does(() -> stubborn(interrupted::countDown));
    crew.start();
    Background.await(running);
    var stopping = Background.call(() -> crew.stop(GRACE));
    time.awaitParked(1);
    time.advance(GRACE);
    Background.await(interrupted);
    time.awaitParked(1);
    time.advance(Crew.AFTER_INTERRUPT);
    assertThat(stopping.join().unfinished()).containsExactly("deaf");
    assertThat(log.linesAt(Level.WARN))
        .containsExactly("Left behind, ended neither within PT30S nor when interrupted: [deaf]");
  }

  @Test
  void aLaterStopReportsWhoIsStillThere() throws Exception {
    add("deaf").does(() -> stubborn(() -> {}));
    crew.start();
    Background.await(running);
    var stopping = Background.call(() -> crew.stop(Duration.ZERO));
    time.awaitParked(1);
    time.advance(Crew.AFTER_INTERRUPT);
    assertThat(stopping.join().unfinished()).containsExactly("deaf");
    var again = Background.call(() -> crew.stop(GRACE));
    time.awaitParked(1);
    goOn.countDown();
    assertThat(again.join().isClean()).isTrue();
  }

  @Test
  void severalMayStopAtOnce() throws Exception {
    add("slow").does(() -> stubborn(() -> {}));
    crew.start();
    Background.await(running);
    var first = Background.call(() -> crew.stop(GRACE));
    var second = Background.call(() -> crew.stop(GRACE));
    time.awaitParked(2);
    goOn.countDown();
    assertThat(first.join().isClean()).isTrue();
    assertThat(second.join().isClean()).isTrue();
  }

  @Test
  void theShortestGraceWins() throws Exception {
    add("slow")
        .does(
            () -> {
              running.countDown();
              goOn.await();
              return Next.now();
            });
    crew.start();
    Background.await(running);
    var patient = Background.call(() -> crew.stop(GRACE));
    time.awaitParked(1);
    assertThat(crew.stop(Duration.ZERO).isClean()).isTrue();
    assertThat(patient.join().isClean()).isTrue();
  }

  @Test
  void anInterruptedStopHurriesAndRemembersTheInterrupt() throws Exception {
    add("slow")
        .does(
            () -> {
              running.countDown();
              goOn.await();
              return Next.now();
            });
    crew.start();
    Background.await(running);
    var stopping =
        Background.call(
            () -> {
              boolean clean = crew.stop(GRACE).isClean();
              return clean && Thread.currentThread().isInterrupted();
            });
    time.awaitParked(1);
    stopping.thread().interrupt();
    assertThat(stopping.join()).isTrue();
    assertThat(time.millis()).isZero();
  }

  @Test
  void aWorkerMayStopItsOwnCrew() throws Exception {
    List<Crew.Stopped> reports = new CopyOnWriteArrayList<>();
    var worker =
        add("self")
            .does(
                () -> {
                  running.countDown();
                  reports.add(crew.stop(GRACE));
                  return Next.now();
                });
    add("other");
    crew.start();
    Background.await(running);
    assertThat(Background.call(() -> crew.stop(GRACE)).join().isClean()).isTrue();
    assertThat(time.millis()).isZero();
    assertThat(worker.runs()).hasSize(1);
    assertThat(reports).hasSize(1).allMatch(Crew.Stopped::isClean);
  }

  @Test
  void workersThatAllStopTheirCrewDoNotWaitForEachOther() throws Exception {
    var all = new CountDownLatch(4);
    List<Crew.Stopped> reports = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 4; i++) {
      add("self-" + i)
          .does(
              () -> {
                all.countDown();
                Background.await(all);
                reports.add(crew.stop(GRACE));
                return Next.now();
              });
    }
    crew.start();
    Background.await(all);
    assertThat(Background.call(() -> crew.stop(GRACE)).join().isClean()).isTrue();
    assertThat(time.millis()).isZero();
    assertThat(reports).hasSize(4).allMatch(Crew.Stopped::isClean);
  }

  @Test
  void aTaskMayStopItsCrew() throws Exception {
    crew.start();
    List<Crew.Stopped> reports = new CopyOnWriteArrayList<>();
    assertThat(crew.run("task", () -> reports.add(crew.stop(GRACE)))).isTrue();
    assertThat(Background.call(() -> crew.stop(GRACE)).join().isClean()).isTrue();
    assertThat(reports).hasSize(1);
  }

  @Test
  void aStartThatFailsHalfwayStopsWhatItStarted() throws Exception {
    var started = new AtomicInteger();
    var twoThreads = new FewThreads(2);
    var half = new Crew(time, () -> 0.5, twoThreads);
    for (int i = 0; i < 3; i++) {
      half.add(
          new ScriptedWorker("worker-" + i, time)
              .does(
                  () -> {
                    started.incrementAndGet();
                    return Next.whenRung();
                  }),
          options);
    }
    assertThatThrownBy(half::start).isInstanceOf(RejectedExecutionException.class);
    time.awaitParked(0);
    assertThat(half.stopSignal().requested()).isTrue();
    assertThat(started.get()).isLessThanOrEqualTo(2);
    assertThat(twoThreads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(half::start).isInstanceOf(IllegalStateException.class);
    assertThat(half.stop(GRACE).isClean()).isTrue();
  }

  @Test
  void startAndStopMayRaceAtWill() throws Exception {
    for (int round = 0; round < 200; round++) {
      var raced = new Crew(Time.system());
      var ran = new AtomicInteger();
      var live = new AtomicInteger();
      for (int i = 0; i < 3; i++) {
        raced.add(new Counting("worker-" + i, ran), options.withListeners(new Live(live)));
      }
      var starting =
          Background.call(
              () -> {
                try {
                  raced.start();
                  return true;
                } catch (IllegalStateException stoppedFirst) {
                  return false;
                }
              });
      var stopping = Background.call(() -> raced.stop(GRACE));
      bell.ringAll();
      assertThat(raced.stop(GRACE).isClean()).isTrue();
      assertThat(stopping.join().isClean()).isTrue();
      starting.join();
      int runs = ran.get();
      bell.ringAll();
      assertThat(raced.run("late", ran::incrementAndGet)).isFalse();
      assertThat(raced.stop(GRACE).isClean()).isTrue();
      assertThat(live).hasValue(0);
      assertThat(ran).hasValue(runs);
    }
  }

  // Tasks.

  @Test
  void runsATaskUnderItsName() throws Exception {
    crew.start();
    var name = new CopyOnWriteArrayList<String>();
    assertThat(crew.run("order-7", () -> name.add(Thread.currentThread().getName()))).isTrue();
    crew.stop(GRACE);
    assertThat(name).containsExactly("waybill-order-7");
  }

  @Test
  void aTaskThatThrowsIsReportedAndHarmsNobody() throws Exception {
    var worker = add("worker");
    crew.start();
    var next = new CountDownLatch(1);
    crew.run(
        "broken",
        () -> {
          throw new AssertionError("task");
        });
    crew.run("fine", next::countDown);
    Background.await(next);
    time.awaitParked(1);
    bell.ring();
    time.awaitParked(1);
    assertThat(worker.runs()).hasSize(2);
    assertThat(crew.stop(GRACE).isClean()).isTrue();
    assertThat(rosterLog.linesAt(Level.ERROR)).containsExactly("broken failed");
  }

  @Test
  void tasksAreBoundedByTheirPermits() throws Exception {
    Permits permits = Permits.fixed(2, time);
    var inside = new AtomicInteger();
    var most = new AtomicInteger();
    var both = new CountDownLatch(2);
    crew.start();
    for (int i = 0; i < 50; i++) {
      assertThat(
              crew.run(
                  "task-" + i,
                  permits,
                  () -> {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    both.countDown();
                    Background.awaitIgnoringInterrupts(both, () -> {});
                    inside.decrementAndGet();
                  }))
          .isTrue();
    }
    assertThat(crew.stop(GRACE).isClean()).isTrue();
    assertThat(most).hasValue(2);
    assertThat(permits.available()).isEqualTo(2);
  }

  @Test
  void aStopEndsWaitingForATasksPermit() throws Exception {
    Permits permits = Permits.fixed(1, time);
    crew.start();
    crew.run("holds it", permits, () -> Background.awaitIgnoringInterrupts(goOn, () -> {}));
    var waiting = Background.call(() -> crew.run("waits", permits, () -> {}));
    time.awaitParked(1);
    var stopping = Background.call(() -> crew.stop(GRACE));
    assertThat(waiting.join()).isFalse();
    goOn.countDown();
    assertThat(stopping.join().isClean()).isTrue();
    assertThat(permits.available()).isOne();
  }

  @Test
  void afterAStopATaskIsRefusedAndItsPermitGivenBack() throws Exception {
    Permits permits = Permits.fixed(1, time);
    assertThat(crew.run("early", permits, () -> {})).isFalse();
    assertThat(permits.available()).isOne();
    crew.stop(GRACE);
    assertThat(crew.run("late", permits, () -> {})).isFalse();
    assertThat(crew.run("late", () -> {})).isFalse();
    assertThat(permits.available()).isOne();
  }

  @Test
  void aTaskIsInterruptedAfterTheGrace() throws Exception {
    crew.start();
    var interrupted = new CountDownLatch(1);
    crew.run(
        "handler",
        () -> {
          running.countDown();
          try {
            goOn.await();
          } catch (InterruptedException asked) {
            interrupted.countDown();
          }
        });
    Background.await(running);
    assertThat(crew.stop(Duration.ZERO).isClean()).isTrue();
    Background.await(interrupted);
  }

  @Test
  void aPooledThreadKeepsNeitherNameNorInterrupt() throws Exception {
    var pool = new FewThreads(1);
    var crewOfOne = new Crew(time, () -> 0.5, pool);
    crewOfOne.start();
    crewOfOne.run("task", () -> Thread.currentThread().interrupt());
    crewOfOne.stop(GRACE);
    assertThat(pool.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    assertThat(pool.namesAfterwards).noneMatch(name -> name.contains("task"));
    assertThat(pool.interruptedAfterwards).containsExactly(false);
  }

  @Test
  void stopsInRealTimeWithinItsBound() throws Exception {
    var real = new Crew(Time.system());
    real.add(
        new Worker() {
          @Override
          public String name() {
            return "deaf";
          }

          @Override
          public Next runOnce() {
            return stubborn(() -> {});
          }
        },
        options);
    real.add(new Counting("fine", new AtomicInteger()), options);
    real.start();
    Background.await(running);
    long from = Time.system().nanos();
    assertThat(real.stop(Duration.ofMillis(10)).unfinished()).containsExactly("deaf");
    assertThat(Duration.ofNanos(Time.system().nanos() - from)).isLessThan(BOUND);
    goOn.countDown();
    assertThat(real.stop(GRACE).isClean()).isTrue();
  }

  private ScriptedWorker add(String name) {
    var worker = new ScriptedWorker(name, time);
    crew.add(worker, options);
    return worker;
  }

  private Next stubborn(Runnable onInterrupt) {
    running.countDown();
    Background.awaitIgnoringInterrupts(goOn, onInterrupt);
    return Next.now();
  }

  private record Counting(String name, AtomicInteger ran) implements Worker {
    @Override
    public Next runOnce() {
      ran.incrementAndGet();
      return Next.whenRung();
    }
  }

  private record Live(AtomicInteger loops) implements LoopListener {
    @Override
    public void started(String worker) {
      loops.incrementAndGet();
    }

    @Override
    public void stopped(String worker) {
      loops.decrementAndGet();
    }
  }

  /** Runs out of threads, like a machine at its limit. */
  private static final class FewThreads extends ThreadPoolExecutor {
    private final List<String> namesAfterwards = new CopyOnWriteArrayList<>();
    private final List<Boolean> interruptedAfterwards = new CopyOnWriteArrayList<>();

    FewThreads(int limit) {
      super(0, limit, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
    }

    @Override
    protected void afterExecute(Runnable task, Throwable failure) {
      namesAfterwards.add(Thread.currentThread().getName());
      interruptedAfterwards.add(Thread.currentThread().isInterrupted());
    }
  }
}

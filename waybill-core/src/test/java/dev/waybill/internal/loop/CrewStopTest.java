package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stop is bounded: it waits, then interrupts, then names who is left. */
@Timeout(60)
class CrewStopTest extends CrewInManualTime {
  private static final Duration BOUND = GRACE.plus(Crew.AFTER_INTERRUPT);

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
}

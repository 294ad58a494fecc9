package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a crew comes to life, also when it fails halfway or is stopped meanwhile. */
@Timeout(60)
class CrewStartTest extends CrewInManualTime {
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
}

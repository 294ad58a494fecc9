package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.time.Duration;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Single tasks beside the workers. */
@Timeout(60)
class CrewTasksTest extends CrewInManualTime {
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
}

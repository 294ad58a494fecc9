package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoopStopTest extends LoopInManualTime {
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
}

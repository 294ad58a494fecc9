package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers as the outbox and the jobs use them, all parts together. */
@Timeout(60)
class ScenarioTest {
  private final ManualTime time = new ManualTime();
  private final Crew crew = new Crew(time, () -> 0.5);
  private final Bell bell = new Bell();
  private final LoopOptions options = LoopOptions.defaults().withBells(bell);

  @AfterEach
  void release() {
    crew.stop(Duration.ofSeconds(10));
  }

  @Test
  void workThatOutlastsItsPeriodIsFollowedByAFullPeriod() throws Exception {
    var reporter = worker("reporter");
    reporter.thenAlways(
        () -> {
          time.advance(Duration.ofSeconds(90));
          return Next.whenRung(Duration.ofMinutes(1));
        });
    crew.add(reporter, options);
    crew.start();
    time.awaitParked(1);
    advance(Duration.ofSeconds(59));
    assertThat(reporter.runs()).containsExactly(0L);
    advance(Duration.ofSeconds(1));
    assertThat(reporter.runs()).containsExactly(0L, 150_000L);
  }

  @Test
  void aRungWorkerDoesNotWaitForItsSafetyPoll() throws Exception {
    var processor = worker("processor");
    processor.thenAlways(() -> Next.whenRung(Duration.ofMinutes(10)));
    crew.add(processor, options);
    crew.start();
    time.awaitParked(1);
    for (int i = 0; i < 3; i++) {
      advance(Duration.ofMillis(5));
      bell.ring();
      time.awaitParked(1);
    }
    assertThat(processor.runs()).containsExactly(0L, 5L, 10L, 15L);
  }

  @Test
  void anOutageBacksOffThenRecoversThenBacksOffFromTheStart() throws Exception {
    var sequencer = worker("sequencer");
    sequencer.fails(3).answers(Next.now()).fails(1);
    crew.add(
        sequencer,
        options.withBackoff(new Backoff(Duration.ofSeconds(1), 2, Duration.ofSeconds(30), 0)));
    crew.start();
    time.awaitParked(1);
    for (int i = 0; i < 10; i++) {
      advance(Duration.ofSeconds(1));
    }
    assertThat(sequencer.runs()).containsExactly(0L, 1000L, 3000L, 7000L, 7000L, 8000L);
  }

  @Test
  void enqueueFlushAndNotificationAllWakeTheSameWorker() throws Exception {
    var flush = new Bell();
    var notification = new Bell();
    var sequencer = worker("sequencer");
    crew.add(sequencer, options.withBells(bell, flush, notification));
    crew.start();
    time.awaitParked(1);
    bell.ring();
    time.awaitParked(1);
    flush.ring();
    time.awaitParked(1);
    notification.ring();
    time.awaitParked(1);
    assertThat(sequencer.runs()).hasSize(4);
  }

  @Test
  void workersSharePermitsAndABell() throws Exception {
    Permits two = Permits.fixed(2, time);
    var inside = new AtomicInteger();
    var most = new AtomicInteger();
    var left = new AtomicInteger(200);
    var both = new CountDownLatch(2);
    for (int i = 0; i < 4; i++) {
      crew.add(
          worker("worker-" + i)
              .thenAlways(
                  () -> {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    both.countDown();
                    Background.await(both);
                    inside.decrementAndGet();
                    return left.getAndDecrement() > 0 ? Next.now() : Next.whenRung();
                  }),
          options.withPermits(two));
    }
    crew.start();
    time.awaitParked(4);
    assertThat(left.get()).isLessThanOrEqualTo(0);
    left.set(200);
    bell.ringAll();
    time.awaitParked(4);
    assertThat(left.get()).isLessThanOrEqualTo(0);
    assertThat(most).hasValue(2);
    assertThat(two.available()).isEqualTo(2);
  }

  @Test
  void aVacuumSchedulesItself() throws Exception {
    var vacuum = worker("vacuum");
    vacuum
        .answers(Next.now(), Next.now(), Next.sleep(Duration.ofHours(1)))
        .thenAlways(() -> Next.sleep(Duration.ofHours(1)));
    crew.add(vacuum, options);
    crew.start();
    time.awaitParked(1);
    advance(Duration.ofHours(1));
    advance(Duration.ofHours(1));
    assertThat(vacuum.runs()).containsExactly(0L, 0L, 0L, 3_600_000L, 7_200_000L);
  }

  @Test
  void aWorkerThatThrowsErrorsGoesOn() throws Exception {
    var broken = worker("broken");
    broken.does(ScenarioTest::crash).answers(Next.whenRung()).does(ScenarioTest::crash);
    crew.add(broken, options);
    crew.start();
    time.awaitParked(1);
    advance(Duration.ofMillis(100));
    bell.ring();
    time.awaitParked(1);
    advance(Duration.ofMillis(100));
    assertThat(broken.runs()).containsExactly(0L, 100L, 100L, 200L);
  }

  @Test
  void aWorkerThatThrowsErrorsDoesNotHarmItsSiblings() throws Exception {
    var broken = worker("broken").thenAlways(ScenarioTest::crash);
    var healthy = worker("healthy").thenAlways(() -> Next.sleep(Duration.ofMillis(10)));
    crew.add(broken, options);
    crew.add(healthy, options.withBells());
    crew.start();
    time.awaitParked(2);
    for (int i = 0; i < 100; i++) {
      time.advance(Duration.ofMillis(10));
      time.awaitParked(2);
    }
    assertThat(healthy.runs()).hasSize(101);
    assertThat(broken.runs()).containsExactly(0L, 100L, 300L, 700L);
  }

  @Test
  void aLostRaceIsTriedAgainWithoutARing() throws Exception {
    var processor = worker("processor");
    processor.answers(Next.sleep(Duration.ofSeconds(30)));
    crew.add(processor, options);
    crew.start();
    time.awaitParked(1);
    advance(Duration.ofSeconds(30));
    assertThat(processor.runs()).containsExactly(0L, 30_000L);
  }

  private ScriptedWorker worker(String name) {
    return new ScriptedWorker(name, time);
  }

  private void advance(Duration by) throws InterruptedException {
    time.advance(by);
    time.awaitParked(1);
  }

  private static Next crash() {
    throw new StackOverflowError("crash");
  }
}

package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.job.JobRun.Stop;
import dev.waybill.internal.loop.ManualTime;
import dev.waybill.job.JobOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobTimekeeperTest {
  private static final Duration TIMEOUT = Duration.ofMillis(200);
  private static final Duration GRACE = Duration.ofMillis(100);

  private final ManualTime time = new ManualTime();
  private final RunningJobs running = new RunningJobs(2);
  private final AtomicInteger asked = new AtomicInteger();
  private final JobRun run = run();
  private final JobTimekeeper timekeeper =
      new JobTimekeeper(time, JobOptions.of("me").withCancelGrace(GRACE), running);

  private JobRun run() {
    JobRun claimed =
        new JobRun(
            RunningJobsTest.claim(TIMEOUT),
            "me",
            time.nanos(),
            Duration.ofMinutes(1),
            Runnable::run);
    claimed.onStop(asked::incrementAndGet);
    running.add(List.of(claimed));
    return claimed;
  }

  @AfterEach
  void leaveNoInterrupt() {
    Thread.interrupted();
  }

  @Test
  void aHandlerIsAskedAtItsDeadlineAndInterruptedAfterTheGrace() {
    run.begin();
    assertThat(timekeeper.runOnce().isIdle()).isFalse();
    assertThat(run.stop()).isNull();

    time.advance(TIMEOUT);
    assertThat(timekeeper.runOnce().isIdle()).isFalse();
    assertThat(run.stop()).isEqualTo(Stop.TIMEOUT);
    assertThat(asked).hasValue(1);
    assertThat(Thread.interrupted()).isFalse();

    time.advance(GRACE);
    assertThat(timekeeper.runOnce().isIdle()).as("it may swallow the interrupt").isFalse();
    assertThat(Thread.interrupted()).isTrue();

    run.end();
    assertThat(timekeeper.runOnce().isIdle()).isTrue();
  }

  /** On a busy machine its thread may need longer to begin than it has. */
  @Test
  void aHandlerThatBeginsAfterItsDeadlineIsInterruptedToo() {
    time.advance(TIMEOUT);
    assertThat(timekeeper.runOnce().isIdle()).isFalse();
    time.advance(GRACE);
    assertThat(timekeeper.runOnce().isIdle()).as("it may begin at any time").isFalse();

    run.begin();
    assertThat(timekeeper.runOnce().isIdle()).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }
}

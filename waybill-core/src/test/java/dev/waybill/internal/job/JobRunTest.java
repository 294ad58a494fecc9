package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.job.JobRun.Stop;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JobRunTest {
  private final List<String> done = new ArrayList<>();
  private final JobRun run = run();

  private static JobRun run() {
    UUID id = UUID.randomUUID();
    Claim claim =
        new Claim(id, "t", "", 1, 1, 1, 1, 3, 1, null, 1, null, null, null, null, null, "{}", null);
    return new JobRun(claim, "me", 0, Duration.ofMinutes(1), Runnable::run);
  }

  @Test
  void whatAHandlerWantsDoneOnAStopIsDoneOnce() {
    run.begin();
    run.onStop(() -> done.add("before"));
    run.stop(Stop.TIMEOUT, 1);
    run.stop(Stop.SHUTDOWN, 2);
    run.onStop(() -> done.add("after"));
    assertThat(done).containsExactly("before", "after");
    assertThat(run.stop()).isEqualTo(Stop.TIMEOUT);
  }

  /** Whoever looks at leases meets jobs that have just been settled, and takes them for lost. */
  @Test
  void nothingOfItIsDoneWhenTheHandlerHasEnded() {
    run.begin();
    run.onStop(() -> done.add("cancel the statement"));
    run.end();
    run.stop(Stop.LEASE_LOST, 1);
    assertThat(done).isEmpty();
    assertThat(run.insist(Duration.ZERO, 2)).isEqualTo(Long.MAX_VALUE);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}

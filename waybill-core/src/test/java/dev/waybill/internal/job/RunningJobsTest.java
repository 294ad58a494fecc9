package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.store.JobLeaseStore.Claim;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RunningJobsTest {
  private final RunningJobs running = new RunningJobs(2);

  private List<JobRun> begun(int jobs) {
    List<JobRun> runs = IntStream.range(0, jobs).mapToObj(i -> run()).toList();
    running.add(runs);
    return runs;
  }

  private static JobRun run() {
    Claim claim =
        new Claim(
            UUID.randomUUID(),
            "t",
            "",
            1,
            1,
            1,
            3,
            1,
            null,
            1,
            null,
            null,
            null,
            null,
            null,
            "{}",
            null);
    return new JobRun(claim, "me", 0, Duration.ofMinutes(1), Runnable::run);
  }

  @Test
  void aSlotIsFreeWhenItsHandlerHasEnded() {
    List<JobRun> runs = begun(2);
    assertThat(running.free()).isZero();
    running.end(runs.get(0));
    assertThat(running.free()).isEqualTo(1);
    assertThat(running.has(runs.get(0).fence())).as("renewed until it is settled").isTrue();
    running.end(runs.get(1));
    running.remove(runs);
    assertThat(running.free()).isEqualTo(2);
    assertThat(running.all()).isEmpty();
    assertThat(running.ended()).isEmpty();
  }

  @Test
  void nothingIsClaimedWhileTooManyWaitToBeSettled() {
    List<JobRun> first = begun(2);
    first.forEach(running::end);
    begun(2).forEach(running::end);
    assertThat(running.free()).isZero();
    running.remove(List.of(first.get(0)));
    assertThat(running.free()).isEqualTo(1);
  }

  @Test
  void whoWaitsForAWorkflowHoldsUpNothing() {
    begun(2).forEach(running::end);
    begun(2).forEach(running::end);
    running.parked().set(4);
    assertThat(running.free()).isEqualTo(2);
  }
}

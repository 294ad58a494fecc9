package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.job.JobRun.Stop;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An attempt that is asked to stop between its claim and its beginning. */
@EveryDatabase
class JobRunnerTest {
  private final JobBench bench;
  private final RunningJobs running = new RunningJobs(1);
  private final JobSettler settler;
  private final JobRunner runner;
  private final AtomicInteger begun = new AtomicInteger();

  JobRunnerTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a"));
    JobNews news = new JobNews(List.of());
    this.settler =
        new JobSettler(
            new JobSettlement(
                bench.database(),
                new RetryPolicies(Time.system()),
                new Verdict(() -> 0),
                StepEnds.NONE),
            running,
            JobBench.nobody(),
            news,
            10);
    this.runner =
        new JobRunner(
            bench.database(),
            Time.system(),
            Map.of(
                "a",
                job -> {
                  begun.incrementAndGet();
                  return JobResult.success();
                }),
            settler,
            news);
  }

  private JobRun claimed(UUID id) {
    Claim claim = bench.claim("w1", 1, Duration.ofMinutes(1), "a").get(0);
    assertThat(claim.id()).isEqualTo(id);
    JobRun run =
        new JobRun(claim, "w1", Time.system().nanos(), Duration.ofMinutes(1), Runnable::run);
    running.add(List.of(run));
    return run;
  }

  private JobInfo after(JobRun run) {
    runner.run(run);
    settler.close();
    assertThat(running.all()).isEmpty();
    return bench.get(run.claim().id());
  }

  @Test
  void whoseLeaseMayHaveEndedIsGivenBackUnbegun() {
    JobRun run = claimed(bench.jobs().enqueue(JobRequest.of("a").build()).id());
    run.stop(Stop.LEASE_LOST, Time.system().nanos());
    JobInfo job = after(run);
    assertThat(begun).hasValue(0);
    assertThat(job.status()).isEqualTo(JobStatus.PENDING);
    assertThat(job.attempt()).isZero();
  }

  @Test
  void whoseJobWasCanceledIsNotBegun() {
    JobRun run = claimed(bench.jobs().enqueue(JobRequest.of("a").build()).id());
    bench.jobs().cancel(Scope.admin(), run.claim().id(), "no longer wanted");
    run.canceled("no longer wanted", Time.system().nanos());
    JobInfo job = after(run);
    assertThat(begun).hasValue(0);
    assertThat(job.status()).isEqualTo(JobStatus.CANCELED);
  }

  @Test
  void whatNobodyAskedToStopIsRun() {
    JobInfo job = after(claimed(bench.jobs().enqueue(JobRequest.of("a").build()).id()));
    assertThat(begun).hasValue(1);
    assertThat(job.status()).isEqualTo(JobStatus.SUCCEEDED);
  }
}

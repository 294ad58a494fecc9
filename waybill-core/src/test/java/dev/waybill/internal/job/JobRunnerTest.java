package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.Migrated;
import dev.waybill.internal.job.JobRun.Stop;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever happens between a claim and its handler: who is not sure of its lease begins nothing.
 */
@EveryDatabase
@Timeout(120)
class JobRunnerTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final JobBench bench;
  private final FaultyDataSource source;
  private final RunningJobs running = new RunningJobs(4);
  private final AtomicInteger begun = new AtomicInteger();
  private final JobSettler settler;
  private final JobRunner runner;

  JobRunnerTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a"));
    this.source = new FaultyDataSource(bench.home().dataSource());
    Database own = JobBench.open(source);
    JobNews news = new JobNews(List.of());
    this.settler =
        new JobSettler(
            new JobSettlement(
                own,
                new RetryPolicies(Time.system()),
                new Verdict(() -> 0.5),
                StepEnds.NONE,
                new Endings()),
            running,
            JobBench.nobody(),
            news,
            10,
            new Crew(Time.system()),
            Time.system());
    this.runner =
        new JobRunner(
            own,
            Time.system(),
            Map.of(
                "a",
                context -> {
                  begun.incrementAndGet();
                  return JobResult.success();
                }),
            settler,
            news);
  }

  /** Claimed at that time, as far as this process knows. */
  private JobRun claimed(long at) {
    bench.jobs().enqueue(JobRequest.of("a").build());
    Claim claim = bench.claim("w", 1, LEASE, "a").get(0);
    JobRun run = new JobRun(claim, "w", at, LEASE, Runnable::run);
    running.add(List.of(run));
    return run;
  }

  private JobInfo afterRunning(JobRun run) {
    runner.run(run);
    settler.close();
    assertThat(running.all()).isEmpty();
    return bench.get(run.fence().id());
  }

  private void assertGivenBack(JobInfo job) {
    assertThat(begun).hasValue(0);
    assertThat(job.status()).isEqualTo(JobStatus.PENDING);
    assertThat(job.attempt()).isZero();
    assertThat(bench.jobs().attempts(Scope.admin(), job.id())).isEmpty();
  }

  @Test
  void whatIsLeasedBegins() {
    assertThat(afterRunning(claimed(Time.system().nanos())).status())
        .isEqualTo(JobStatus.SUCCEEDED);
    assertThat(begun).hasValue(1);
  }

  /** As after a process was suspended: nobody has looked at the clock yet. */
  @Test
  void whatMayHaveLostItsLeaseMeanwhileDoesNotBegin() {
    assertGivenBack(afterRunning(claimed(Time.system().nanos() - LEASE.toNanos())));
  }

  @Test
  void whoIsToldThatItsLeaseIsLostDoesNotBegin() {
    JobRun run = claimed(Time.system().nanos());
    run.stop(Stop.LEASE_LOST, Time.system().nanos());
    assertGivenBack(afterRunning(run));
  }

  @Test
  void whatWasCanceledMeanwhileDoesNotBegin() {
    JobRun run = claimed(Time.system().nanos());
    bench.jobs().cancel(Scope.admin(), run.fence().id(), "enough");
    run.canceled("enough", Time.system().nanos());
    assertThat(afterRunning(run).status()).isEqualTo(JobStatus.CANCELED);
    assertThat(begun).hasValue(0);
  }

  /** It is written once more in vain, and holds neither slot nor lease. */
  @Test
  void aSuccessWhoseAnswerWasLostIsOne() {
    JobRun run = claimed(Time.system().nanos());
    runner.run(run);
    source.on(settled()).cut(Moment.AFTER);
    assertThatThrownBy(settler::runOnce).isInstanceOf(DatabaseException.class);
    assertThat(running.all()).containsExactly(run);
    settler.runOnce();
    assertThat(running.all()).isEmpty();
    assertThat(bench.get(run.fence().id()).status()).isEqualTo(JobStatus.SUCCEEDED);
    assertThat(bench.jobs().attempts(Scope.admin(), run.fence().id()))
        .extracting(JobAttempt::outcome)
        .containsExactly(AttemptOutcome.SUCCEEDED);
  }

  /** One statement on PostgreSQL, which is a transaction by itself. */
  private Fault settled() {
    return switch (bench.home().product()) {
      case POSTGRESQL -> Fault.sql(sql -> sql.contains("too late"));
      case MYSQL, MARIADB -> Fault.commit(1);
      case SQLITE -> Fault.sql(sql -> sql.equalsIgnoreCase("commit"));
    };
  }

  @Test
  void whatSomebodyElseHasMeanwhileDoesNotBegin() throws Exception {
    JobRun run = claimed(Time.system().nanos() - LEASE.toNanos());
    bench.home().execute("update waybill_job set worker = 'other', attempt = attempt + 1");
    JobInfo theirs = afterRunning(run);
    assertThat(theirs.status()).isEqualTo(JobStatus.LEASED);
    assertThat(theirs.worker()).isEqualTo("other");
    assertThat(theirs.attempt()).isEqualTo(2);
    assertThat(begun).hasValue(0);
  }
}

package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.internal.store.ScheduleStore;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobException.LeaseLost;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobOptions;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who may write about a job, and what becomes of jobs whose worker is gone. */
@EveryDatabase
@Timeout(120)
class JobFenceTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final JobBench bench;
  private final RetryPolicies policies = new RetryPolicies(Time.system());

  JobFenceTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("a")
                .withMaxAttempts(2)
                .withRetryPolicy(
                    RetryPolicy.standard().withDelay("job.lease_expired", Duration.ofHours(2))));
  }

  private Claim claimed() {
    bench.jobs().enqueue(JobRequest.of("a").build());
    return bench.claim("w", 1, LEASE, "a").get(0);
  }

  private List<UUID> live(Fence fence) {
    return bench.database().transact(tx -> JobLeaseStore.in(tx).live(List.of(fence)));
  }

  private boolean mayWrite(Fence fence) {
    return bench
        .database()
        .transact(
            tx ->
                JobLeaseStore.in(tx).lockForSettling(List.of(fence)).stream()
                    .anyMatch(Lease::isLive));
  }

  private JobReaper reaper(JobBench over, int batch) {
    JobOptions options = JobOptions.of("r").withBatch(batch);
    return new JobReaper(
        over.database(),
        options,
        policies,
        new Verdict(() -> 0.5),
        StepEnds.NONE,
        JobBench.nobody(),
        new JobNews(List.of()));
  }

  @Test
  void everyPartOfTheFenceCounts() {
    Claim claim = claimed();
    Fence right = JobBench.fence(claim, "w");
    assertThat(mayWrite(right)).isTrue();
    assertThat(live(right)).containsExactly(claim.id());
    List<Fence> wrong =
        List.of(
            new Fence(UUID.randomUUID(), 1, 1, "w"),
            new Fence(claim.id(), 2, 1, "w"),
            new Fence(claim.id(), 1, 2, "w"),
            new Fence(claim.id(), 1, 1, "W"));
    for (Fence fence : wrong) {
      assertThat(mayWrite(fence)).as("%s", fence).isFalse();
      assertThat(live(fence)).as("%s", fence).isEmpty();
    }
  }

  @Test
  void anExpiredLeaseIsLostAlsoBeforeItIsReaped() throws SQLException {
    Claim claim = claimed();
    Fence fence = JobBench.fence(claim, "w");
    bench.age(LEASE.plusSeconds(1));
    assertThat(mayWrite(fence)).isFalse();
    assertThat(live(fence)).isEmpty();
    bench
        .database()
        .transact(
            tx -> {
              JobLeaseStore.in(tx).renew(List.of(fence), LEASE);
              return true;
            });
    assertThat(live(fence)).isEmpty();
    JobRun run = new JobRun(claim, "w", Time.system().nanos(), LEASE, Runnable::run);
    AttemptContext context = new AttemptContext(bench.database(), Time.system(), run);
    assertThatThrownBy(() -> context.progress(1L, 2L)).isInstanceOf(LeaseLost.class);
    assertThatThrownBy(() -> context.checkpoint("1")).isInstanceOf(LeaseLost.class);
    assertThatThrownBy(() -> context.log(dev.waybill.job.JobContext.Level.INFO, "x"))
        .isInstanceOf(LeaseLost.class);
    assertThat(context.isCanceled()).isTrue();
    assertThat(bench.count("waybill_job_log")).isZero();
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "whoever writes holds the whole file")
  void aRowThatSomebodyHoldsIsNotRenewed() throws SQLException {
    Fence held = JobBench.fence(claimed(), "w");
    Fence free = JobBench.fence(claimed(), "w");
    try (Connection holder = bench.home().connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("select id from waybill_job order by id limit 1 for update");
      List<UUID> renewed =
          bench.database().transact(tx -> JobLeaseStore.in(tx).renew(List.of(held, free), LEASE));
      assertThat(renewed).containsExactly(free.id());
      holder.rollback();
    }
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "whoever writes holds the whole file")
  void aLeaseThatEndsWhileItsRowIsWaitedForIsLost() throws Exception {
    bench.jobs().enqueue(JobRequest.of("a").build());
    Claim claim = bench.claim("w", 1, Duration.ofMillis(1500), "a").get(0);
    Fence fence = JobBench.fence(claim, "w");
    assertThat(mayWrite(fence)).isTrue();
    Instant end = Objects.requireNonNull(bench.get(claim.id()).leaseUntil());
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection holder = bench.home().connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("select id from waybill_job order by id for update");
      Future<Boolean> settling = thread.submit(() -> mayWrite(fence));
      while (!bench.database().<Instant>transact(tx -> ScheduleStore.in(tx).now()).isAfter(end)) {
        Thread.onSpinWait();
      }
      assertThat(settling.isDone()).isFalse();
      holder.rollback();
      assertThat(settling.get(30, TimeUnit.SECONDS)).isFalse();
    } finally {
      thread.shutdownNow();
    }
  }

  @Test
  void aRenewalKeepsTheLease() throws SQLException {
    Claim claim = claimed();
    Fence fence = JobBench.fence(claim, "w");
    bench.age(LEASE.dividedBy(2));
    bench
        .database()
        .transact(
            tx -> {
              JobLeaseStore.in(tx).renew(List.of(fence), LEASE);
              return true;
            });
    bench.age(LEASE.dividedBy(2).plusSeconds(1));
    assertThat(live(fence)).containsExactly(claim.id());
  }

  @Test
  void anExpiredLeaseIsRetriedUnderTheTypesPolicyAndThenDeadLettered() throws SQLException {
    UUID id = claimed().id();
    bench.age(LEASE.plusSeconds(1));
    assertThat(reaper(bench, 10).runOnce()).isNotEqualTo(Next.now());
    JobInfo waiting = bench.get(id);
    assertThat(waiting.status()).isEqualTo(JobStatus.SCHEDULED);
    assertThat(waiting.worker()).isNull();
    assertThat(waiting.leaseUntil()).isNull();
    assertThat(waiting.errorCode()).isEqualTo("job.lease_expired");
    assertThat(waiting.dueAt()).isAfter(Instant.now().plus(Duration.ofMinutes(110)));
    bench.age(Duration.ofHours(3));
    bench.database().transact(tx -> JobLeaseStore.in(tx).stage(10));
    assertThat(bench.claim("w2", 1, LEASE, "a")).hasSize(1);
    bench.age(LEASE.plusSeconds(1));
    reaper(bench, 10).runOnce();
    assertThat(bench.get(id).status()).isEqualTo(JobStatus.DEAD_LETTERED);
    assertThat(bench.jobs().attempts(Scope.admin(), id))
        .extracting(JobAttempt::outcome)
        .containsExactly(AttemptOutcome.LEASE_EXPIRED, AttemptOutcome.LEASE_EXPIRED);
  }

  @Test
  void theReaperDrainsWithoutAPause() throws SQLException {
    for (int i = 0; i < 5; i++) {
      claimed();
    }
    bench.age(LEASE.plusSeconds(1));
    JobReaper reaper = reaper(bench, 2);
    assertThat(reaper.runOnce()).isEqualTo(Next.now());
    assertThat(reaper.runOnce()).isEqualTo(Next.now());
    assertThat(reaper.runOnce()).isNotEqualTo(Next.now());
    assertThat(bench.count("waybill_job where status = 2")).isZero();
    assertThat(bench.count("waybill_job_attempt")).isEqualTo(5);
  }

  @Test
  void aRowThatCannotBeReapedIsPutAsideWithoutAnOwner() throws SQLException {
    UUID poison = claimed().id();
    UUID other = claimed().id();
    bench.age(LEASE.plusSeconds(1));
    // Its attempt is recorded already, as no program of ours would do it.
    bench
        .home()
        .execute(
            "insert into waybill_job_attempt (job_id, run, attempt, worker, leased_at, finished_at,"
                + " outcome) select id, 1, 1, 'x', 0, 0, 0 from waybill_job where id = "
                + literal(poison));
    reaper(bench, 10).runOnce();
    JobInfo aside = bench.get(poison);
    assertThat(aside.status()).isEqualTo(JobStatus.DEAD_LETTERED);
    assertThat(aside.errorCode()).isEqualTo("job.quarantined");
    assertThat(aside.worker()).isNull();
    assertThat(bench.jobs().events(Scope.admin(), poison, 0, 10))
        .extracting(JobEvent::kind)
        .containsExactly(JobEvent.Kind.QUARANTINED);
    assertThat(bench.get(other).status()).isEqualTo(JobStatus.SCHEDULED);
  }

  private String literal(UUID id) {
    return switch (bench.home().product()) {
      case POSTGRESQL, SQLITE -> "'" + id + "'";
      case MYSQL, MARIADB -> "x'" + id.toString().replace("-", "") + "'";
    };
  }

  @Test
  void aClaimWhoseCommitGotNoAnswerCostsNoAttempt() throws Exception {
    FaultyDataSource faulty = new FaultyDataSource(bench.home().dataSource());
    JobBench other = JobBench.over(bench.home(), faulty);
    UUID id = bench.jobs().enqueue(JobRequest.of("a").build()).id();
    boolean sqlite = bench.home().product() == dev.waybill.testkit.DatabaseProduct.SQLITE;
    // The first statement that leases, and then the commit that follows it.
    faulty
        .on(
            sqlite
                ? Fault.sql(2, text -> text.contains("'running'") || text.equals("commit"))
                : Fault.sql(text -> text.contains("'running'")))
        .cut(Fault.Moment.AFTER);
    try (var workers =
        other.start(
            JobBench.quick("w1"),
            java.util.Map.of("a", context -> dev.waybill.job.JobResult.success()))) {
      workers.jobs().wake();
      JobInfo done = bench.await(id, JobStatus.SUCCEEDED);
      assertThat(done.attempt()).isEqualTo(1);
    }
    assertThat(bench.jobs().attempts(Scope.admin(), id)).hasSize(1);
  }
}

package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.internal.store.JobExpress;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobContext;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobOptions;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.Signals;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that came in bulk, with workers: what one of them does is done to none of the others. */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "each job is a row there")
@Timeout(240)
@SuppressWarnings("try") // That the workers run is all that is wanted of them.
class JobFreightLifeTest {
  private static final JobRequest A = JobRequest.of("a").build();

  private final JobBench bench;
  private final FaultyDataSource source;
  private final Signals signals = new Signals();

  JobFreightLifeTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("a")
                .withMaxAttempts(50)
                .withRetryPolicy(
                    RetryPolicy.standard()
                        .withBase(Duration.ofMillis(1))
                        .withCap(Duration.ofMillis(1))));
    this.source = new FaultyDataSource(bench.home().dataSource());
  }

  private static JobOptions options(int concurrency) {
    return JobBench.quick("w1").withConcurrency(concurrency);
  }

  private Running start(int concurrency, JobHandler handler) {
    return bench.start(options(concurrency), Map.of("a", handler));
  }

  private long rows() throws SQLException {
    return bench.count("(select id from waybill_job) j");
  }

  private void awaitAll() throws SQLException {
    bench.awaitNone("waybill_job where status <> 3", Duration.ofSeconds(60));
  }

  private List<AttemptOutcome> outcomes(UUID id) {
    return bench.jobs().attempts(Scope.admin(), id).stream().map(JobAttempt::outcome).toList();
  }

  @Test
  void manyShortJobsHaveNoRowsAndFewStatements() throws Exception {
    bench.load(A, 640);
    Set<UUID> seen = ConcurrentHashMap.newKeySet();
    long before = source.counts().statements();
    try (Running running =
        JobBench.over(bench.home(), source)
            .start(
                options(64).withBatch(64),
                Map.of(
                    "a",
                    context -> {
                      assertThat(seen.add(context.id())).isTrue();
                      assertThat(context.leaseEpoch()).isEqualTo(1);
                      return JobResult.success();
                    }))) {
      awaitAll();
    }
    assertThat(seen).hasSize(640);
    assertThat(rows()).isZero();
    assertThat(source.counts().statements() - before).isLessThan(320);
  }

  @Test
  void fewSlotsTakeThemApart() throws Exception {
    bench.load(A, 40);
    AtomicInteger atOnce = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (Running running =
        start(
            3,
            context -> {
              most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
              context.log(JobContext.Level.INFO, "here");
              atOnce.decrementAndGet();
              return JobResult.success();
            })) {
      awaitAll();
    }
    assertThat(most).hasValueLessThanOrEqualTo(3);
    assertThat(rows()).isEqualTo(40);
  }

  @Test
  void handlersThatTakeLongHaveAllSlotsAllTheSame() throws Exception {
    bench.load(A, 48);
    AtomicInteger begun = new AtomicInteger();
    try (Running running =
        start(
            40,
            context -> {
              if (begun.incrementAndGet() == 40) {
                signals.fire("full");
              }
              signals.await("go", Duration.ofSeconds(60));
              return JobResult.success();
            })) {
      signals.await("full", Duration.ofSeconds(30));
      signals.fire("go");
      awaitAll();
    }
  }

  @Test
  void oneThatFailsIsTriedAgainAndTheOthersNot() throws Exception {
    List<UUID> ids = bench.load(A, 16);
    UUID bad = ids.get(6);
    try (Running running =
        start(
            16,
            context ->
                context.id().equals(bad) && context.attempt() == 1
                    ? JobResult.retry("bad.luck", "not now")
                    : JobResult.success())) {
      awaitAll();
    }
    assertThat(outcomes(bad)).containsExactly(AttemptOutcome.RETRYABLE, AttemptOutcome.SUCCEEDED);
    for (UUID id : ids) {
      if (!id.equals(bad)) {
        assertThat(outcomes(id)).containsExactly(AttemptOutcome.SUCCEEDED);
      }
    }
  }

  @Test
  void whateverAHandlerSaysIsKept() throws Exception {
    List<UUID> ids = bench.load(A, 16);
    try (Running running =
        start(
            16,
            context -> {
              if (context.id().equals(ids.get(0))) {
                context.progress(1L, 2L);
                context.checkpoint("{\"at\":1}");
                context.log(JobContext.Level.INFO, "here");
              }
              return context.id().equals(ids.get(1))
                  ? JobResult.success("{\"n\":1}")
                  : JobResult.success();
            })) {
      awaitAll();
    }
    assertThat(bench.get(ids.get(0)).progressTotal()).isEqualTo(2);
    assertThat(bench.jobs().logs(Scope.admin(), ids.get(0), 0, 9)).hasSize(1);
    assertThat(bench.jobs().body(Scope.admin(), ids.get(1)).orElseThrow().output())
        .isEqualTo("{\"n\":1}");
    assertThat(rows()).isEqualTo(16);
  }

  @Test
  void aStopHandsBackWhatHasNotEndedWithoutAnAttempt() throws Exception {
    List<UUID> ids = bench.load(A, 16);
    AtomicInteger begun = new AtomicInteger();
    try (Running running =
        start(
            24,
            context -> {
              boolean first = ids.indexOf(context.id()) < 6;
              if (begun.incrementAndGet() == 16) {
                signals.fire("all");
              }
              signals.await("all", Duration.ofSeconds(30));
              if (!first) {
                signals.await("never", Duration.ofMinutes(10));
              }
              return JobResult.success();
            })) {
      bench.awaitNone(
          "(select count(*) as n from waybill_job_freight where done = 63) e where n = 0");
    }
    for (UUID id : ids) {
      JobInfo job = bench.get(id);
      boolean first = ids.indexOf(id) < 6;
      assertThat(job.status()).isEqualTo(first ? JobStatus.SUCCEEDED : JobStatus.PENDING);
      assertThat(job.attempt()).isEqualTo(first ? 1 : 0);
      assertThat(outcomes(id)).hasSize(first ? 1 : 0);
      assertThat(bench.jobs().events(Scope.admin(), id, 0, 9))
          .extracting(JobEvent::kind)
          .isEqualTo(first ? List.of() : List.of(JobEvent.Kind.RELEASED));
    }
  }

  @Test
  void theLeasesOfTheDeadEndAndCountAsAttempts() throws Exception {
    List<UUID> ids = bench.load(A, 16);
    JobExpress express = JobExpress.of(bench.database()).orElseThrow();
    var claims =
        express.claimFront(Set.of("a"), 16, "gone", Duration.ofMinutes(1)).orElseThrow().claims();
    assertThat(claims).hasSize(16);
    express.succeedAboard(List.of(JobBench.fence(claims.get(2), "gone")));
    bench.age(Duration.ofMinutes(2));
    try (Running running = start(16, context -> JobResult.success())) {
      awaitAll();
    }
    for (UUID id : ids) {
      assertThat(outcomes(id))
          .isEqualTo(
              id.equals(ids.get(2))
                  ? List.of(AttemptOutcome.SUCCEEDED)
                  : List.of(AttemptOutcome.LEASE_EXPIRED, AttemptOutcome.SUCCEEDED));
    }
    assertThat(
            express.succeedAboard(
                claims.stream().map(each -> JobBench.fence(each, "gone")).toList()))
        .as("the zombie's word counts for nothing")
        .isEmpty();
  }

  @Test
  void aClaimWhoseAnswerIsLostIsGivenBackWithoutAnAttempt() throws Exception {
    List<UUID> ids = bench.load(A, 16);
    source.on(Fault.sql(1, sql -> sql.contains("front as materialized"))).cut(Moment.AFTER);
    try (Running running =
        JobBench.over(bench.home(), source)
            .start(options(16), Map.of("a", context -> JobResult.success()))) {
      awaitAll();
    }
    for (UUID id : ids) {
      assertThat(outcomes(id)).containsExactly(AttemptOutcome.SUCCEEDED);
    }
  }

  @Test
  void leasesOfThoseThatTakeLongAreKept() throws Exception {
    List<UUID> ids = bench.load(A, 16);
    try (Running running =
        bench.start(
            options(16).withLease(Duration.ofMillis(1500)),
            Map.of(
                "a",
                context -> {
                  if (context.id().equals(ids.get(5))) {
                    signals.await("go", Duration.ofSeconds(60));
                  }
                  return JobResult.success();
                }))) {
      bench.awaitNone(
          "(select count(*) as n from waybill_job where status = 2"
              + " and lease_until > leased_at + 4000000) e where n = 0",
          Duration.ofSeconds(30));
      assertThat(bench.get(ids.get(4)).status()).isEqualTo(JobStatus.SUCCEEDED);
      signals.fire("go");
      awaitAll();
    }
    assertThat(outcomes(ids.get(5))).containsExactly(AttemptOutcome.SUCCEEDED);
  }

  @Test
  void cancelingOneThatRunsStopsThatOne() throws Exception {
    List<UUID> ids = bench.load(A, 16);
    UUID unwanted = ids.get(3);
    try (Running running =
        start(
            16,
            context -> {
              if (context.id().equals(unwanted)) {
                context.onCancel(() -> signals.fire("stopped"));
                signals.fire("runs");
                signals.await("stopped", Duration.ofSeconds(60));
              }
              return JobResult.success();
            })) {
      signals.await("runs", Duration.ofSeconds(30));
      bench.jobs().cancel(Scope.admin(), unwanted, "not wanted");
      signals.await("stopped", Duration.ofSeconds(30));
      bench.awaitNone("waybill_job where status < 3");
    }
    assertThat(bench.get(unwanted).status()).isEqualTo(JobStatus.CANCELED);
    assertThat(bench.count("waybill_job where status = 3")).isEqualTo(15);
  }

  @Test
  void twoProcessesRunEachJobOnce() throws Exception {
    bench.load(A, 800);
    Map<UUID, Integer> seen = new ConcurrentHashMap<>();
    JobHandler handler =
        context -> {
          seen.merge(context.id(), 1, Integer::sum);
          return JobResult.success();
        };
    try (Running one = start(40, handler);
        Running two = bench.start(JobBench.quick("w2").withConcurrency(20), Map.of("a", handler))) {
      awaitAll();
    }
    assertThat(seen).hasSize(800).allSatisfy((id, times) -> assertThat(times).isEqualTo(1));
  }

  @Test
  @Tag("long")
  void everyStatementFailsAndIsLost() throws Exception {
    JobBench shaky = JobBench.over(bench.home(), source);
    try (Running workers =
        shaky.start(
            options(32).withLease(Duration.ofSeconds(3)),
            Map.of("a", context -> JobResult.success()))) {
      for (int n = 1; n <= 12; n++) {
        source.on(Fault.statement(n)).fail(Moment.BEFORE);
        run(workers);
        source.on(Fault.statement(n)).cut(Moment.AFTER);
        run(workers);
      }
    }
  }

  private void run(Running workers) throws Exception {
    List<UUID> ids = bench.load(A, 32);
    workers.jobs().wake();
    for (UUID id : ids) {
      bench.await(id, JobStatus.SUCCEEDED);
      assertThat(outcomes(id)).last().isEqualTo(AttemptOutcome.SUCCEEDED);
    }
    source.reset();
  }
}

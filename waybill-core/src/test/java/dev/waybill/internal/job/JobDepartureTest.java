package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.Migrated;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.LoopListener;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.notice.Notices;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.store.JobExpress;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobFilter;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobOptions;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.Signals;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A job that comes alone begins when its producer has committed. */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "whether there is something to weigh takes several statements there")
@Timeout(120)
class JobDepartureTest {
  private static final String DEPARTS = "current_setting('transaction_isolation')";

  private final JobBench bench;
  private final FaultyDataSource source;
  private final Signals signals = new Signals();

  JobDepartureTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("a"),
            JobDefinition.of("b"),
            JobDefinition.of("two").withMaxRunning(2));
    this.source = new FaultyDataSource(bench.home().dataSource());
  }

  /** Nobody stages, schedules or reaps, and whoever is not told looks once in ten minutes. */
  private JobBench.Running start(int concurrency, JobHandler handler) {
    JobOptions options =
        JobBench.quick("w1")
            .withConcurrency(concurrency)
            .withPoll(Duration.ofMinutes(10), Duration.ofMinutes(10));
    Crew crew = new Crew(Time.system());
    crew.watchedBy(
        new LoopListener() {
          @Override
          public void completed(String worker, Duration took, Next next) {
            signals.fire("looked: " + worker);
          }
        });
    var engine =
        new JobEngine(
            JobBench.open(source),
            Time.system(),
            crew,
            options,
            Map.of("a", handler, "b", handler),
            StepEnds.NONE,
            Notices.none(),
            false,
            List.of(),
            new Endings());
    crew.start();
    return new JobBench.Running(crew, engine);
  }

  private long executed(String words) {
    return source.trace().stream()
        .filter(operation -> String.valueOf(operation).contains(words))
        .count();
  }

  /** While the claimer looks, it has spoken for the slots. */
  private void awaitFirstLook() throws InterruptedException {
    signals.await("looked: job-claimer", JobBench.SOON);
  }

  @Test
  void nobodyLooksForIt() throws Exception {
    try (JobBench.Running running = start(4, job -> JobResult.success())) {
      awaitFirstLook();
      for (int i = 0; i < 5; i++) {
        UUID id = running.jobs().enqueue(JobRequest.of("a").build()).id();
        JobInfo done = bench.await(id, JobStatus.SUCCEEDED);
        assertThat(done.attempt()).isEqualTo(1);
        assertThat(done.startedAt()).isNotNull();
        assertThat(bench.jobs().attempts(Scope.admin(), id))
            .singleElement()
            .satisfies(
                attempt -> {
                  assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
                  assertThat(attempt.worker()).isEqualTo("w1");
                });
      }
    }
    assertThat(executed("front as materialized")).as("the look at the start").isEqualTo(1);
    assertThat(executed(DEPARTS)).isEqualTo(5);
  }

  private Optional<UUID> depart(JobRequest request, String... settings) {
    JobExpress express = JobExpress.of(bench.database()).orElseThrow();
    return bench
        .database()
        .transact(
            tx -> {
              for (String setting : settings) {
                tx.script(setting);
              }
              UUID id = bench.jobs().enqueue(tx.connection(), request).id();
              return express
                  .depart(tx, id, List.of("a", "b", "two"), "w", Duration.ofMinutes(1))
                  .map(Claim::id);
            });
  }

  @Test
  void whatHasToBeWeighedGoesTheOrdinaryWay() {
    assertThat(depart(JobRequest.of("two").build())).as("a limit").isEmpty();
    assertThat(depart(JobRequest.of("a").build())).as("behind another").isEmpty();
    assertThat(bench.claim("w", 9, Duration.ofMinutes(1), "a", "two")).hasSize(2);
    assertThat(depart(JobRequest.of("a").delay(Duration.ofHours(1)).build())).as("later").isEmpty();
    assertThat(depart(JobRequest.of("a").resourceKey("printer").build()))
        .as("a resource")
        .isEmpty();
    assertThat(bench.claim("w", 9, Duration.ofMinutes(1), "a")).hasSize(1);
    bench.jobs().setPaused("a", true);
    assertThat(depart(JobRequest.of("a").build())).as("a pause").isEmpty();
    assertThat(depart(JobRequest.of("b").build()))
        .as("who waits for a paused type waits all the same")
        .isEmpty();
    bench.jobs().setPaused("a", false);
    assertThat(bench.claim("w", 9, Duration.ofMinutes(1), "a", "b")).hasSize(2);
    assertThat(depart(JobRequest.of("b").scope(Scope.tenant("t")).build())).isPresent();
  }

  @Test
  void aCommitThatIsNotDurableOrAnOldSnapshotIsNoWay() {
    assertThat(depart(JobRequest.of("a").build(), "set local synchronous_commit = off")).isEmpty();
    assertThat(bench.claim("w", 9, Duration.ofMinutes(1), "a")).hasSize(1);
    assertThat(
            depart(JobRequest.of("a").build(), "set transaction isolation level repeatable read"))
        .isEmpty();
    assertThat(bench.claim("w", 9, Duration.ofMinutes(1), "a")).hasSize(1);
    assertThat(depart(JobRequest.of("a").build())).isPresent();
  }

  /**
   * The producer cannot know, and the job must neither wait for the end of a lease nor count it.
   */
  @Test
  void aCommitWhoseAnswerWasLostIsFollowedUp() throws Exception {
    try (JobBench.Running running = start(4, job -> JobResult.success())) {
      awaitFirstLook();
      source.on(Fault.commit(1)).cut(Moment.AFTER);
      assertThatThrownBy(() -> running.jobs().enqueue(JobRequest.of("a").build()))
          .isInstanceOf(DatabaseException.class);
      UUID id = bench.jobs().list(JobFilter.of(Scope.admin())).get(0).id();
      assertThat(bench.await(id, JobStatus.SUCCEEDED).attempt()).isEqualTo(1);
      assertThat(bench.jobs().attempts(Scope.admin(), id))
          .extracting(JobAttempt::attempt)
          .containsExactly(1);
    }
  }

  @Test
  void workThatIsNotCommittedGivesItsSlotBack() throws Exception {
    try (JobBench.Running running = start(1, job -> JobResult.success())) {
      awaitFirstLook();
      source.on(Fault.commit(1)).cut(Moment.BEFORE);
      assertThatThrownBy(() -> running.jobs().enqueue(JobRequest.of("a").build()))
          .isInstanceOf(DatabaseException.class);
      UUID id = running.jobs().enqueue(JobRequest.of("a").build()).id();
      bench.await(id, JobStatus.SUCCEEDED);
    }
    assertThat(bench.count("waybill_job")).isEqualTo(1);
  }

  /** The lease is durable, and nobody is there any more to begin. */
  @Test
  void aProcessThatStopsBeforeTheHandlerBeginsGivesTheJobBack() throws Exception {
    var begun = new AtomicInteger();
    JobBench.Running running =
        start(
            4,
            job -> {
              begun.incrementAndGet();
              return JobResult.success();
            });
    awaitFirstLook();
    Hold commit = source.on(Fault.commit(1)).hold(Moment.AFTER);
    ExecutorService producer = Executors.newSingleThreadExecutor();
    try {
      CompletableFuture<Enqueued> enqueued =
          CompletableFuture.supplyAsync(
              () -> running.jobs().enqueue(JobRequest.of("a").build()), producer);
      commit.awaitReached(JobBench.SOON);
      running.close();
      commit.release();
      JobInfo job = bench.get(enqueued.get().id());
      assertThat(job.status()).isEqualTo(JobStatus.PENDING);
      assertThat(job.attempt()).isZero();
      assertThat(bench.jobs().attempts(Scope.admin(), job.id())).isEmpty();
    } finally {
      commit.release();
      producer.shutdown();
    }
    assertThat(begun).hasValue(0);
  }

  /** What is followed up elsewhere is not taken from those who are about to commit. */
  @Test
  void whoIsOnTheWayToItsCommitIsNotTakenForLost() throws Exception {
    var begun = new AtomicInteger();
    ExecutorService producer = Executors.newSingleThreadExecutor();
    JobHandler handler =
        job -> {
          begun.incrementAndGet();
          return JobResult.success();
        };
    try (JobBench.Running running = start(4, handler)) {
      awaitFirstLook();
      Hold commit = source.on(Fault.commit(1)).hold(Moment.AFTER);
      CompletableFuture<Enqueued> first =
          CompletableFuture.supplyAsync(
              () -> running.jobs().enqueue(JobRequest.of("a").build()), producer);
      commit.awaitReached(JobBench.SOON);
      source.on(Fault.commit(1)).cut(Moment.AFTER);
      assertThatThrownBy(() -> running.jobs().enqueue(JobRequest.of("a").build()))
          .isInstanceOf(DatabaseException.class);
      bench.awaitNone(
          "(select count(*) as done from waybill_job where status = 3) e where done = 0");
      commit.release();
      assertThat(bench.await(first.get().id(), JobStatus.SUCCEEDED).attempt()).isEqualTo(1);
    } finally {
      producer.shutdown();
    }
    assertThat(begun).hasValue(2);
  }

  @Test
  void thereNeverAreMoreAtWorkThanSlots() throws Exception {
    var inside = new AtomicInteger();
    var most = new AtomicInteger();
    JobHandler handler =
        job -> {
          most.accumulateAndGet(inside.incrementAndGet(), Math::max);
          Thread.onSpinWait();
          inside.decrementAndGet();
          return JobResult.success();
        };
    ExecutorService producers = Executors.newFixedThreadPool(4);
    try (JobBench.Running running = start(2, handler)) {
      List<Future<?>> all = new ArrayList<>();
      for (int producer = 0; producer < 4; producer++) {
        all.add(
            producers.submit(
                () -> {
                  for (int i = 0; i < 100; i++) {
                    running.jobs().enqueue(JobRequest.of(i % 2 == 0 ? "a" : "b").build());
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
      // Whoever is forgotten waits for ten minutes; a busy machine may need some seconds.
      bench.awaitNone("waybill_job where status < 3", Duration.ofSeconds(60));
    } finally {
      producers.shutdown();
    }
    assertThat(most.get()).isLessThanOrEqualTo(2);
    assertThat(bench.count("waybill_job where status = 3 and attempt = 1")).isEqualTo(400);
  }

  @Test
  void whoFindsNoFreeSlotIsClaimedWhenThereIsOne() throws Exception {
    var end = new CountDownLatch(1);
    try (JobBench.Running running =
        start(
            1,
            job -> {
              end.await();
              return JobResult.success();
            })) {
      awaitFirstLook();
      UUID first = running.jobs().enqueue(JobRequest.of("a").build()).id();
      assertThat(bench.get(first).status()).isEqualTo(JobStatus.LEASED);
      UUID second = running.jobs().enqueue(JobRequest.of("a").build()).id();
      assertThat(bench.get(second).status()).isEqualTo(JobStatus.PENDING);
      end.countDown();
      bench.await(first, JobStatus.SUCCEEDED);
      bench.await(second, JobStatus.SUCCEEDED);
    }
  }

  /**
   * What somebody did to the definition meanwhile counts from the next job on, and blocks nobody.
   */
  @Test
  void nobodyWaitsForAProducer() throws SQLException {
    try (Connection other = bench.home().connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("update waybill_job_definition set paused = true where type = 'a'");
      assertThat(depart(JobRequest.of("a").build())).isPresent();
      other.rollback();
    }
  }
}

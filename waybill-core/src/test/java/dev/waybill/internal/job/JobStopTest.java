package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Database;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.Signals;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An engine stops in time whatever the database does, and begins nothing while it does. */
@EveryDatabase
@Timeout(120)
class JobStopTest {
  private final JobBench bench;
  private final FaultyDataSource source;
  private final Signals signals = new Signals();

  JobStopTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a"), JobDefinition.of("b"));
    this.source = new FaultyDataSource(bench.home().dataSource());
  }

  private static boolean isLease(String sql) {
    return sql.contains("'running'");
  }

  @Test
  void whatIsClaimedWhileItStopsIsGivenBackUnbegun() throws Exception {
    UUID id = bench.jobs().enqueue(JobRequest.of("a").build()).id();
    Hold lease = source.on(Fault.sql(JobStopTest::isLease)).hold(Fault.Moment.AFTER);
    Database database = JobBench.open(source);
    Crew crew = JobBench.crew(database);
    JobEngine engine =
        new JobEngine(
            database,
            Time.system(),
            crew,
            JobBench.quick("w1"),
            Map.of(
                "a",
                context -> {
                  signals.fire("begun");
                  return JobResult.success();
                }));
    crew.start();
    try {
      lease.awaitReached(JobBench.SOON);
      engine.askToStop();
      lease.release();
      // The crew goes on, as it does until everybody has been asked.
      bench.awaitNone("(select count(*) as n from waybill_job_event) e where n = 0");
    } finally {
      lease.release();
      crew.stop(Duration.ofSeconds(10));
      engine.handBack();
    }
    JobInfo job = bench.get(id);
    assertThat(job.status()).isEqualTo(JobStatus.PENDING);
    assertThat(job.attempt()).isZero();
    assertThat(bench.jobs().attempts(Scope.admin(), id)).isEmpty();
    assertThat(signals.events()).isEmpty();
  }

  @Test
  void handlersHearOfItAlsoWhileTheDatabaseHangs() throws Exception {
    UUID ended = bench.jobs().enqueue(JobRequest.of("a").build()).id();
    UUID running = bench.jobs().enqueue(JobRequest.of("b").build()).id();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    JobBench.Running workers =
        JobBench.over(bench.home(), source)
            .start(
                JobBench.quick("w1"),
                Map.of(
                    "a",
                    context -> {
                      signals.await("b runs", JobBench.SOON);
                      return JobResult.success();
                    },
                    "b",
                    context -> {
                      context.onCancel(() -> signals.fire("told"));
                      Hold settling =
                          source
                              .on(Fault.sql(sql -> sql.contains("finished_at =")))
                              .hold(Fault.Moment.BEFORE);
                      signals.fire("b runs");
                      settling.awaitReached(JobBench.SOON);
                      signals.fire("hangs");
                      try {
                        signals.await("told", JobBench.SOON);
                      } finally {
                        settling.release();
                      }
                      return JobResult.success();
                    }));
    try {
      signals.await("hangs", JobBench.SOON);
      CompletableFuture<Void> stop =
          CompletableFuture.runAsync(workers.engine()::askToStop, thread);
      signals.await("told", Duration.ofSeconds(5));
      stop.get(10, TimeUnit.SECONDS);
    } finally {
      workers.close();
      thread.shutdownNow();
    }
    assertThat(bench.get(ended).status()).isEqualTo(JobStatus.SUCCEEDED);
    assertThat(bench.get(running).status()).isEqualTo(JobStatus.SUCCEEDED);
  }

  @Test
  void aHandlerKeepsItsLeaseForAsLongAsItMayGoOn() throws Exception {
    UUID id = bench.jobs().enqueue(JobRequest.of("a").build()).id();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    JobBench.Running workers =
        bench.start(
            JobBench.quick("w1").withLease(Duration.ofSeconds(2)),
            Map.of(
                "a",
                context -> {
                  signals.fire("runs");
                  signals.await("go", Duration.ofSeconds(60));
                  return JobResult.success();
                }));
    try {
      signals.await("runs", JobBench.SOON);
      Instant first = Objects.requireNonNull(bench.get(id).leaseUntil());
      CompletableFuture<Void> stopped = CompletableFuture.runAsync(workers::close, thread);
      // So late that only somebody who goes on can have written it.
      Instant enough = first.plusSeconds(4);
      bench.awaitNone(
          "waybill_job where lease_until < " + ChronoUnit.MICROS.between(Instant.EPOCH, enough));
      assertThat(stopped).isNotDone();
      signals.fire("go");
      stopped.get(20, TimeUnit.SECONDS);
    } finally {
      signals.fire("go");
      workers.close();
      thread.shutdownNow();
    }
    assertThat(bench.get(id).status()).isEqualTo(JobStatus.SUCCEEDED);
    assertThat(bench.get(id).attempt()).isEqualTo(1);
  }
}

package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobContext;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.JobException.LeaseLost;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobLogEntry;
import dev.waybill.job.JobOptions;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Signals;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a handler can do, and what becomes of its job. */
@EveryDatabase
@Timeout(120)
@SuppressWarnings("try") // That the workers run is all that is wanted of them.
class JobLifecycleTest {
  private static final Duration SOON = JobBench.SOON;
  private static final RetryPolicy AT_ONCE =
      RetryPolicy.standard().withBase(Duration.ofMillis(1)).withCap(Duration.ofMillis(1));

  private final JobBench bench;
  private final Signals signals = new Signals();

  JobLifecycleTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("mail").withMaxAttempts(3).withRetryPolicy(AT_ONCE),
            JobDefinition.of("slow").withRetryPolicy(AT_ONCE));
  }

  private Enqueued enqueue(String payload) {
    return bench.jobs().enqueue(JobRequest.of("mail").payload(payload).build());
  }

  private List<JobAttempt> attempts(Enqueued job) {
    return bench.jobs().attempts(Scope.admin(), job.id());
  }

  @Test
  void aJobIsRunAndItsOutputKept() throws Exception {
    AtomicReference<@Nullable JobContext> seen = new AtomicReference<>();
    try (Running workers =
        bench.start(
            "mail",
            running -> {
              seen.set(running);
              return JobResult.success("{\"sent\":\"Grüße 🚀\"}");
            })) {
      Enqueued job =
          workers
              .jobs()
              .enqueue(
                  JobRequest.of("mail")
                      .payload("{\"to\":\"ö🚀\\n\"}")
                      .scope(Scope.tenant("acme"))
                      .build());
      JobInfo done = bench.await(job.id(), JobStatus.SUCCEEDED);
      assertThat(done.finishedAt()).isNotNull();
      assertThat(done.worker()).isNull();
      assertThat(done.stage()).isEqualTo("completed");
      assertThat(bench.jobs().body(Scope.admin(), job.id()).orElseThrow())
          .isEqualTo(new JobInfo.Body("{\"to\":\"ö🚀\\n\"}", null, "{\"sent\":\"Grüße 🚀\"}"));
      JobContext context = Objects.requireNonNull(seen.get());
      assertThat(context.payload()).isEqualTo("{\"to\":\"ö🚀\\n\"}");
      assertThat(context.scope()).isEqualTo(Scope.tenant("acme"));
      assertThat(context.leaseEpoch()).isEqualTo(1);
      assertThat(attempts(job))
          .singleElement()
          .satisfies(
              attempt -> {
                assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
                assertThat(attempt.worker()).isEqualTo("w1");
                assertThat(attempt.finishedAt()).isAfterOrEqualTo(attempt.leasedAt());
              });
    }
  }

  @Test
  void aFailureIsRetriedUntilTheAttemptsAreUsedUp() throws Exception {
    Enqueued job = enqueue("{}");
    try (Running workers =
        bench.start("mail", context -> JobResult.retry("smtp.busy", "try " + context.attempt()))) {
      JobInfo dead = bench.await(job.id(), JobStatus.DEAD_LETTERED);
      assertThat(dead.attempt()).isEqualTo(3);
      assertThat(dead.reason()).isEqualTo("ATTEMPTS_EXHAUSTED");
      assertThat(dead.errorCode()).isEqualTo("smtp.busy");
      assertThat(dead.errorMessage()).isEqualTo("try 3");
    }
    assertThat(attempts(job))
        .extracting(JobAttempt::outcome)
        .containsExactly(
            AttemptOutcome.RETRYABLE, AttemptOutcome.RETRYABLE, AttemptOutcome.RETRYABLE);
    assertThat(attempts(job)).extracting(JobAttempt::nextDueAt).last().isNull();
    assertThat(attempts(job).get(0).policyDelay()).isPositive();
  }

  @Test
  void aHandlerMayDemandALongerWaitButNoShorterOne() throws Exception {
    Enqueued job = enqueue("{}");
    Instant until = Instant.parse("2098-01-01T00:00:00Z");
    try (Running workers =
        bench.start("mail", context -> JobResult.retry("limit", "later").notBefore(until))) {
      JobInfo waiting = bench.await(job.id(), JobStatus.SCHEDULED);
      assertThat(waiting.dueAt()).isEqualTo(until);
    }
    assertThat(attempts(job).get(0).notBefore()).isEqualTo(until);
    assertThat(attempts(job).get(0).nextDueAt()).isEqualTo(until);
    assertThat(attempts(job).get(0).policyDelay()).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void aTerminalFailureAndAnExceptionAreToldApart() throws Exception {
    bench
        .jobs()
        .syncDefinitions(
            List.of(JobDefinition.of("slow").withRetryPolicy(AT_ONCE.withRetryPanics(false))));
    Enqueued terminal = enqueue("{}");
    Enqueued panic = bench.jobs().enqueue(JobRequest.of("slow").build());
    try (Running workers =
        bench.start(
            JobBench.quick("w1"),
            Map.of(
                "mail", context -> JobResult.fail("address", "no such person"),
                "slow",
                    context -> {
                      throw new StackOverflowError("deep");
                    }))) {
      assertThat(bench.await(terminal.id(), JobStatus.DEAD_LETTERED).reason())
          .isEqualTo("TERMINAL");
      JobInfo dead = bench.await(panic.id(), JobStatus.DEAD_LETTERED);
      assertThat(dead.reason()).isEqualTo("PANICKED");
      assertThat(dead.errorCode()).isEqualTo("job.handler_panic");
      assertThat(dead.errorMessage()).isEqualTo("java.lang.StackOverflowError: deep");
    }
  }

  @Test
  void anExceptionIsWorthAnotherAttemptByDefault() throws Exception {
    Enqueued job = enqueue("{}");
    try (Running workers =
        bench.start(
            "mail",
            context -> {
              if (context.attempt() == 1) {
                throw new IllegalStateException("first");
              }
              return JobResult.success();
            })) {
      bench.await(job.id(), JobStatus.SUCCEEDED);
    }
    assertThat(attempts(job))
        .extracting(JobAttempt::outcome)
        .containsExactly(AttemptOutcome.PANICKED, AttemptOutcome.SUCCEEDED);
  }

  @Test
  void whatCannotBeStoredIsATerminalFailure() throws Exception {
    Enqueued output = enqueue("{\"n\":1}");
    Enqueued nothing = enqueue("{\"n\":2}");
    try (Running workers =
        bench.start(
            "mail",
            context ->
                context.payload().contains("1") ? JobResult.success("{not json") : nothing())) {
      assertThat(bench.await(output.id(), JobStatus.DEAD_LETTERED).errorCode())
          .isEqualTo("job.invalid_result");
      assertThat(bench.await(nothing.id(), JobStatus.DEAD_LETTERED).errorMessage())
          .contains("null");
    }
  }

  @SuppressWarnings("NullAway") // What a handler written without the checker may do.
  private static JobResult nothing() {
    return null;
  }

  @Test
  void aDeadlineStopsTheHandlerByAskingAndThenByInterrupting() throws Exception {
    Enqueued job =
        bench
            .jobs()
            .enqueue(JobRequest.of("slow").timeout(Duration.ofMillis(200)).maxAttempts(1).build());
    try (Running workers =
        bench.start(
            "slow",
            context -> {
              context.onCancel(() -> signals.fire("asked"));
              try {
                Thread.sleep(60_000);
              } catch (InterruptedException e) {
                signals.fire(context.isCanceled() ? "interrupted" : "interrupted unasked");
              }
              return JobResult.success();
            })) {
      JobInfo dead = bench.await(job.id(), JobStatus.DEAD_LETTERED);
      assertThat(dead.errorCode()).isEqualTo("job.timeout_exceeded");
      assertThat(signals.events()).containsExactly("asked", "interrupted");
    }
    assertThat(attempts(job).get(0).outcome()).isEqualTo(AttemptOutcome.TIMEOUT);
  }

  @Test
  void aContinuationBeginsANewRunWithItsAttemptsAnew() throws Exception {
    Enqueued job = enqueue("{}");
    try (Running workers =
        bench.start(
            "mail",
            context ->
                context.run() == 3
                    ? JobResult.success("\"" + context.checkpoint() + "\"")
                    : JobResult.continueAfter(Duration.ZERO)
                        .withCheckpoint(Integer.toString(context.run())))) {
      JobInfo done = bench.await(job.id(), JobStatus.SUCCEEDED);
      assertThat(done.run()).isEqualTo(3);
      assertThat(done.attempt()).isEqualTo(1);
      assertThat(bench.jobs().body(Scope.admin(), job.id()).orElseThrow().output())
          .isEqualTo("\"2\"");
    }
    assertThat(attempts(job))
        .extracting(JobAttempt::outcome)
        .containsExactly(
            AttemptOutcome.CONTINUED, AttemptOutcome.CONTINUED, AttemptOutcome.SUCCEEDED);
  }

  @Test
  void progressCheckpointAndLogAreSeenWhileItRuns() throws Exception {
    Enqueued job = enqueue("{}");
    try (Running workers =
        bench.start(
            "mail",
            context -> {
              context.progress(1L, 10L);
              context.progress(2L, null);
              context.checkpoint("{\"at\":2}");
              context.log(JobContext.Level.WARN, "half 🚀");
              assertThatThrownBy(() -> context.progress(11L, null))
                  .isInstanceOf(InvalidArgument.class);
              assertThatThrownBy(() -> context.checkpoint("nope"))
                  .isInstanceOf(InvalidArgument.class);
              signals.fire("written");
              signals.await("seen", SOON);
              return JobResult.success();
            })) {
      signals.await("written", SOON);
      JobInfo running = bench.get(job.id());
      assertThat(running.status()).isEqualTo(JobStatus.LEASED);
      assertThat(running.stage()).isEqualTo("running");
      assertThat(running.progressDone()).isEqualTo(2);
      assertThat(running.progressTotal()).isEqualTo(10);
      assertThat(bench.jobs().body(Scope.admin(), job.id()).orElseThrow().checkpoint())
          .isEqualTo("{\"at\":2}");
      List<JobLogEntry> logs = bench.jobs().logs(Scope.admin(), job.id(), 0, 10);
      assertThat(logs)
          .singleElement()
          .satisfies(
              line -> {
                assertThat(line.message()).isEqualTo("half 🚀");
                assertThat(line.level()).isEqualTo(JobContext.Level.WARN);
              });
      long number = logs.get(0).number();
      assertThat(bench.jobs().logs(Scope.admin(), job.id(), number, 10)).isEmpty();
      assertThat(bench.jobs().latestLogs(Scope.admin(), job.id(), Long.MAX_VALUE, 10))
          .isEqualTo(logs);
      assertThat(bench.jobs().latestLogs(Scope.admin(), job.id(), number, 10)).isEmpty();
      signals.fire("seen");
      bench.await(job.id(), JobStatus.SUCCEEDED);
    }
  }

  @Test
  void cancelingReachesARunningHandlerInAnotherProcess() throws Exception {
    Enqueued job = enqueue("{}");
    AtomicReference<@Nullable Throwable> refused = new AtomicReference<>();
    try (Running workers =
        bench.start(
            "mail",
            context -> {
              context.onCancel(() -> signals.fire("canceled"));
              signals.fire("running");
              signals.await("canceled", SOON);
              try {
                context.checkpoint("1");
              } catch (LeaseLost e) {
                refused.set(e);
              }
              signals.fire("done");
              return JobResult.success();
            })) {
      signals.await("running", SOON);
      JobInfo canceled = bench.jobs().cancel(Scope.admin(), job.id(), "no longer wanted");
      assertThat(canceled.status()).isEqualTo(JobStatus.CANCELED);
      signals.await("done", Duration.ofSeconds(5));
    }
    assertThat(refused.get()).isInstanceOf(LeaseLost.class);
    assertThat(bench.get(job.id()).status()).isEqualTo(JobStatus.CANCELED);
    assertThat(attempts(job))
        .extracting(JobAttempt::outcome)
        .containsExactly(AttemptOutcome.CANCELED);
    assertThat(bench.jobs().events(Scope.admin(), job.id(), 0, 10))
        .extracting(JobEvent::kind)
        .containsExactly(JobEvent.Kind.CANCELED);
  }

  @Test
  void aHandlerThatDoesNotListenIsInterruptedSoonAfterACancel() throws Exception {
    Enqueued job = enqueue("{}");
    try (Running workers =
        bench.start(
            "mail",
            context -> {
              signals.fire("running");
              try {
                Thread.sleep(60_000);
              } finally {
                signals.fire("ended");
              }
              return JobResult.success();
            })) {
      signals.await("running", SOON);
      bench.jobs().cancel(Scope.admin(), job.id(), "stop");
      signals.await("ended", Duration.ofSeconds(5));
    }
    assertThat(bench.get(job.id()).status()).isEqualTo(JobStatus.CANCELED);
  }

  @Test
  void aHandlerWritesInTheTransactionThatSettlesIt() throws Exception {
    bench.home().execute("create table shipped (id integer not null primary key)");
    Enqueued good = enqueue("{\"n\":1}");
    Enqueued bad = enqueue("{\"n\":2}");
    AtomicInteger tries = new AtomicInteger();
    try (Running workers =
        bench.start(
            "mail",
            context -> {
              boolean fails = context.payload().contains("2");
              return JobResult.success()
                  .inTransaction(
                      connection -> {
                        try (Statement statement = connection.createStatement()) {
                          statement.execute("insert into shipped values (" + (fails ? 2 : 1) + ")");
                        }
                        if (fails) {
                          tries.incrementAndGet();
                          throw new SQLException("no");
                        }
                      });
            })) {
      bench.await(good.id(), JobStatus.SUCCEEDED);
      JobInfo dead = bench.await(bad.id(), JobStatus.DEAD_LETTERED);
      assertThat(dead.errorCode()).isEqualTo("job.completion_refused");
    }
    assertThat(tries).hasValue(3);
    assertThat(bench.count("shipped")).isEqualTo(1);
  }

  @Test
  void aShutdownGivesUnfinishedWorkBackWithoutCostingAnAttempt() throws Exception {
    Enqueued job = enqueue("{}");
    Running workers =
        bench.start(
            "mail",
            context -> {
              signals.fire("running");
              Thread.sleep(60_000);
              return JobResult.success();
            });
    signals.await("running", SOON);
    workers.engine().askToStop();
    assertThat(workers.crew().stop(Duration.ofMillis(50)).isClean()).isTrue();
    workers.engine().handBack();
    JobInfo back = bench.get(job.id());
    assertThat(back.status()).isEqualTo(JobStatus.PENDING);
    assertThat(back.attempt()).isZero();
    assertThat(attempts(job)).isEmpty();
  }

  @Test
  void anErrorInWhatIsWrittenWithTheResultFailsTheAttemptAndHoldsUpNobody() throws Exception {
    try (Running running =
        bench.start(
            "mail",
            job ->
                job.payload().equals("1")
                    ? JobResult.success()
                        .inTransaction(
                            connection -> {
                              throw new AssertionError("no");
                            })
                    : JobResult.success())) {
      Enqueued wrong = enqueue("1");
      Enqueued right = enqueue("2");
      bench.await(wrong.id(), JobStatus.DEAD_LETTERED);
      bench.await(right.id(), JobStatus.SUCCEEDED);
      assertThat(bench.get(wrong.id()).errorCode()).isEqualTo("job.completion_refused");
    }
  }

  @Test
  void whatRunsOnACancelHoldsUpNoOtherLease() throws Exception {
    AtomicReference<String> thread = new AtomicReference<>("");
    try (Running running =
        bench.start(
            "slow",
            job -> {
              job.onCancel(
                  () -> {
                    thread.set(Thread.currentThread().getName());
                    signals.fire("canceled");
                  });
              signals.fire("begun");
              signals.await("canceled", SOON);
              return JobResult.success();
            })) {
      Enqueued job = bench.jobs().enqueue(JobRequest.of("slow").build());
      signals.await("begun", SOON);
      running.jobs().cancel(Scope.admin(), job.id(), "stop");
      signals.await("canceled", SOON);
      assertThat(thread.get()).contains("job-canceled");
    }
  }

  @Test
  void aRetryThatIsDueSoonDoesNotWaitForTheNextLook() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    JobOptions options =
        JobBench.quick("w1").withPoll(Duration.ofMinutes(10), Duration.ofMinutes(10));
    try (Running running =
        bench.start(
            options,
            Map.of(
                "mail",
                job ->
                    tries.incrementAndGet() < 3
                        ? JobResult.retry("busy", "again")
                        : JobResult.success()))) {
      Enqueued job = running.jobs().enqueue(JobRequest.of("mail").build());
      bench.await(job.id(), JobStatus.SUCCEEDED);
    }
  }
}

package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.waybill.Migrated;
import dev.waybill.internal.store.WorkflowRetryStore;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepHandler;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowException.NotFound;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs that begin again where they failed, and those who wait for ends. */
@EveryDatabase
@Timeout(180)
class WorkflowRetryTest {
  private final WorkflowBench bench;
  private final AtomicBoolean broken = new AtomicBoolean(true);
  private final StepHandler handler =
      step ->
          step.step().equals("b") && broken.get()
              ? JobResult.fail("test.broken", "as told")
              : JobResult.success("{\"run\":" + step.run() + "}");

  WorkflowRetryTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  private static Step.Builder step(String key) {
    return Step.job(key, "t");
  }

  @Test
  void whatSucceededStaysAndTheRestGoesOn() throws Exception {
    UUID run =
        bench.start(
            WorkflowBench.of(
                    step("a"),
                    step("b").after("a"),
                    step("c").after("b"),
                    step("not").after("a", Condition.at("/run").is("99")),
                    step("end").afterEnd("b"),
                    step("last").after("c"))
                .activeKey("k")
                .resultStep("last"));
    try (Engine workers = bench.start("t", handler)) {
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
      assertThat(bench.workflows().findActive(Scope.global(), "k")).isEmpty();
      broken.set(false);
      WorkflowInfo again = workers.workflows().retry(Scope.global(), run, "it is mended");
      assertThat(again.status()).isEqualTo(WorkflowStatus.RUNNING);
      assertThat(again.finishedAt()).isNull();
      assertThat(again.openSteps()).isEqualTo(3);
      assertThat(workers.workflows().await(Scope.global(), run, Duration.ofMinutes(1)).status())
          .isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(bench.statuses(run))
        .containsExactly(
            entry("a", StepStatus.SUCCEEDED),
            entry("b", StepStatus.SUCCEEDED),
            entry("c", StepStatus.SUCCEEDED),
            entry("not", StepStatus.SKIPPED),
            entry("end", StepStatus.SUCCEEDED),
            entry("last", StepStatus.SUCCEEDED));
    assertThat(bench.step(run, "a").run()).isEqualTo(1);
    assertThat(bench.step(run, "b").run()).isEqualTo(2);
    assertThat(bench.step(run, "b").errorCode()).isNull();
    assertThat(bench.step(run, "end").run()).isEqualTo(1);
    assertThat(bench.jobs().attempts(Scope.admin(), bench.step(run, "b").id())).hasSize(2);
    assertThat(bench.workflows().body(Scope.global(), run))
        .hasValueSatisfying(body -> assertThat(body.result()).isEqualTo("{\"run\":1}"));
  }

  /** A job's row says all about the attempt that succeeded, until another one begins. */
  @Test
  void anAttemptThatSucceededIsKeptWhenItsJobBeginsAgain() throws Exception {
    try (Engine workers = bench.start("t", context -> JobResult.success())) {
      UUID run = bench.start(WorkflowBench.of(step("a")));
      workers.workflows().await(Scope.global(), run, Duration.ofMinutes(1));
      UUID job = bench.step(run, "a").id();
      List<JobAttempt> before = bench.jobs().attempts(Scope.admin(), job);
      assertThat(before).extracting(JobAttempt::outcome).containsOnly(AttemptOutcome.SUCCEEDED);
      bench.jobs().setPaused("t", true);
      bench
          .database()
          .transact(
              tx -> {
                WorkflowRetryStore.in(tx).requeue(List.of(job), "once more");
                return true;
              });
      JobInfo again = bench.jobs().find(Scope.admin(), job).orElseThrow();
      assertThat(again.status()).isEqualTo(JobStatus.PENDING);
      assertThat(again.worker()).isNull();
      assertThat(bench.jobs().attempts(Scope.admin(), job)).isEqualTo(before).hasSize(1);
    }
  }

  @Test
  void aCanceledRunGoesOnWhereItWas() throws Exception {
    UUID run =
        bench.start(
            WorkflowBench.of(
                step("a"),
                Step.gate("gate").after("a").deadline(Duration.ofHours(1)),
                Step.delay("wait", Duration.ofMillis(1)),
                step("b").after("gate", "wait")));
    broken.set(false);
    try (Engine workers = bench.start("t", handler)) {
      bench.await(run, "gate", StepStatus.WAITING);
      bench.await(run, "wait", StepStatus.SUCCEEDED);
      workers.workflows().cancel(Scope.global(), run, "pause");
      assertThat(workers.workflows().retry(Scope.global(), run, "go on").status())
          .isEqualTo(WorkflowStatus.WAITING);
      assertThat(bench.step(run, "gate"))
          .satisfies(
              gate -> {
                assertThat(gate.status()).isEqualTo(StepStatus.WAITING);
                assertThat(gate.reason()).isNull();
                assertThat(gate.timerAt()).isNotNull();
              });
      workers.workflows().completeGate(GateCompletion.succeed(Scope.global(), run, "gate", "1"));
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(bench.step(run, "a").run()).isEqualTo(1);
  }

  @Test
  void onlyWhatHasFailedAndIsQuietBeginsAgain() throws Exception {
    UUID run = bench.start(WorkflowBench.of(step("a")).activeKey("k"));
    assertThatThrownBy(() -> bench.workflows().retry(Scope.global(), run, "r"))
        .isInstanceOf(InvalidState.class)
        .hasMessageContaining("RUNNING");
    assertThatThrownBy(() -> bench.workflows().retry(Scope.tenant("x"), run, "r"))
        .isInstanceOf(NotFound.class);
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    try (Engine workers =
        bench.start(
            "t",
            step -> {
              step.onCancel(stopped::countDown);
              began.countDown();
              stopped.await();
              return JobResult.success();
            })) {
      assertThat(began.await(30, TimeUnit.SECONDS)).isTrue();
      workers.workflows().cancel(Scope.global(), run, "r");
      assertThatThrownBy(() -> workers.workflows().retry(Scope.global(), run, "r"))
          .isInstanceOf(InvalidState.class)
          .hasMessageContaining("handler");
      assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
    }
    bench.age(Duration.ofMinutes(5));
    bench.database().transact(tx -> dev.waybill.internal.store.WorkflowRunStore.in(tx).unhold());
    UUID other = bench.start(WorkflowBench.of(step("a")).activeKey("k"));
    assertThatThrownBy(() -> bench.workflows().retry(Scope.global(), run, "r"))
        .isInstanceOf(InvalidState.class)
        .hasMessageContaining(other.toString());
    bench.workflows().cancel(Scope.global(), other, "make room");
    assertThat(bench.workflows().retry(Scope.global(), run, "r").status())
        .isEqualTo(WorkflowStatus.RUNNING);
    assertThat(bench.workflows().findActive(Scope.global(), "k"))
        .hasValueSatisfying(info -> assertThat(info.id()).isEqualTo(run));
  }

  @Test
  void manyWaitForEndsAndTheDatabaseIsAskedForAllOfThem() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.gate("gate")).resultStep("gate"));
    ExecutorService threads = Executors.newFixedThreadPool(10);
    try (Engine workers = bench.start("t", handler)) {
      assertThat(workers.workflows().await(Scope.global(), run, Duration.ZERO).status())
          .isEqualTo(WorkflowStatus.WAITING);
      assertThat(workers.workflows().await(Scope.global(), run, Duration.ofMillis(30)).status())
          .isEqualTo(WorkflowStatus.WAITING);
      assertThatThrownBy(
              () -> workers.workflows().await(Scope.tenant("x"), run, Duration.ofDays(36_500)))
          .isInstanceOf(NotFound.class);
      var waiting =
          java.util.stream.IntStream.range(0, 10)
              .<Future<WorkflowInfo>>mapToObj(
                  i ->
                      threads.submit(
                          () ->
                              workers
                                  .workflows()
                                  .await(Scope.global(), run, Duration.ofDays(400_000))))
              .toList();
      workers.workflows().completeGate(GateCompletion.succeed(Scope.global(), run, "gate", "[1]"));
      for (Future<WorkflowInfo> each : waiting) {
        assertThat(each.get(60, TimeUnit.SECONDS).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      }
      assertThat(workers.workflows().body(Scope.global(), run))
          .hasValueSatisfying(body -> assertThat(body.result()).isEqualTo("[1]"));
    } finally {
      threads.shutdownNow();
    }
  }

  /** It has a job from before, and has to wait again for one that is tried again, too. */
  @Test
  void aStepThatRanAndHasToWaitAgainRunsOnceMore() throws Exception {
    java.util.concurrent.atomic.AtomicBoolean works =
        new java.util.concurrent.atomic.AtomicBoolean();
    try (Engine workers =
        bench.start(
            "t",
            step ->
                works.get() ? JobResult.success("1") : JobResult.fail("test.failed", "not now"))) {
      UUID run =
          bench.start(WorkflowBench.of(Step.job("a", "t"), Step.job("b", "t").afterEnd("a")));
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
      works.set(true);
      workers.workflows().retry(Scope.global(), run, "works now");
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.step(run, "b"))
          .satisfies(
              step -> {
                assertThat(step.run()).isEqualTo(2);
                assertThat(step.attempt()).isEqualTo(1);
                assertThat(step.errorCode()).isNull();
              });
      WorkflowInvariants.hold(bench.home());
    }
  }
}

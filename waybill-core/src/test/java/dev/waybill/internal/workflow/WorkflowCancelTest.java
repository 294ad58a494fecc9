package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.store.WorkflowRunStore;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobException;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Replay;
import dev.waybill.job.Requeue;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException.InvalidArgument;
import dev.waybill.workflow.WorkflowException.NotFound;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs that somebody ends. */
@EveryDatabase
@Timeout(120)
class WorkflowCancelTest {
  private final WorkflowBench bench;

  WorkflowCancelTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  private static Workflow.Builder mixed() {
    return WorkflowBench.of(
            Step.job("job", "t"),
            Step.job("later", "t").delay(Duration.ofHours(1)),
            Step.gate("gate").deadline(Duration.ofHours(1)),
            Step.delay("delay", Duration.ofHours(1)),
            Step.job("cleanup", "t").afterEnd("job", "gate"))
        .activeKey("one");
  }

  @Test
  void aStepThatIsToGoOnLaterIsCanceledWithItsRun() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.job("a", "t")));
    try (Engine workers = bench.start("t", step -> JobResult.continueAfter(Duration.ofHours(1)))) {
      bench.await(run, info -> bench.step(run, "a").run() == 2);
      workers.workflows().cancel(Scope.global(), run, "enough");
      assertThat(bench.statuses(run)).containsEntry("a", StepStatus.CANCELED);
      assertThat(bench.count("waybill_job where status < 3")).isZero();
    }
  }

  @Test
  void aStepThatWantsToGoOnAfterItsRunWasCanceledDoesNot() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.job("a", "t")));
    CountDownLatch running = new CountDownLatch(1);
    AtomicInteger times = new AtomicInteger();
    try (Engine workers =
        bench.start(
            "t",
            step -> {
              if (!step.workflow().equals(run)) {
                return JobResult.success();
              }
              CountDownLatch canceled = new CountDownLatch(1);
              step.onCancel(canceled::countDown);
              times.incrementAndGet();
              running.countDown();
              assertThat(canceled.await(30, TimeUnit.SECONDS)).isTrue();
              return JobResult.continueAfter(Duration.ZERO);
            })) {
      assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
      workers.workflows().cancel(Scope.global(), run, "enough");
      // What ends later is looked at later.
      UUID other = workers.workflows().start(WorkflowBench.of(Step.job("b", "t")).build()).id();
      bench.awaitEnd(other);
    }
    assertThat(times).hasValue(1);
    assertThat(bench.statuses(run)).containsEntry("a", StepStatus.CANCELED);
    assertThat(bench.count("waybill_job where status < 3")).isZero();
  }

  @Test
  void everythingEndsAndNothingFollows() throws Exception {
    UUID run = bench.start(mixed());
    WorkflowInfo end = bench.workflows().cancel(Scope.global(), run, "changed my mind");
    assertThat(end.status()).isEqualTo(WorkflowStatus.CANCELED);
    assertThat(end.reason()).isEqualTo("changed my mind");
    assertThat(end.openSteps()).isZero();
    assertThat(bench.statuses(run).values()).containsOnly(StepStatus.CANCELED);
    assertThat(bench.count("waybill_job where status <> 5")).isZero();
    assertThat(bench.count("waybill_workflow_step where wake_at is not null")).isZero();
    assertThat(bench.jobs().events(Scope.admin(), bench.step(run, "job").id(), 0, 10))
        .singleElement()
        .satisfies(event -> assertThat(event.detail()).isEqualTo("changed my mind"));
    // Nobody can be at it, so the key is free at once.
    assertThat(bench.workflows().start(mixed().build()).outcome())
        .isEqualTo(Started.Outcome.STARTED);
  }

  @Test
  void aRunThatHasEndedStaysAsItIs() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.job("a", "t")).resultStep("a"));
    try (Engine workers = bench.start("t", step -> JobResult.success("1"))) {
      assertThat(workers).isNotNull();
      bench.awaitEnd(run);
    }
    assertThat(bench.workflows().cancel(Scope.global(), run, "too late").status())
        .isEqualTo(WorkflowStatus.SUCCEEDED);
    assertThat(bench.workflows().body(Scope.global(), run))
        .hasValueSatisfying(body -> assertThat(body.result()).isEqualTo("1"));
  }

  @Test
  void runningHandlersLearnIt() throws Exception {
    UUID run = bench.start(mixed());
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    AtomicReference<String> why = new AtomicReference<>("");
    try (Engine workers =
        bench.start(
            "t",
            step -> {
              step.onCancel(
                  () -> {
                    why.set(step.cancelReason());
                    stopped.countDown();
                  });
              began.countDown();
              stopped.await();
              return JobResult.success();
            })) {
      assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
      workers.workflows().cancel(Scope.global(), run, "stop it");
      assertThat(stopped.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(why.get()).isEqualTo("stop it");
      // A handler may still be at it: its key is not free yet.
      assertThat(bench.workflows().start(mixed().build()))
          .isEqualTo(new Started(run, Started.Outcome.ACTIVE));
      bench.age(Duration.ofMinutes(5));
      workers.workflows().wake();
      awaitKey();
    }
    UUID job = bench.step(run, "job").id();
    assertThat(bench.jobs().find(Scope.admin(), job))
        .hasValueSatisfying(info -> assertThat(info.status()).isEqualTo(JobStatus.CANCELED));
    assertThat(bench.jobs().attempts(Scope.admin(), job))
        .singleElement()
        .satisfies(attempt -> assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.CANCELED));
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.CANCELED);
    assertThat(bench.statuses(run)).containsEntry("cleanup", StepStatus.CANCELED);
  }

  private void awaitKey() throws InterruptedException {
    for (int i = 0; i < 2000; i++) {
      if (bench.workflows().findActive(Scope.global(), "one").isEmpty()) {
        return;
      }
      dev.waybill.internal.loop.Time.system().sleep(Duration.ofMillis(5));
    }
    throw new AssertionError("the key is never free");
  }

  @Test
  void cancelIsPartOfTheCallersTransaction() throws Exception {
    UUID run = bench.start(mixed());
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      assertThat(bench.workflows().cancel(connection, Scope.global(), run, "no").status())
          .isEqualTo(WorkflowStatus.CANCELED);
      connection.rollback();
    }
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.RUNNING);
  }

  @Test
  void somebodyElsesRunIsNotFoundAndAReasonIsWanted() {
    UUID run = bench.start(mixed());
    assertThatThrownBy(() -> bench.workflows().cancel(Scope.tenant("x"), run, "r"))
        .isInstanceOf(NotFound.class);
    assertThatThrownBy(() -> bench.workflows().cancel(Scope.global(), run, " "))
        .isInstanceOf(InvalidArgument.class);
  }

  @Test
  void aStepsJobIsNotRunAgainBehindTheWorkflowsBack() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.job("a", "t"), Step.job("b", "t").afterEnd("a")));
    UUID job = bench.step(run, "a").id();
    bench.jobs().cancel(Scope.global(), job, "no");
    assertThatThrownBy(
            () ->
                bench
                    .jobs()
                    .requeue(
                        new Requeue(Scope.global(), job, JobStatus.CANCELED, 1, false, "again")))
        .isInstanceOf(JobException.InvalidArgument.class)
        .hasMessageContaining("step");
    assertThatThrownBy(() -> bench.jobs().replay(new Replay(Scope.global(), job, 1, "k", "again")))
        .isInstanceOf(JobException.InvalidArgument.class);
  }

  @Test
  void endedRunsArePurgedWithAllThatBelongsToThem() throws Exception {
    UUID canceled = bench.start(mixed().attribute("a", "b"));
    bench.workflows().cancel(Scope.global(), canceled, "r");
    UUID open = bench.start(WorkflowBench.of(Step.job("a", "t"), Step.job("b", "t").after("a")));
    assertThat(bench.workflows().purge(WorkflowStatus.CANCELED, Duration.ofHours(1), 10)).isZero();
    bench.age(Duration.ofHours(2));
    // A step's job is not purged by itself: others may need its output.
    assertThat(bench.jobs().purge(JobStatus.CANCELED, Duration.ofHours(1), 10)).isZero();
    assertThat(bench.workflows().purge(WorkflowStatus.CANCELED, Duration.ofHours(1), 10))
        .isEqualTo(1);
    assertThat(bench.workflows().find(Scope.admin(), canceled)).isEmpty();
    assertThat(bench.count("waybill_workflow_step")).isEqualTo(2);
    assertThat(bench.count("waybill_workflow_edge")).isEqualTo(1);
    assertThat(bench.count("waybill_workflow_attribute")).isZero();
    assertThat(bench.count("waybill_job")).isEqualTo(1);
    assertThat(bench.count("waybill_job_event")).isZero();
    assertThat(bench.get(open).status()).isEqualTo(WorkflowStatus.RUNNING);
    assertThatThrownBy(() -> bench.workflows().purge(WorkflowStatus.RUNNING, Duration.ZERO, 1))
        .isInstanceOf(InvalidArgument.class);
  }

  /**
   * Two canceled runs whose handlers cannot be at them any more, one of them locked by somebody.
   */
  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "whoever writes holds the whole file")
  void aRunThatSomebodyHoldsKeepsItsActiveKeyAndHoldsUpNobody() throws Exception {
    UUID held = bench.start(WorkflowBench.of(Step.job("a", "t")).activeKey("held"));
    UUID free = bench.start(WorkflowBench.of(Step.job("a", "t")).activeKey("free"));
    bench.home().execute("update waybill_workflow set active_until = 1");
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection holder = bench.home().connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute(
          "select id from waybill_workflow where id = " + literal(held) + " for update");
      assertThat(thread.submit(this::unheld).get(20, TimeUnit.SECONDS)).isEqualTo(1);
      holder.rollback();
    } finally {
      thread.shutdownNow();
    }
    assertThat(bench.start(WorkflowBench.of(Step.job("a", "t")).activeKey("free")))
        .isNotEqualTo(free);
    assertThat(unheld()).isEqualTo(1);
    assertThat(unheld()).isZero();
  }

  private int unheld() {
    return bench.database().transact(tx -> WorkflowRunStore.in(tx).unhold());
  }

  private String literal(UUID id) {
    return switch (bench.home().product()) {
      case POSTGRESQL, SQLITE -> "'" + id + "'";
      case MYSQL, MARIADB -> "x'" + id.toString().replace("-", "") + "'";
    };
  }
}

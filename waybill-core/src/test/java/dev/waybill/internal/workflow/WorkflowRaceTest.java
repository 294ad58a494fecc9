package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Compensation;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two sessions at the same run, one of them stopped in the middle of its transaction. */
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "a transaction that writes has the whole database")
@Timeout(180)
class WorkflowRaceTest {
  private final WorkflowBench bench;
  private final ExecutorService other = Executors.newSingleThreadExecutor();

  WorkflowRaceTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t", "plain");
  }

  @AfterEach
  void stop() {
    other.shutdownNow();
  }

  private Connection caller() throws SQLException {
    Connection connection = bench.home().connect();
    connection.setAutoCommit(false);
    return connection;
  }

  private static GateCompletion done(UUID run, String gate) {
    return GateCompletion.succeed(Scope.global(), run, gate, "1");
  }

  /** Workers that begin when the caller holds the run already. */
  private Engine holding(Connection caller, UUID run, Supplier<Engine> start) {
    bench.workflows().completeGate(caller, done(run, "gate"));
    return start.get();
  }

  private static void assertWaits(Future<?> call) {
    assertThatThrownBy(() -> call.get(300, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
  }

  @Test
  void nobodyWaitsForARunThatACallerHolds() throws Exception {
    UUID held =
        bench.start(
            WorkflowBench.of(
                Step.gate("gate"), Step.job("a", "t"), Step.job("b", "t").after("gate", "a")));
    CountDownLatch ended = new CountDownLatch(1);
    try (Connection caller = caller();
        Engine workers =
            holding(
                caller,
                held,
                () ->
                    bench.start(
                        WorkflowBench.quick("w1"),
                        Map.of(
                            "t",
                            step -> {
                              if (step.workflow().equals(held)) {
                                ended.countDown();
                              }
                              return JobResult.success();
                            },
                            "plain",
                            step -> JobResult.success())))) {
      assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
      // The step has done its work, but its run is held: others go on.
      UUID free = workers.workflows().start(WorkflowBench.of(Step.job("x", "t")).build()).id();
      assertThat(bench.awaitEnd(free).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.statuses(held)).containsEntry("a", StepStatus.RUNNING);
      caller.commit();
      assertThat(bench.awaitEnd(held).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(bench.step(held, "a").attempt()).isEqualTo(1);
  }

  @Test
  void aRunThatACallerHoldsTakesNoSlots() throws Exception {
    var wide = WorkflowBench.of(Step.gate("gate"));
    for (int i = 0; i < 20; i++) {
      wide.step(Step.job("s" + i, "t"));
    }
    UUID held = bench.start(wide);
    CountDownLatch ended = new CountDownLatch(8);
    try (Connection caller = caller();
        Engine workers =
            holding(
                caller,
                held,
                () ->
                    bench.start(
                        WorkflowBench.quick("w1").withConcurrency(4),
                        Map.of(
                            "t",
                            step -> {
                              ended.countDown();
                              return JobResult.success();
                            })))) {
      // More than there are slots, and others besides.
      assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
      UUID free = workers.workflows().start(WorkflowBench.of(Step.job("x", "t")).build()).id();
      assertThat(bench.awaitEnd(free).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.get(held).status().isTerminal()).isFalse();
      caller.commit();
      assertThat(bench.awaitEnd(held).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(bench.steps(held).values()).allMatch(step -> step.attempt() <= 1);
  }

  /** More than there are slots, and what they write is written once. */
  @Test
  void stepsThatWriteWithTheirEndWaitForTheirRunAndHoldUpNobody() throws Exception {
    var wide = WorkflowBench.of(Step.gate("gate"));
    for (int i = 0; i < 20; i++) {
      wide.step(Step.job("s" + i, "t"));
    }
    UUID held = bench.start(wide);
    CountDownLatch ended = new CountDownLatch(20);
    AtomicInteger written = new AtomicInteger();
    try (Connection caller = caller();
        Engine workers =
            holding(
                caller,
                held,
                () ->
                    bench.start(
                        WorkflowBench.quick("w1").withConcurrency(4),
                        Map.of(
                            "t",
                            step -> {
                              ended.countDown();
                              return step.workflow().equals(held)
                                  ? JobResult.success()
                                      .inTransaction(connection -> written.incrementAndGet())
                                  : JobResult.success();
                            })))) {
      assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
      UUID free = workers.workflows().start(WorkflowBench.of(Step.job("x", "t")).build()).id();
      assertThat(bench.awaitEnd(free).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(written).hasValue(0);
      caller.commit();
      assertThat(bench.awaitEnd(held).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(written).hasValue(20);
    assertThat(bench.steps(held).values()).allMatch(step -> step.attempt() <= 1);
  }

  @Test
  void theReaperDoesNotWaitForARunThatACallerHolds() throws Exception {
    UUID held = bench.start(WorkflowBench.of(Step.gate("gate"), Step.job("a", "t")));
    UUID free = bench.start(WorkflowBench.of(Step.job("a", "t")));
    bench
        .home()
        .execute(
            "update waybill_job set status = 2, attempt = 2, worker = 'dead', leased_at = 1,"
                + " lease_until = 2");
    try (Connection caller = caller();
        Engine workers =
            holding(caller, held, () -> bench.start("t", step -> JobResult.success()))) {
      assertThat(workers).isNotNull();
      assertThat(bench.awaitEnd(free).status()).isEqualTo(WorkflowStatus.FAILED);
      assertThat(bench.get(held).status()).isEqualTo(WorkflowStatus.RUNNING);
      caller.commit();
      assertThat(bench.awaitEnd(held).status()).isEqualTo(WorkflowStatus.FAILED);
    }
  }

  @Test
  void cancelWaitsForACompletionAndCancelsWhatItReleased() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.gate("gate"), Step.job("b", "t").after("gate")));
    try (Connection caller = caller()) {
      bench.workflows().completeGate(caller, done(run, "gate"));
      Future<?> cancel = other.submit(() -> bench.workflows().cancel(Scope.global(), run, "race"));
      assertWaits(cancel);
      caller.commit();
      cancel.get(30, TimeUnit.SECONDS);
    }
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.CANCELED);
    assertThat(bench.statuses(run))
        .containsEntry("gate", StepStatus.SUCCEEDED)
        .containsEntry("b", StepStatus.CANCELED);
    assertThat(bench.count("waybill_job where status = 5")).isEqualTo(1);
  }

  @Test
  void aStepThatEndsAfterACancelReleasesNothing() throws Exception {
    UUID run =
        bench.start(
            WorkflowBench.of(
                Step.job("a", "t"),
                Step.job("b", "t").after("a"),
                Step.job("c", "t").afterEnd("a")));
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch began = new CountDownLatch(1);
    try (Connection caller = caller();
        Engine workers =
            bench.start(
                "t",
                step -> {
                  began.countDown();
                  go.await();
                  return JobResult.success();
                })) {
      assertThat(workers).isNotNull();
      assertThat(began.await(30, TimeUnit.SECONDS)).isTrue();
      bench.workflows().cancel(caller, Scope.global(), run, "race");
      go.countDown();
      caller.commit();
      bench.awaitEnd(run);
    }
    assertThat(bench.statuses(run).values()).containsOnly(StepStatus.CANCELED);
    assertThat(bench.count("waybill_job")).isEqualTo(1);
    assertThat(bench.count("waybill_job where status = 5")).isEqualTo(1);
  }

  @Test
  void aCancelThatIsRolledBackLeavesTheStepToEnd() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.job("a", "t"), Step.job("b", "t").after("a")));
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch began = new CountDownLatch(1);
    try (Connection caller = caller();
        Engine workers =
            bench.start(
                "t",
                step -> {
                  began.countDown();
                  go.await();
                  return JobResult.success();
                })) {
      assertThat(workers).isNotNull();
      assertThat(began.await(30, TimeUnit.SECONDS)).isTrue();
      bench.workflows().cancel(caller, Scope.global(), run, "race");
      go.countDown();
      caller.rollback();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(bench.step(run, "a").attempt()).isEqualTo(1);
  }

  @Test
  void twoGatesOfOneRunAreCompletedOneAfterTheOther() throws Exception {
    UUID run =
        bench.start(
            WorkflowBench.of(
                Step.gate("g1"), Step.gate("g2"), Step.job("join", "t").after("g1", "g2")));
    try (Connection caller = caller()) {
      bench.workflows().completeGate(caller, done(run, "g1"));
      Future<?> second = other.submit(() -> bench.workflows().completeGate(done(run, "g2")));
      assertWaits(second);
      caller.commit();
      second.get(30, TimeUnit.SECONDS);
    }
    assertThat(bench.statuses(run)).containsEntry("join", StepStatus.ENQUEUED);
    assertThat(bench.count("waybill_job")).isEqualTo(1);
  }

  @Test
  void aCallerWhoseSnapshotIsOldDoesNotLoseWhatHappenedSince() throws Exception {
    UUID run =
        bench.start(
            WorkflowBench.of(
                Step.gate("g1"), Step.gate("g2"), Step.job("join", "t").after("g1", "g2")));
    try (Connection caller = caller();
        Statement statement = caller.createStatement()) {
      caller.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.executeQuery("select count(*) from waybill_workflow").close();
      bench.workflows().completeGate(done(run, "g1"));
      if (bench.home().product() == DatabaseProduct.POSTGRESQL) {
        assertThatThrownBy(() -> bench.workflows().completeGate(caller, done(run, "g2")))
            .isInstanceOfSatisfying(
                DatabaseException.class,
                e -> assertThat(e.kind()).isEqualTo(DatabaseException.Kind.CONTENTION));
        caller.rollback();
      }
      bench.workflows().completeGate(caller, done(run, "g2"));
      caller.commit();
    }
    assertThat(bench.statuses(run)).containsEntry("join", StepStatus.ENQUEUED);
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.RUNNING);
    assertThat(bench.get(run).openSteps()).isEqualTo(1);
  }

  @Test
  void concurrentCallersWithTheDefaultIsolationStartTheSameKeyWithoutDeadlock() throws Exception {
    var workflow = WorkflowBench.of(Step.job("a", "t")).idempotencyKey("k").build();
    try (Connection first = caller()) {
      UUID id = bench.workflows().start(first, workflow).id();
      Future<UUID> second =
          other.submit(
              () -> {
                try (Connection connection = caller()) {
                  UUID found = bench.workflows().start(connection, workflow).id();
                  connection.commit();
                  return found;
                }
              });
      assertWaits(second);
      first.commit();
      assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(id);
    }
  }

  /** Whoever finds a run that is there may want to change it next. */
  @Test
  void twoCallersWhoFindTheSameRunChangeItOneAfterTheOther() throws Exception {
    var workflow =
        WorkflowBench.of(Step.gate("g1"), Step.gate("g2")).activeKey("a").idempotencyKey("i");
    UUID run = bench.start(workflow);
    changeWhatIsFound(workflow.build(), Started.Outcome.EXISTING, run);
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.CANCELED);
  }

  @Test
  void twoCallersWhoFindTheSameActiveRunChangeItOneAfterTheOther() throws Exception {
    var workflow = WorkflowBench.of(Step.gate("g1"), Step.gate("g2")).activeKey("a");
    UUID run = bench.start(workflow);
    changeWhatIsFound(workflow.build(), Started.Outcome.ACTIVE, run);
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.CANCELED);
  }

  private void changeWhatIsFound(Workflow workflow, Started.Outcome outcome, UUID run)
      throws Exception {
    try (Connection first = caller()) {
      assertThat(bench.workflows().start(first, workflow)).isEqualTo(new Started(run, outcome));
      Future<?> second =
          other.submit(
              () -> {
                try (Connection connection = caller()) {
                  UUID found = bench.workflows().start(connection, workflow).id();
                  bench.workflows().completeGate(connection, done(found, "g1"));
                  connection.commit();
                  return found;
                }
              });
      assertWaits(second);
      bench.workflows().completeGate(first, done(run, "g1"));
      bench.workflows().cancel(first, Scope.global(), run, "anew");
      first.commit();
      second.get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void whoeverUndoesWhatARerunTookOverHoldsBothRuns() throws Exception {
    UUID source = bench.start(WorkflowBench.of(Step.gate("pay"), Step.gate("ship").after("pay")));
    bench.workflows().completeGate(done(source, "pay"));
    bench.workflows().completeGate(GateCompletion.fail(Scope.global(), source, "ship", "c", "m"));
    UUID rerun =
        bench.workflows().rerun(Rerun.from("ship", Scope.global(), source, "k", "again")).id();
    bench.workflows().completeGate(GateCompletion.fail(Scope.global(), rerun, "ship", "c", "m"));
    try (Connection caller = caller()) {
      bench.workflows().compensate(caller, undo(rerun));
      Future<?> second = other.submit(() -> bench.workflows().compensate(undo(source)));
      assertWaits(second);
      caller.commit();
      assertThatThrownBy(() -> second.get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(InvalidState.class)
          .hasMessageContaining("'pay'");
    }
    assertThat(bench.count("waybill_job where type = 'plain'")).isEqualTo(1);
  }

  private static Compensation undo(UUID run) {
    return Compensation.of(Scope.global(), run, "race").undo("pay", "plain").build();
  }

  @Test
  void plainJobsDoNotKnowOfRuns() throws Exception {
    UUID held = bench.start(WorkflowBench.of(Step.gate("gate")));
    UUID job = bench.jobs().enqueue(JobRequest.of("plain").build()).id();
    try (Connection caller = caller()) {
      bench.workflows().completeGate(caller, done(held, "gate"));
      bench.jobs().cancel(Scope.global(), job, "no");
      assertThat(bench.jobs().find(Scope.global(), job))
          .hasValueSatisfying(info -> assertThat(info.status()).isEqualTo(JobStatus.CANCELED));
    }
  }
}

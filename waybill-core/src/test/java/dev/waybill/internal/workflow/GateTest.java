package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobFilter;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.GateCompletion.Outcome;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException.GateConflict;
import dev.waybill.workflow.WorkflowException.InvalidArgument;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowException.NotFound;
import dev.waybill.workflow.WorkflowException.WrongToken;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Steps that somebody outside completes. */
@EveryDatabase
@Timeout(120)
class GateTest {
  private final WorkflowBench bench;

  GateTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t", "mail");
  }

  private static GateCompletion yes(UUID run) {
    return GateCompletion.succeed(Scope.global(), run, "gate", "{\"ok\":true}");
  }

  private UUID gated(Step.Builder gate) {
    return bench.start(
        WorkflowBench.of(
            gate,
            Step.job("yes", "t").after("gate", Condition.at("/ok").is("true")),
            Step.job("no", "t").after("gate", Condition.at("/ok").is("false")),
            Step.job("end", "t").afterEnd("gate")));
  }

  @Test
  void aCompletionReleasesWhatWaitsForIt() throws Exception {
    UUID run = gated(Step.gate("gate"));
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.WAITING);
    assertThat(bench.workflows().completeGate(yes(run))).isEqualTo(Outcome.COMPLETED);
    assertThat(bench.statuses(run))
        .containsExactly(
            entry("gate", StepStatus.SUCCEEDED),
            entry("yes", StepStatus.ENQUEUED),
            entry("no", StepStatus.SKIPPED),
            entry("end", StepStatus.ENQUEUED));
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.RUNNING);
    try (Engine workers =
        bench.start("t", step -> JobResult.success(step.input("gate").orElse("\"nothing\"")))) {
      assertThat(workers).isNotNull();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(bench.workflows().stepBody(Scope.global(), run, "yes"))
        .hasValueSatisfying(body -> assertThat(body.output()).contains("true"));
  }

  @Test
  void aRepetitionChangesNothingAndAContradictionIsRefused() {
    UUID run = gated(Step.gate("gate"));
    bench.workflows().completeGate(yes(run));
    assertThat(
            bench
                .workflows()
                .completeGate(
                    GateCompletion.succeed(Scope.global(), run, "gate", " {\"ok\" : true} ")))
        .isEqualTo(Outcome.ALREADY);
    assertThatThrownBy(
            () ->
                bench
                    .workflows()
                    .completeGate(GateCompletion.succeed(Scope.global(), run, "gate", "1")))
        .isInstanceOfSatisfying(
            GateConflict.class,
            conflict -> assertThat(conflict.status()).isEqualTo(StepStatus.SUCCEEDED))
        .hasMessageContaining("output");
    assertThatThrownBy(
            () ->
                bench
                    .workflows()
                    .completeGate(GateCompletion.fail(Scope.global(), run, "gate", "no", "never")))
        .isInstanceOf(GateConflict.class)
        .hasMessageContaining("status");
  }

  @Test
  void aFailureAndACancellationKeepTheirWords() {
    UUID failed = gated(Step.gate("gate"));
    GateCompletion no = GateCompletion.fail(Scope.global(), failed, "gate", "shop.no", "too dear");
    bench.workflows().completeGate(no);
    assertThat(bench.workflows().completeGate(no)).isEqualTo(Outcome.ALREADY);
    assertThat(bench.step(failed, "gate"))
        .satisfies(
            gate -> {
              assertThat(gate.status()).isEqualTo(StepStatus.FAILED);
              assertThat(gate.errorCode()).isEqualTo("shop.no");
              assertThat(gate.errorMessage()).isEqualTo("too dear");
            });
    assertThatThrownBy(
            () ->
                bench
                    .workflows()
                    .completeGate(
                        GateCompletion.fail(Scope.global(), failed, "gate", "shop.no", "other")))
        .isInstanceOf(GateConflict.class);
    UUID canceled = gated(Step.gate("gate").mayFail());
    GateCompletion never = GateCompletion.cancel(Scope.global(), canceled, "gate", "nobody came");
    bench.workflows().completeGate(never);
    assertThat(bench.workflows().completeGate(never)).isEqualTo(Outcome.ALREADY);
    assertThat(bench.step(canceled, "gate").reason()).isEqualTo("nobody came");
    assertThat(bench.statuses(canceled))
        .containsEntry("gate", StepStatus.CANCELED)
        .containsEntry("end", StepStatus.ENQUEUED);
  }

  @Test
  void onlyWhoKnowsTheTokenCompletes() throws Exception {
    UUID run = gated(Step.gate("gate").token("open sesame"));
    assertThatThrownBy(() -> bench.workflows().completeGate(yes(run)))
        .isInstanceOf(WrongToken.class);
    assertThatThrownBy(() -> bench.workflows().completeGate(yes(run).withToken("open barley")))
        .isInstanceOf(WrongToken.class)
        .hasMessageNotContaining("barley");
    assertThat(bench.statuses(run)).containsEntry("gate", StepStatus.WAITING);
    assertThat(bench.workflows().completeGate(yes(run).withToken("open sesame")))
        .isEqualTo(Outcome.COMPLETED);
    assertThat(bench.count("waybill_workflow_step where token_hash like '%sesame%'")).isZero();
    // Who does not know it does not learn how the gate was completed either.
    assertThatThrownBy(() -> bench.workflows().completeGate(yes(run)))
        .isInstanceOf(WrongToken.class);
  }

  @Test
  void whatIsNoOpenGateIsRefused() {
    UUID run = bench.start(WorkflowBench.of(Step.job("job", "t"), Step.gate("gate").after("job")));
    assertThatThrownBy(() -> bench.workflows().completeGate(yes(run)))
        .isInstanceOf(InvalidState.class)
        .hasMessageContaining("waits for prerequisites");
    assertThatThrownBy(
            () ->
                bench.workflows().completeGate(GateCompletion.succeed(Scope.global(), run, "job")))
        .isInstanceOf(InvalidArgument.class);
    assertThatThrownBy(
            () ->
                bench
                    .workflows()
                    .completeGate(GateCompletion.succeed(Scope.global(), run, "nobody")))
        .isInstanceOf(NotFound.class);
    assertThatThrownBy(
            () ->
                bench
                    .workflows()
                    .completeGate(GateCompletion.succeed(Scope.tenant("other"), run, "gate")))
        .isInstanceOf(NotFound.class);
    assertThatThrownBy(
            () ->
                bench
                    .workflows()
                    .completeGate(GateCompletion.succeed(Scope.global(), run, "gate", "{")))
        .isInstanceOf(InvalidArgument.class);
    assertThatThrownBy(
            () ->
                new GateCompletion(
                    Scope.global(), run, "gate", StepStatus.SKIPPED, null, null, null, null))
        .isInstanceOf(InvalidArgument.class);
  }

  @Test
  void aCompletionIsPartOfTheCallersTransaction() throws Exception {
    UUID run = gated(Step.gate("gate"));
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      bench.workflows().completeGate(connection, yes(run));
      connection.rollback();
      assertThat(bench.statuses(run)).containsEntry("gate", StepStatus.WAITING);
      assertThat(bench.count("waybill_job")).isZero();
      bench.workflows().completeGate(connection, yes(run));
      connection.commit();
    }
    assertThat(bench.statuses(run)).containsEntry("yes", StepStatus.ENQUEUED);
  }

  @Test
  void manyFollowersCostAsManyStatementsAsOne() throws Exception {
    FaultyDataSource counting = new FaultyDataSource(bench.home().dataSource());
    WorkflowBench counted = WorkflowBench.over(bench.home(), counting);
    long few = statements(counted, counting, 1);
    assertThat(statements(counted, counting, 300)).isEqualTo(few);
  }

  /** To release as many, skip as many, and skip a chain as long. */
  private long statements(WorkflowBench counted, FaultyDataSource counting, int many) {
    Workflow.Builder workflow = Workflow.of("wide").step(Step.gate("gate"));
    String before = "gate";
    for (int i = 0; i < many; i++) {
      workflow.step(Step.job("yes" + i, "t").after("gate"));
      Step.Builder no = Step.job("no" + i, "t");
      workflow.step(i == 0 ? no.after("gate", Condition.at("/no").isPresent()) : no.after(before));
      before = "no" + i;
    }
    workflow.step(Step.job("end", "t").afterEnd(before));
    UUID run = bench.workflows().start(workflow.build()).id();
    counting.reset();
    counted.workflows().completeGate(yes(run));
    long statements = counting.counts().statements();
    assertThat(bench.statuses(run).values())
        .filteredOn(status -> status == StepStatus.ENQUEUED)
        .hasSize(many + 1);
    assertThat(bench.statuses(run).values())
        .filteredOn(status -> status == StepStatus.SKIPPED)
        .hasSize(many);
    return statements;
  }

  @Test
  void oneOfManyCompletionsCounts() throws Exception {
    UUID run = gated(Step.gate("gate"));
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Callable<Outcome>> calls =
          IntStream.range(0, 12)
              .mapToObj(i -> (Callable<Outcome>) () -> bench.workflows().completeGate(yes(run)))
              .toList();
      int completed = 0;
      for (Future<Outcome> each : threads.invokeAll(calls)) {
        completed += each.get() == Outcome.COMPLETED ? 1 : 0;
      }
      assertThat(completed).isEqualTo(1);
    } finally {
      threads.shutdownNow();
    }
    assertThat(bench.count("waybill_job")).isEqualTo(2);
  }

  @Test
  void aGateThatNobodyCompletesInTimeFails() throws Exception {
    UUID run = gated(Step.gate("gate").deadline(Duration.ofHours(1)));
    try (Engine workers = bench.start("t", step -> JobResult.success())) {
      assertThat(bench.step(run, "gate").timerAt()).isNotNull();
      bench.age(Duration.ofMinutes(61));
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
    }
    assertThat(bench.step(run, "gate"))
        .satisfies(
            gate -> {
              assertThat(gate.status()).isEqualTo(StepStatus.FAILED);
              assertThat(gate.errorCode()).isEqualTo("workflow.gate_deadline");
              assertThat(gate.timerAt()).isNull();
            });
    assertThatThrownBy(() -> bench.workflows().completeGate(yes(run)))
        .isInstanceOf(GateConflict.class);
  }

  @Test
  void somebodyIsRemindedOnceAndTheDeadlineStays() throws Exception {
    UUID run =
        gated(Step.gate("gate").deadline(Duration.ofHours(2)).remind(Duration.ofHours(1), "mail"));
    try (Engine workers = bench.start("t", step -> JobResult.success())) {
      bench.age(Duration.ofMinutes(61));
      workers.workflows().wake();
      awaitReminder();
      bench.age(Duration.ofMinutes(30));
      workers.workflows().wake();
      assertThat(bench.statuses(run)).containsEntry("gate", StepStatus.WAITING);
      bench.age(Duration.ofMinutes(31));
      workers.workflows().wake();
      bench.await(run, "gate", StepStatus.FAILED);
    }
    List<JobInfo> reminders = reminders();
    assertThat(reminders).hasSize(1);
    assertThat(bench.jobs().body(Scope.global(), reminders.get(0).id()))
        .hasValueSatisfying(
            body -> assertThat(body.payload()).contains(run.toString()).contains("gate"));
  }

  private List<JobInfo> reminders() {
    return bench.jobs().list(JobFilter.of(Scope.global()).withType("mail"));
  }

  private void awaitReminder() throws InterruptedException {
    for (int i = 0; i < 2000 && reminders().isEmpty(); i++) {
      dev.waybill.internal.loop.Time.system().sleep(Duration.ofMillis(5));
    }
    assertThat(reminders()).hasSize(1);
  }
}

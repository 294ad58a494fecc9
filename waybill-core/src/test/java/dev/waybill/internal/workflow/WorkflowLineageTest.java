package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.Compensation;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepHandler;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowException.IdempotencyConflict;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowStatus;
import dev.waybill.workflow.Workflows;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What was made of what: it is known as long as the source is, whatever was purged meanwhile. */
@EveryDatabase
@Timeout(180)
class WorkflowLineageTest {
  private static final Scope GLOBAL = Scope.global();

  private static final StepHandler HANDLER =
      step ->
          step.payload().contains("fail")
              ? JobResult.fail("test.failed", "as told")
              : JobResult.success("\"" + step.step() + "\"");

  private final WorkflowBench bench;

  WorkflowLineageTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  /** Declared in another order than they run in. */
  private UUID failed() throws InterruptedException {
    UUID run =
        bench.start(
            WorkflowBench.of(
                Step.job("ship", "t").payload("\"fail\"").after("pay"),
                Step.job("pay", "t").after("reserve"),
                Step.job("reserve", "t"),
                Step.job("thank", "t").after("ship")));
    assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
    return run;
  }

  private static Compensation undo(UUID run) {
    return Compensation.of(GLOBAL, run, "r").undo("reserve", "t").undo("pay", "t").build();
  }

  /** Those that succeeded are kept for a shorter time than those that failed. */
  private void purgeWhatSucceeded() throws Exception {
    bench.age(Duration.ofHours(1));
    assertThat(bench.workflows().purge(WorkflowStatus.SUCCEEDED, Duration.ofMinutes(1), 10))
        .isEqualTo(1);
  }

  @Test
  void aRunIsUndoneOnceAlthoughTheUndoingWasPurged() throws Exception {
    UUID run;
    UUID undoing;
    try (Engine workers = bench.start("t", HANDLER)) {
      run = failed();
      undoing = workers.workflows().compensate(undo(run)).id();
      assertThat(bench.awaitEnd(undoing).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    purgeWhatSucceeded();
    assertThat(bench.workflows().find(GLOBAL, undoing)).isEmpty();
    assertThat(bench.workflows().compensate(undo(run)))
        .isEqualTo(new Started(undoing, Started.Outcome.EXISTING));
    assertThatThrownBy(
            () ->
                bench
                    .workflows()
                    .compensate(Compensation.of(GLOBAL, run, "other").undo("pay", "t").build()))
        .isInstanceOf(IdempotencyConflict.class);
    assertThatThrownBy(() -> bench.workflows().retry(GLOBAL, run, "again"))
        .isInstanceOf(InvalidState.class)
        .hasMessageContaining(undoing.toString());
    assertThat(bench.count("waybill_workflow")).isEqualTo(1);
  }

  @Test
  void aRerunIsOrderedOnceAlthoughItWasPurged() throws Exception {
    UUID source;
    Rerun order;
    UUID again;
    try (Engine workers = bench.start("t", HANDLER)) {
      source = failed();
      order = Rerun.from("ship", GLOBAL, source, "k", "mended").withPayload("1");
      again = workers.workflows().rerun(order).id();
      assertThat(bench.awaitEnd(again).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    purgeWhatSucceeded();
    assertThat(bench.workflows().rerun(order))
        .isEqualTo(new Started(again, Started.Outcome.EXISTING));
    assertThatThrownBy(() -> bench.workflows().rerun(Rerun.all(GLOBAL, source, "k", "other")))
        .isInstanceOf(IdempotencyConflict.class);
    // With the source goes what is known about it.
    bench.age(Duration.ofHours(1));
    bench.workflows().purge(WorkflowStatus.FAILED, Duration.ofMinutes(1), 10);
    assertThat(bench.count("waybill_workflow_change")).isZero();
  }

  @Test
  void whatWasUndoneIsNotTakenOver() throws Exception {
    try (Engine workers = bench.start("t", HANDLER)) {
      UUID run = failed();
      bench.awaitEnd(workers.workflows().compensate(undo(run)).id());
      assertThatThrownBy(() -> workers.workflows().rerun(Rerun.from("ship", GLOBAL, run, "1", "r")))
          .isInstanceOf(InvalidState.class)
          .hasMessageContaining("Rerun all of it");
      UUID again = workers.workflows().rerun(Rerun.all(GLOBAL, run, "2", "r")).id();
      assertThat(bench.awaitEnd(again).status()).isEqualTo(WorkflowStatus.FAILED);
      assertThat(bench.step(again, "pay").run()).isEqualTo(1);
    }
  }

  @Test
  void aRerunIsUndoneInTheOrderOfItsSuccessesAlsoOfThoseItTookOver() throws Exception {
    try (Engine workers = bench.start("t", HANDLER)) {
      UUID source = failed();
      UUID again =
          workers
              .workflows()
              .rerun(Rerun.from("ship", GLOBAL, source, "1", "r").withPayload("1"))
              .id();
      bench.awaitEnd(again);
      // What was taken over ended when it did.
      assertThat(bench.step(again, "pay").finishedAt())
          .isEqualTo(bench.step(source, "pay").finishedAt());
      UUID undoing =
          workers
              .workflows()
              .compensate(
                  Compensation.of(GLOBAL, again, "r")
                      .undo("reserve", "t")
                      .undo("pay", "t")
                      .undo("ship", "t")
                      .build())
              .id();
      assertThat(bench.workflows().steps(GLOBAL, undoing))
          .extracting(StepInfo::key)
          .containsExactly("ship", "pay", "reserve");
    }
  }

  @Test
  void whatARerunTookOverAndUndidIsUndone() throws Exception {
    try (Engine workers = bench.start("t", HANDLER)) {
      Workflows workflows = workers.workflows();
      UUID source = failed();
      UUID again =
          workflows
              .rerun(Rerun.from("ship", GLOBAL, source, "1", "r").withPayload("\"fail\""))
              .id();
      UUID other =
          workflows.rerun(Rerun.from("ship", GLOBAL, source, "2", "r").withPayload("1")).id();
      bench.awaitEnd(again);
      bench.awaitEnd(other);
      UUID undoing = workflows.compensate(undo(again)).id();
      assertUndone(undoing, () -> workflows.compensate(undo(source)));
      assertUndone(undoing, () -> workflows.retry(GLOBAL, source, "r"));
      assertUndone(undoing, () -> workflows.rerun(Rerun.from("ship", GLOBAL, source, "3", "r")));
      assertUndone(undoing, () -> workflows.compensate(undo(other)));
      // What it did itself is another matter.
      UUID rest =
          workflows.compensate(Compensation.of(GLOBAL, other, "r").undo("ship", "t").build()).id();
      assertThat(bench.steps(rest).keySet()).containsExactly("ship");
    }
  }

  @Test
  void whatWasUndoneInTheSourceIsUndoneInARerun() throws Exception {
    try (Engine workers = bench.start("t", HANDLER)) {
      Workflows workflows = workers.workflows();
      UUID source = failed();
      Rerun order = Rerun.from("ship", GLOBAL, source, "1", "r");
      UUID again = workflows.rerun(order).id();
      bench.awaitEnd(again);
      UUID last = workflows.rerun(Rerun.from("ship", GLOBAL, again, "1", "r")).id();
      bench.awaitEnd(last);
      UUID undoing = workflows.compensate(undo(source)).id();
      for (UUID each : List.of(again, last)) {
        assertUndone(undoing, () -> workflows.compensate(undo(each)));
        assertUndone(undoing, () -> workflows.retry(GLOBAL, each, "r"));
        assertUndone(undoing, () -> workflows.rerun(Rerun.from("ship", GLOBAL, each, "2", "r")));
      }
      UUID all = workflows.rerun(Rerun.all(GLOBAL, last, "3", "r")).id();
      bench.awaitEnd(all);
      assertThat(workflows.compensate(undo(all)).outcome()).isEqualTo(Started.Outcome.STARTED);
    }
  }

  private static void assertUndone(UUID undoing, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            InvalidState.class, e -> assertThat(e.code()).isEqualTo("workflow.compensated"))
        .hasMessageContaining(undoing.toString());
  }

  @Test
  void aRerunInWhichNothingWouldRunIsRefused() throws Exception {
    try (Engine workers = bench.start("t", HANDLER)) {
      UUID source = failed();
      assertThat(bench.statuses(source)).containsEntry("thank", StepStatus.SKIPPED);
      assertThatThrownBy(
              () -> workers.workflows().rerun(Rerun.from("thank", GLOBAL, source, "1", "r")))
          .isInstanceOf(InvalidState.class)
          .hasMessageContaining("'thank'");
      assertThat(bench.count("waybill_workflow")).isEqualTo(1);
      // The order was not remembered.
      assertThat(workers.workflows().rerun(Rerun.from("ship", GLOBAL, source, "1", "r")).outcome())
          .isEqualTo(Started.Outcome.STARTED);
    }
  }

  @Test
  void whoeverAppendsAgainInARerunFindsWhatWasAppended() throws Exception {
    StepHandler appending =
        step ->
            JobResult.success()
                .inTransaction(
                    connection -> {
                      if (step.step().equals("plan")) {
                        bench
                            .workflows()
                            .append(
                                connection,
                                Append.to(GLOBAL, step.workflow(), "plan")
                                    .step(Step.job("more", "t").after("plan"))
                                    .build());
                      }
                    });
    try (Engine workers = bench.start("t", appending)) {
      UUID source = bench.start(WorkflowBench.of(Step.job("plan", "t")));
      assertThat(bench.awaitEnd(source).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      UUID again = workers.workflows().rerun(Rerun.all(GLOBAL, source, "1", "r")).id();
      assertThat(bench.awaitEnd(again).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      UUID more = workers.workflows().rerun(Rerun.all(GLOBAL, again, "1", "r")).id();
      assertThat(bench.awaitEnd(more).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.statuses(more)).containsOnlyKeys("plan", "more");
      assertThat(bench.step(more, "plan").attempt()).isEqualTo(1);
    }
  }

  @Test
  void whatWaitsForAnElementIsNotSilentlySkippedInARerun() throws Exception {
    UUID source =
        bench.start(
            WorkflowBench.of(Step.gate("plan"), Step.map("m", "t").over("plan", ""), gate("end")));
    bench.workflows().completeGate(GateCompletion.succeed(GLOBAL, source, "plan", "[1,2]"));
    bench
        .workflows()
        .append(Append.to(GLOBAL, source, "k").step(Step.job("label", "t").after("m[0]")).build());
    try (Engine workers = bench.start("t", HANDLER)) {
      bench.await(source, "label", StepStatus.SUCCEEDED);
      workers.workflows().completeGate(GateCompletion.succeed(GLOBAL, source, "end"));
      bench.awaitEnd(source);
      for (Rerun order :
          List.of(Rerun.all(GLOBAL, source, "1", "r"), Rerun.from("m", GLOBAL, source, "2", "r"))) {
        assertThatThrownBy(() -> workers.workflows().rerun(order))
            .isInstanceOf(InvalidState.class)
            .hasMessageContaining("'label'")
            .hasMessageContaining("'m[0]'");
      }
      UUID behind = workers.workflows().rerun(Rerun.from("m[0]", GLOBAL, source, "3", "r")).id();
      assertThat(bench.awaitEnd(behind).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.step(behind, "label").run()).isEqualTo(1);
    }
  }

  private static Step.Builder gate(String key) {
    return Step.gate(key);
  }

  @Test
  void aRunWhoseChildWasPurgedIsReadAndTriedAgain() throws Exception {
    try (Engine workers = bench.start("t", HANDLER)) {
      UUID run =
          bench.start(
              WorkflowBench.of(
                  Step.workflow(
                      "good", WorkflowBench.of(Step.job("i", "t")).resultStep("i").build()),
                  Step.workflow(
                          "bad", WorkflowBench.of(Step.job("i", "t").payload("\"fail\"")).build())
                      .mayFail(),
                  Step.gate("gate")));
      bench.await(run, "good", StepStatus.SUCCEEDED);
      UUID bad = bench.await(run, "bad", StepStatus.FAILED).child();
      bench.age(Duration.ofHours(1));
      for (WorkflowStatus status : List.of(WorkflowStatus.SUCCEEDED, WorkflowStatus.FAILED)) {
        bench.workflows().purge(status, Duration.ofMinutes(1), 10);
      }
      assertThat(bench.count("waybill_workflow")).isEqualTo(1);
      assertThat(bench.step(run, "good").child()).isNull();
      assertThat(bench.workflows().stepBody(GLOBAL, run, "good").orElseThrow().output())
          .isEqualTo("\"i\"");
      bench.workflows().cancel(GLOBAL, run, "r");
      bench.workflows().retry(GLOBAL, run, "r");
      workers.workflows().wake();
      // It has to begin anew.
      assertThat(bench.await(run, "bad", StepStatus.FAILED).child()).isNotNull().isNotEqualTo(bad);
      assertThat(bench.statuses(run)).containsEntry("good", StepStatus.SUCCEEDED);
    }
  }

  @Test
  void aChildWhoseParentWasPurgedEndsByItself() throws Exception {
    UUID run =
        bench.start(
            WorkflowBench.of(
                Step.workflow("sub", WorkflowBench.of(Step.job("i", "t")).build()).mayFail()));
    UUID child = Objects.requireNonNull(bench.step(run, "sub").child());
    bench.workflows().cancel(GLOBAL, child, "r");
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    bench.workflows().retry(GLOBAL, child, "r");
    purgeWhatSucceeded();
    try (Engine workers = bench.start("t", HANDLER)) {
      assertThat(bench.awaitEnd(child).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.get(child).parent()).isEqualTo(run);
      // It owes nobody anything, and can go, too.
      bench.await(child, info -> tells() == 0);
      assertThat(workers.workflows().find(GLOBAL, run)).isEmpty();
    }
    purgeWhatSucceeded();
    assertThat(bench.count("waybill_workflow_step")).isZero();
    assertThat(bench.count("waybill_job")).isZero();
  }

  private long tells() {
    try {
      return bench.count("waybill_workflow where tell_at is not null");
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}

package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.Append.Outcome;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowException.IdempotencyConflict;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowException.InvalidWorkflow;
import dev.waybill.workflow.WorkflowStatus;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Graphs that grow while they run. */
@EveryDatabase
@Timeout(120)
class WorkflowAppendTest {
  private final WorkflowBench bench;

  WorkflowAppendTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  private static Append.Builder append(UUID run, String key) {
    return Append.to(Scope.global(), run, key);
  }

  private static Step.Builder step(String key) {
    return Step.job(key, "t");
  }

  private void complete(UUID run, String gate, String output) {
    bench.workflows().completeGate(GateCompletion.succeed(Scope.global(), run, gate, output));
  }

  @Test
  void newStepsWaitForOldOnesInWhateverState() {
    UUID run =
        bench.start(
            WorkflowBench.of(Step.gate("done"), Step.gate("bad").mayFail(), Step.gate("open")));
    complete(run, "done", "{\"n\":5}");
    bench.workflows().completeGate(GateCompletion.fail(Scope.global(), run, "bad", "x.y", "no"));
    assertThat(
            bench
                .workflows()
                .append(
                    append(run, "1")
                        .step(step("now").after("done"))
                        .step(step("if").after("done", Condition.at("/n").is("6")))
                        .step(step("never").after("bad"))
                        .step(step("behind").after("never"))
                        .step(step("anyway").afterEnd("behind"))
                        .step(step("later").after("open", "now"))
                        .step(Step.gate("gate2").afterEnd("bad"))
                        .build()))
        .isEqualTo(Outcome.APPENDED);
    assertThat(bench.statuses(run))
        .contains(
            entry("now", StepStatus.ENQUEUED),
            entry("if", StepStatus.SKIPPED),
            entry("never", StepStatus.SKIPPED),
            entry("behind", StepStatus.SKIPPED),
            entry("anyway", StepStatus.ENQUEUED),
            entry("later", StepStatus.BLOCKED),
            entry("gate2", StepStatus.WAITING));
    assertThat(bench.get(run).steps()).isEqualTo(10);
    assertThat(bench.get(run).openSteps()).isEqualTo(5);
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.RUNNING);
  }

  @Test
  void aRepetitionChangesNothingAlsoAfterTheEnd() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.gate("gate")));
    bench.workflows().append(append(run, "k").step(step("a")).step(step("b")).build());
    assertThat(bench.workflows().append(append(run, "k").step(step("b")).step(step("a")).build()))
        .isEqualTo(Outcome.ALREADY);
    assertThatThrownBy(() -> bench.workflows().append(append(run, "k").step(step("c")).build()))
        .isInstanceOf(IdempotencyConflict.class);
    complete(run, "gate", "1");
    try (Engine workers = bench.start("t", step -> JobResult.success())) {
      assertThat(workers).isNotNull();
      bench.awaitEnd(run);
    }
    assertThat(bench.workflows().append(append(run, "k").step(step("a")).step(step("b")).build()))
        .isEqualTo(Outcome.ALREADY);
    assertThatThrownBy(() -> bench.workflows().append(append(run, "l").step(step("x")).build()))
        .isInstanceOf(InvalidState.class);
  }

  @Test
  void whatDoesNotFitTheRunIsRefusedWithAllThatIsWrong() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.gate("gate")));
    assertThatThrownBy(
            () ->
                bench
                    .workflows()
                    .append(
                        append(run, "k").step(step("gate")).step(step("a").after("ghost")).build()))
        .isInstanceOfSatisfying(
            InvalidWorkflow.class,
            refused ->
                assertThat(refused.problems())
                    .extracting("code")
                    .containsExactly(
                        "workflow.invalid_dag_duplicate_step_key",
                        "workflow.invalid_dag_missing_dependency"));
    assertThatThrownBy(
            () -> append(run, "k").step(step("a").after("b")).step(step("b").after("a")).build())
        .isInstanceOf(InvalidWorkflow.class)
        .hasMessageContaining("→");
    assertThatThrownBy(() -> append(run, "k").build()).isInstanceOf(InvalidWorkflow.class);
    assertThat(bench.count("waybill_workflow_step")).isEqualTo(1);
    assertThat(bench.count("waybill_workflow_change")).isZero();
  }

  @Test
  void aStepFansOutOverWhatItFound() throws Exception {
    UUID run = bench.start(WorkflowBench.of(step("find"), step("end").afterEnd("find")));
    try (Engine workers =
        bench.start(
            "t",
            step -> {
              if (!step.step().equals("find")) {
                return JobResult.success("\"" + step.step() + "\"");
              }
              List<Step> items =
                  IntStream.range(0, 20)
                      .mapToObj(i -> step("item/" + i).payload("" + i).after("find").build())
                      .toList();
              Step.Builder collect = step("collect");
              items.forEach(item -> collect.after(item.key()));
              return JobResult.success("20")
                  .inTransaction(
                      connection ->
                          bench
                              .workflows()
                              .append(
                                  connection,
                                  append(run, "items").steps(items).step(collect).build()));
            })) {
      assertThat(workers).isNotNull();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(bench.statuses(run)).hasSize(23).containsEntry("collect", StepStatus.SUCCEEDED);
    assertThat(bench.steps(run).values()).allMatch(step -> step.attempt() == 1);
  }

  @Test
  void manyCostAsManyStatementsAsOne() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.gate("gate")));
    FaultyDataSource counting = new FaultyDataSource(bench.home().dataSource());
    WorkflowBench counted = WorkflowBench.over(bench.home(), counting);
    counting.reset();
    counted
        .workflows()
        .append(append(run, "1").step(step("a").after("gate")).step(step("z")).build());
    long few = counting.counts().statements();
    counting.reset();
    counted
        .workflows()
        .append(
            append(run, "2")
                .steps(
                    IntStream.range(0, 300)
                        .mapToObj(i -> step("s" + i).after("gate").build())
                        .toList())
                .step(step("y"))
                .build());
    assertThat(counting.counts().statements()).isEqualTo(few);
  }
}

package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowPicture;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workflows through the one door that users build. */
@EveryDatabase
@Timeout(120)
class WaybillWorkflowsTest {
  private final TestDatabase database;

  WaybillWorkflowsTest(TestDatabase database) {
    this.database = Migrated.on(database);
  }

  @Test
  void aWorkflowStartedInATransactionRunsWithStepsAndPlainJobs() throws Exception {
    try (Waybill waybill =
        Waybill.builder(database.pool(10))
            .jobs(jobs -> jobs.define(JobDefinition.of("pay"), job -> JobResult.success("42")))
            .workflows(
                workflows ->
                    workflows.step(
                        JobDefinition.of("ship"),
                        step -> JobResult.success(step.input("pay").orElse("0"))))
            .start()) {
      UUID[] run = new UUID[1];
      waybill
          .outbox()
          .inTransaction(
              connection ->
                  run[0] =
                      waybill
                          .workflows()
                          .start(
                              connection,
                              Workflow.of("order")
                                  .step(Step.job("pay", "pay"))
                                  .step(Step.gate("approve").after("pay"))
                                  .step(Step.job("ship", "ship").after("pay", "approve"))
                                  .resultStep("ship")
                                  .build())
                          .id());
      while (waybill.workflows().find(Scope.global(), run[0]).orElseThrow().status()
          != WorkflowStatus.WAITING) {
        waybill.workflows().await(Scope.global(), run[0], Duration.ofMillis(20));
      }
      waybill.workflows().completeGate(GateCompletion.succeed(Scope.global(), run[0], "approve"));
      assertThat(waybill.workflows().await(Scope.global(), run[0], Duration.ofMinutes(1)).status())
          .isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(waybill.workflows().body(Scope.global(), run[0]).orElseThrow().result())
          .isEqualTo("42");
      assertThat(
              WorkflowPicture.of(
                      waybill.workflows().find(Scope.global(), run[0]).orElseThrow(),
                      waybill.workflows().steps(Scope.global(), run[0]))
                  .dot())
          .contains("\"approve\" -> \"ship\"")
          .contains("SUCCEEDED");
    }
  }

  @Test
  void withoutWorkflowsThereIsNoDoor() {
    try (Waybill waybill = Waybill.builder(database.pool(5)).start()) {
      assertThatThrownBy(waybill::workflows)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("workflows(…)");
    }
  }

  @Test
  void aTypeHasOneHandler() {
    Waybill.Builder both =
        Waybill.builder(database.pool(5))
            .jobs(jobs -> jobs.define(JobDefinition.of("x"), job -> JobResult.success()))
            .workflows(
                workflows -> workflows.step(JobDefinition.of("x"), step -> JobResult.success()));
    assertThatThrownBy(both::start)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'x'");
  }
}

package dev.waybill.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Waybill;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.schema.Schema;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import dev.waybill.workflow.Workflows;
import dev.waybill.workflow.WorkflowsBuilder;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** The samples of docs/workflows.md. */
class WorkflowSamplesTest {
  private final SQLiteDataSource dataSource = new SQLiteDataSource();

  WorkflowSamplesTest(@TempDir Path folder) {
    dataSource.setUrl("jdbc:sqlite:" + folder.resolve("orders.db"));
    Schema.migrate(dataSource);
  }

  private static void awaitOpen(Workflows workflows, UUID run, String gate)
      throws InterruptedException {
    while (workflows.steps(Scope.global(), run).stream()
        .noneMatch(step -> step.key().equals(gate) && step.status() == StepStatus.WAITING)) {
      workflows.await(Scope.global(), run, Duration.ofMillis(20));
    }
  }

  @Test
  void theyRun() throws Exception {
    // sample begins
    Workflow order =
        Workflow.of("order")
            .step(Step.job("pay", "pay").payload("{\"amount\": 120}"))
            .step(Step.gate("approve").after("pay", Condition.at("/amount").isGreaterThan("100")))
            .step(Step.job("pack", "pack").after("pay"))
            .step(Step.job("ship", "ship").afterEnd("approve").after("pack"))
            .resultStep("ship")
            .idempotencyKey("order 4711")
            .build();
    // sample ends
    PrintStream terminal = System.out;
    var printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      // sample begins
      try (Waybill waybill =
          Waybill.builder(dataSource)
              .workflows(
                  workflows ->
                      workflows
                          .step(JobDefinition.of("pay"), step -> JobResult.success(step.payload()))
                          .step(
                              JobDefinition.of("pack"), step -> JobResult.success("{\"boxes\": 2}"))
                          .step(
                              JobDefinition.of("ship"),
                              step -> JobResult.success(step.input("pack").orElseThrow()))
                          .keep(WorkflowStatus.SUCCEEDED, Duration.ofDays(30)))
              .start()) {
        UUID run = waybill.workflows().start(order).id();
        awaitOpen(waybill.workflows(), run, "approve");
        waybill
            .workflows()
            .completeGate(GateCompletion.succeed(Scope.global(), run, "approve", "\"fine\""));
        WorkflowInfo ended = waybill.workflows().await(Scope.global(), run, Duration.ofMinutes(1));
        System.out.println(ended.status());
      }
      // sample ends
    } finally {
      System.setOut(terminal);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8)).startsWith("SUCCEEDED");
  }

  @Test
  void mapsRun() throws Exception {
    // sample begins
    Workflow picking =
        Workflow.of("picking")
            .step(Step.job("plan", "plan"))
            .step(Step.map("pick", "pick").over("plan", "/items"))
            .step(Step.job("pack", "pack").after("pick"))
            .resultStep("pack")
            .build();
    Consumer<WorkflowsBuilder> steps =
        workflows ->
            workflows
                .step(
                    JobDefinition.of("plan"),
                    step -> JobResult.success("{\"items\": [\"pen\", \"ink\"]}"))
                // Runs twice: as pick[0] with the payload "pen", and as pick[1] with "ink".
                .step(JobDefinition.of("pick"), step -> JobResult.success(step.payload()))
                // Packs ["pen","ink"].
                .step(
                    JobDefinition.of("pack"),
                    step -> JobResult.success(step.input("pick").orElseThrow()));
    // sample ends
    try (Waybill waybill = Waybill.builder(dataSource).workflows(steps).start()) {
      UUID run = waybill.workflows().start(picking).id();
      waybill.workflows().await(Scope.global(), run, Duration.ofMinutes(1));
      assertThat(waybill.workflows().body(Scope.global(), run).orElseThrow().result())
          .isEqualTo("[\"pen\",\"ink\"]");
    }
  }

  @Test
  void workflowsInWorkflowsRun() throws Exception {
    // sample begins
    Workflow shipping =
        Workflow.of("shipping")
            .step(Step.job("label", "label"))
            .step(Step.job("carrier", "carrier").after("label"))
            .resultStep("carrier")
            .build();
    Workflow delivery =
        Workflow.of("delivery")
            .step(Step.job("pay", "pay"))
            .step(Step.workflow("ship", shipping).inputFrom("pay", "/order"))
            .step(Step.job("thank", "thank").after("ship"))
            .resultStep("ship")
            .build();
    // sample ends
    try (Waybill waybill =
        Waybill.builder(dataSource)
            .workflows(
                workflows ->
                    workflows
                        .step(JobDefinition.of("pay"), step -> JobResult.success("{\"order\": 7}"))
                        .step(JobDefinition.of("label"), step -> JobResult.success())
                        .step(
                            JobDefinition.of("carrier"),
                            step -> JobResult.success(step.workflowInput()))
                        .step(JobDefinition.of("thank"), step -> JobResult.success()))
            .start()) {
      UUID run = waybill.workflows().start(delivery).id();
      WorkflowInfo ended = waybill.workflows().await(Scope.global(), run, Duration.ofMinutes(1));
      assertThat(ended.status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(waybill.workflows().body(Scope.global(), run).orElseThrow().result())
          .isEqualTo("7");
    }
  }
}

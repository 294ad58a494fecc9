package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepHandler;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sub-workflows: steps that are runs of their own. */
@EveryDatabase
@Timeout(120)
class WorkflowNestingTest {
  private static final Scope TENANT = Scope.tenant("acme");

  private final WorkflowBench bench;
  private final Queue<String> ran = new ConcurrentLinkedQueue<>();

  WorkflowNestingTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  private StepHandler echo(String... failing) {
    return step -> {
      ran.add(step.step());
      return List.of(failing).contains(step.step())
          ? JobResult.fail("test.failed", "as told")
          : JobResult.success("{\"of\":\"" + step.step() + "\"}");
    };
  }

  private UUID start(Workflow.Builder workflow) {
    return bench.workflows().start(workflow.scope(TENANT).build()).id();
  }

  private UUID child(UUID run, String step) {
    return Objects.requireNonNull(bench.step(run, step).child(), step);
  }

  private @Nullable String output(UUID run, String step) {
    return bench.workflows().stepBody(TENANT, run, step).orElseThrow().output();
  }

  private void complete(UUID run, String gate, String output) {
    bench.workflows().completeGate(GateCompletion.succeed(TENANT, run, gate, output));
  }

  /** A gate, and a job behind it whose output is the result. */
  private static Workflow inner() {
    return Workflow.of("inner")
        .input("{\"own\":1}")
        .attribute("kind", "inner")
        .step(Step.gate("open").token("secret"))
        .step(Step.job("work", "t").after("open").priority(4))
        .resultStep("work")
        .build();
  }

  @Test
  void aRunOfItsOwnThatEndsItsStep() throws Exception {
    UUID run =
        start(
            WorkflowBench.of(
                    Step.gate("plan"),
                    Step.workflow("sub", inner()).inputFrom("plan", "/order"),
                    Step.job("last", "t").after("sub", Condition.at("/of").is("\"work\"")))
                .resultStep("sub"));
    assertThat(bench.step(run, "sub").child()).isNull();
    complete(run, "plan", "{\"order\":{\"no\":7}}");
    UUID child = child(run, "sub");
    WorkflowInfo info = bench.get(child);
    assertThat(info.parent()).isEqualTo(run);
    assertThat(info.parentStep()).isEqualTo("sub");
    assertThat(info.type()).isEqualTo("inner");
    assertThat(info.scope()).isEqualTo(TENANT);
    assertThat(info.status()).isEqualTo(WorkflowStatus.WAITING);
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.RUNNING);
    assertThat(bench.step(run, "sub").status()).isEqualTo(StepStatus.RUNNING);
    assertThat(bench.workflows().body(TENANT, child).orElseThrow().input()).isEqualTo("{\"no\":7}");
    assertThat(bench.workflows().attributes(TENANT, child)).containsEntry("kind", "inner");
    bench
        .workflows()
        .completeGate(GateCompletion.succeed(TENANT, child, "open").withToken("secret"));
    try (Engine workers = bench.start("t", echo())) {
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(bench.get(child).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    assertThat(output(run, "sub")).isEqualTo("{\"of\":\"work\"}");
    assertThat(ran).containsExactly("work", "last");
    assertThat(bench.workflows().stepBody(TENANT, run, "sub").orElseThrow().payload())
        .isEqualTo("{}");
    assertThat(bench.count("waybill_workflow where tell_at is not null")).isZero();
  }

  @Test
  void workflowsInWorkflowsBeginTogether() throws Exception {
    Workflow innermost = Workflow.of("c").step(Step.job("x", "t")).resultStep("x").build();
    Workflow middle =
        Workflow.of("b").step(Step.workflow("down", innermost)).resultStep("down").build();
    UUID run = start(WorkflowBench.of(Step.workflow("top", middle)).resultStep("top"));
    UUID b = child(run, "top");
    UUID c = child(b, "down");
    assertThat(bench.statuses(c)).containsEntry("x", StepStatus.ENQUEUED);
    try (Engine workers = bench.start("t", echo())) {
      workers.workflows().wake();
      bench.awaitEnd(run);
    }
    assertThat(bench.get(c).parent()).isEqualTo(b);
    assertThat(bench.workflows().body(TENANT, run).orElseThrow().result())
        .isEqualTo("{\"of\":\"x\"}");
    assertThat(bench.get(b).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
  }

  @Test
  void itsFailureIsTheStepsAndARetryGoesOnWhereItFailed() throws Exception {
    Workflow inner =
        Workflow.of("inner")
            .step(Step.job("one", "t"))
            .step(Step.job("two", "t").after("one"))
            .build();
    UUID run =
        start(WorkflowBench.of(Step.workflow("sub", inner), Step.job("last", "t").after("sub")));
    UUID child = child(run, "sub");
    try (Engine workers = bench.start("t", echo("two"))) {
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
    }
    assertThat(bench.step(run, "sub").errorCode()).isEqualTo(Parents.CHILD_FAILED);
    assertThat(bench.step(run, "sub").errorMessage()).contains(child.toString());
    assertThat(bench.statuses(run)).containsEntry("last", StepStatus.SKIPPED);
    ran.clear();
    bench.workflows().retry(TENANT, run, "mended");
    assertThat(bench.get(child).status()).isEqualTo(WorkflowStatus.RUNNING);
    try (Engine workers = bench.start("t", echo())) {
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(ran).containsExactly("two", "last");
    assertThat(child(run, "sub")).isEqualTo(child);
  }

  @Test
  void aRetryFindsARunThatGoesOnAlready() throws Exception {
    Workflow inner = WorkflowBench.of(Step.gate("open"), Step.gate("then").after("open")).build();
    UUID run = start(WorkflowBench.of(Step.workflow("sub", inner), Step.gate("last").after("sub")));
    UUID child = child(run, "sub");
    bench.workflows().completeGate(GateCompletion.fail(TENANT, child, "open", "c", "m"));
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.FAILED);
    bench.workflows().retry(TENANT, child, "mended");
    assertThat(bench.get(child).status()).isEqualTo(WorkflowStatus.WAITING);
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.FAILED);
    complete(child, "open", "1");
    bench.workflows().retry(TENANT, run, "mended");
    assertThat(bench.statuses(child)).containsEntry("open", StepStatus.SUCCEEDED);
    assertThat(bench.step(run, "sub").status()).isEqualTo(StepStatus.RUNNING);
    complete(child, "then", "1");
    assertThat(bench.step(run, "sub").status()).isEqualTo(StepStatus.SUCCEEDED);
    complete(run, "last", "1");
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    WorkflowInvariants.hold(bench.home());
  }

  @Test
  void aRerunStartsAnotherOne() throws Exception {
    Workflow inner = Workflow.of("inner").step(Step.job("one", "t")).resultStep("one").build();
    UUID run =
        start(WorkflowBench.of(Step.job("first", "t"), Step.workflow("sub", inner).after("first")));
    try (Engine workers = bench.start("t", echo())) {
      workers.workflows().wake();
      bench.awaitEnd(run);
      ran.clear();
      UUID again = bench.workflows().rerun(Rerun.from("sub", TENANT, run, "k", "again")).id();
      assertThat(bench.awaitEnd(again).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(ran).containsExactly("one");
      assertThat(child(again, "sub")).isNotEqualTo(child(run, "sub"));
    }
  }

  @Test
  void whoeverCancelsARunCancelsThoseItStarted() throws Exception {
    Workflow middle =
        Workflow.of("b").step(Step.workflow("down", inner())).step(Step.job("x", "t")).build();
    UUID run =
        start(WorkflowBench.of(Step.workflow("top", middle), Step.workflow("side", inner())));
    UUID b = child(run, "top");
    UUID c = child(b, "down");
    bench.workflows().cancel(TENANT, run, "no");
    for (UUID each : new UUID[] {run, b, c, child(run, "side")}) {
      assertThat(bench.get(each).status()).isEqualTo(WorkflowStatus.CANCELED);
      assertThat(bench.get(each).openSteps()).isZero();
    }
    assertThat(bench.count("waybill_job where status < 3")).isZero();
    assertThat(bench.count("waybill_workflow where tell_at is not null")).isZero();
    bench.workflows().retry(TENANT, run, "yes");
    assertThat(bench.get(c).status()).isEqualTo(WorkflowStatus.WAITING);
    assertThat(bench.statuses(b)).containsEntry("x", StepStatus.ENQUEUED);
  }

  @Test
  void aRunThatIsCanceledCancelsItsStepOnly() throws Exception {
    UUID run =
        start(WorkflowBench.of(Step.workflow("sub", inner()), Step.gate("rescue").afterEnd("sub")));
    bench.workflows().cancel(TENANT, child(run, "sub"), "no");
    assertThat(bench.statuses(run))
        .containsEntry("sub", StepStatus.CANCELED)
        .containsEntry("rescue", StepStatus.WAITING);
    assertThat(bench.step(run, "sub").reason()).isEqualTo("no");
  }

  @Test
  void withoutItsInputItFails() throws Exception {
    UUID run =
        start(
            WorkflowBench.of(
                Step.gate("plan"), Step.workflow("sub", inner()).inputFrom("plan", "/no")));
    complete(run, "plan", "{}");
    assertThat(bench.step(run, "sub").errorCode()).isEqualTo(Expansion.INPUT_MISSING);
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.FAILED);
    assertThat(bench.count("waybill_workflow")).isEqualTo(1);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "there is one writer at a time")
  void aParentThatSomebodyHoldsIsToldLater() throws Exception {
    UUID run = start(WorkflowBench.of(Step.workflow("sub", gate())));
    UUID child = child(run, "sub");
    try (Connection other = bench.home().connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.executeQuery("select id from waybill_workflow where parent_id is null for update");
      // It does not wait for whoever holds its parent.
      complete(child, "open", "1");
      assertThat(bench.get(child).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.step(run, "sub").status()).isEqualTo(StepStatus.RUNNING);
      assertThat(bench.workflows().purge(WorkflowStatus.SUCCEEDED, Duration.ZERO, 10)).isZero();
      other.rollback();
    }
    try (Engine workers = bench.start("t", echo())) {
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(output(run, "sub")).isEqualTo("1");
    assertThat(bench.count("waybill_workflow where tell_at is not null")).isZero();
    assertThat(bench.workflows().purge(WorkflowStatus.SUCCEEDED, Duration.ZERO, 10)).isEqualTo(2);
  }

  private static Workflow gate() {
    return Workflow.of("inner").step(Step.gate("open")).resultStep("open").build();
  }
}

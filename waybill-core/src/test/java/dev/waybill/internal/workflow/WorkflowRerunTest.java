package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepHandler;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowException.IdempotencyConflict;
import dev.waybill.workflow.WorkflowException.InvalidArgument;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowException.NotFound;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
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

/** Ended runs that run once more as new ones. */
@EveryDatabase
@Timeout(180)
class WorkflowRerunTest {
  /** Says what it was given. */
  private static final StepHandler ECHO =
      step ->
          step.payload().contains("fail")
              ? JobResult.fail("test.failed", "as told")
              : JobResult.success(
                  "{\"payload\":%s,\"inputs\":%d}".formatted(step.payload(), step.inputs().size()));

  private final WorkflowBench bench;

  WorkflowRerunTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  private static Step.Builder step(String key) {
    return Step.job(key, "t").payload("\"" + key + "\"");
  }

  /** A run that failed in the middle, with a step that was appended. */
  private UUID failed(Engine workers) throws InterruptedException {
    UUID run =
        bench.start(
            WorkflowBench.of(
                    Step.gate("gate"),
                    step("a").after("gate"),
                    step("b").after("a").payload("\"fail\""),
                    step("c").after("b"),
                    step("other").after("a"))
                .input("[7]")
                .attribute("customer", "x")
                .idempotencyKey("k")
                .activeKey("active")
                .resultStep("c"));
    workers
        .workflows()
        .append(Append.to(Scope.global(), run, "more").step(step("d").after("c", "other")).build());
    workers.workflows().completeGate(GateCompletion.succeed(Scope.global(), run, "gate", "1"));
    assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
    return run;
  }

  @Test
  void everythingAnew() throws Exception {
    try (Engine workers = bench.start("t", ECHO)) {
      UUID source = failed(workers);
      Started again =
          workers.workflows().rerun(Rerun.all(Scope.global(), source, "1", "once more"));
      assertThat(again.outcome()).isEqualTo(Started.Outcome.STARTED);
      assertThat(bench.get(again.id()))
          .satisfies(
              run -> {
                assertThat(run.source()).isEqualTo(source);
                assertThat(run.sourceStep()).isNull();
                assertThat(run.idempotencyKey()).isNull();
                assertThat(run.activeKey()).isEqualTo("active");
                assertThat(run.steps()).isEqualTo(6);
                assertThat(run.openSteps()).isEqualTo(6);
                assertThat(run.status()).isEqualTo(WorkflowStatus.WAITING);
              });
      assertThat(bench.workflows().attributes(Scope.global(), again.id()))
          .containsEntry("customer", "x");
      workers
          .workflows()
          .completeGate(GateCompletion.succeed(Scope.global(), again.id(), "gate", "2"));
      assertThat(bench.awaitEnd(again.id()).status()).isEqualTo(WorkflowStatus.FAILED);
      assertThat(bench.statuses(again.id())).isEqualTo(bench.statuses(source));
    }
  }

  @Test
  void fromAStepOnWithAnotherPayload() throws Exception {
    UUID source;
    UUID again;
    try (Engine workers = bench.start("t", ECHO)) {
      source = failed(workers);
      again =
          workers
              .workflows()
              .rerun(Rerun.from("b", Scope.global(), source, "1", "mended").withPayload("\"fine\""))
              .id();
      assertThat(bench.awaitEnd(again).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.statuses(again))
          .containsExactly(
              entry("gate", StepStatus.SUCCEEDED),
              entry("a", StepStatus.SUCCEEDED),
              entry("b", StepStatus.SUCCEEDED),
              entry("c", StepStatus.SUCCEEDED),
              entry("other", StepStatus.SUCCEEDED),
              entry("d", StepStatus.SUCCEEDED));
      // 'a' was taken over, with its output, which 'b' has seen.
      assertThat(bench.step(again, "a").run()).isZero();
      assertThat(bench.workflows().stepBody(Scope.global(), again, "b"))
          .hasValueSatisfying(
              body -> {
                assertThat(body.payload()).isEqualTo("\"fine\"");
                assertThat(body.output()).contains("fine").contains("\"inputs\":1");
              });
      assertThat(bench.workflows().body(Scope.global(), again))
          .hasValueSatisfying(
              body -> {
                assertThat(body.input()).isEqualTo("[7]");
                assertThat(body.result()).contains("\"c\"");
              });
      assertThat(bench.get(again).sourceStep()).isEqualTo("b");
      assertThat(bench.get(source).status()).isEqualTo(WorkflowStatus.FAILED);
    }
    // The source can be purged; where the rerun comes from stays known. Nobody works any more who
    // could have it locked: a purge leaves such a run to the next one.
    bench.age(Duration.ofHours(1));
    assertThat(bench.workflows().purge(WorkflowStatus.FAILED, Duration.ofMinutes(1), 10))
        .isEqualTo(1);
    assertThat(bench.get(again).source()).isEqualTo(source);
    assertThat(bench.get(again))
        .extracting(WorkflowInfo::status)
        .isEqualTo(WorkflowStatus.SUCCEEDED);
  }

  @Test
  void aRepetitionFindsTheRerunAndAContradictionIsRefused() throws Exception {
    try (Engine workers = bench.start("t", ECHO)) {
      UUID source = failed(workers);
      Rerun order = Rerun.from("b", Scope.global(), source, "k", "r").withPayload("{\"n\":1}");
      ExecutorService threads = Executors.newFixedThreadPool(4);
      try {
        List<Callable<Started>> calls =
            IntStream.range(0, 8)
                .mapToObj(i -> (Callable<Started>) () -> workers.workflows().rerun(order))
                .toList();
        int made = 0;
        for (Future<Started> each : threads.invokeAll(calls)) {
          made += each.get().isNew() ? 1 : 0;
        }
        assertThat(made).isEqualTo(1);
      } finally {
        threads.shutdownNow();
      }
      assertThat(
              workers
                  .workflows()
                  .rerun(
                      Rerun.from("b", Scope.global(), source, "k", "r")
                          .withPayload("{ \"n\" : 1.0 }"))
                  .outcome())
          .isEqualTo(Started.Outcome.EXISTING);
      assertThatThrownBy(
              () -> workers.workflows().rerun(Rerun.all(Scope.global(), source, "k", "r")))
          .isInstanceOf(IdempotencyConflict.class)
          .hasMessageContaining("from_step");
    }
  }

  @Test
  void whatCannotRunOnceMoreIsRefused() throws Exception {
    UUID open = bench.start(WorkflowBench.of(Step.gate("gate")).activeKey("active"));
    assertThatThrownBy(() -> bench.workflows().rerun(Rerun.all(Scope.global(), open, "1", "r")))
        .isInstanceOf(InvalidState.class);
    assertThatThrownBy(() -> bench.workflows().rerun(Rerun.all(Scope.tenant("x"), open, "1", "r")))
        .isInstanceOf(NotFound.class);
    bench.workflows().cancel(Scope.global(), open, "end");
    assertThatThrownBy(
            () -> bench.workflows().rerun(Rerun.from("nobody", Scope.global(), open, "1", "r")))
        .isInstanceOf(NotFound.class);
    assertThatThrownBy(
            () ->
                bench
                    .workflows()
                    .rerun(Rerun.from("gate", Scope.global(), open, "1", "r").withPayload("{")))
        .isInstanceOf(InvalidArgument.class);
    bench.start(WorkflowBench.of(Step.gate("gate")).activeKey("active"));
    assertThatThrownBy(() -> bench.workflows().rerun(Rerun.all(Scope.global(), open, "1", "r")))
        .isInstanceOf(InvalidState.class)
        .hasMessageContaining("active key");
    assertThat(bench.count("waybill_workflow")).isEqualTo(2);
  }
}

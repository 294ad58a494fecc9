package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.store.WorkflowRunStore;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException.IdempotencyConflict;
import dev.waybill.workflow.WorkflowStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Keys while runs grow, run and end. */
@EveryDatabase
@Timeout(180)
class WorkflowKeysTest {
  private static final Scope GLOBAL = Scope.global();
  private static final int THREADS = 4;
  private static final int STARTS = 25;

  private final WorkflowBench bench;

  WorkflowKeysTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  private static Append append(UUID run, String payload) {
    return Append.to(GLOBAL, run, "more").step(Step.job("x", "t").payload(payload)).build();
  }

  @Test
  void aRequestIsTheSameWhateverWasAppendedAndHoweverItEnded() {
    Workflow keyed = WorkflowBench.of(Step.gate("gate")).idempotencyKey("k").build();
    UUID run = bench.workflows().start(keyed).id();
    Started same = new Started(run, Started.Outcome.EXISTING);
    assertThat(bench.workflows().append(append(run, "{\"n\":1}")))
        .isEqualTo(Append.Outcome.APPENDED);
    assertThat(bench.workflows().start(keyed)).isEqualTo(same);
    assertThat(bench.workflows().append(append(run, "{ \"n\" : 1.00 }")))
        .isEqualTo(Append.Outcome.ALREADY);
    assertThatThrownBy(() -> bench.workflows().append(append(run, "{\"n\":2}")))
        .isInstanceOf(IdempotencyConflict.class);
    bench.workflows().cancel(GLOBAL, run, "r");
    assertThat(bench.workflows().start(keyed)).isEqualTo(same);
    bench.workflows().retry(GLOBAL, run, "r");
    assertThat(bench.workflows().start(keyed)).isEqualTo(same);
    assertThat(bench.statuses(run)).containsOnlyKeys("gate", "x");
  }

  @Test
  void nullIsAPayloadAndAnOutput() throws Exception {
    try (Engine workers = bench.start("t", step -> JobResult.success(step.payload()))) {
      UUID run =
          bench.start(
              WorkflowBench.of(Step.job("a", "t").payload("null"), Step.gate("g"))
                  .input("null")
                  .resultStep("a"));
      workers.workflows().completeGate(GateCompletion.succeed(GLOBAL, run, "g", "null"));
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(workers.workflows().body(GLOBAL, run).orElseThrow().result()).isEqualTo("null");
      assertThat(workers.workflows().stepBody(GLOBAL, run, "g").orElseThrow().output())
          .isEqualTo("null");
      assertThat(
              workers.workflows().completeGate(GateCompletion.succeed(GLOBAL, run, "g", " null")))
          .isEqualTo(GateCompletion.Outcome.ALREADY);
    }
  }

  /** Whoever starts while another ends gets a run of his own, or that one; one of them runs. */
  @Test
  void anActiveKeyIsHandedOnFromEndToStart() throws Exception {
    Workflow active = WorkflowBench.of(Step.gate("gate")).activeKey("one").build();
    AtomicInteger made = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<Boolean>> calls = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        calls.add(
            () -> {
              for (int n = 0; n < STARTS; n++) {
                Started started = bench.workflows().start(active);
                if (started.isNew()) {
                  made.incrementAndGet();
                  bench
                      .workflows()
                      .completeGate(GateCompletion.succeed(GLOBAL, started.id(), "gate"));
                }
              }
              return true;
            });
      }
      for (Future<Boolean> each : threads.invokeAll(calls)) {
        assertThat(each.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(made.get()).isPositive();
    assertThat(bench.count("waybill_workflow where status = 2")).isEqualTo(made.get());
    bench.database().transact(tx -> WorkflowRunStore.in(tx).unhold());
    assertThat(bench.count("waybill_workflow where active_hash is not null")).isZero();
    assertThat(bench.workflows().start(active).outcome()).isEqualTo(Started.Outcome.STARTED);
    WorkflowInvariants.hold(bench.home());
  }
}

package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Compensation;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepHandler;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.WorkflowException.DefinitionUnavailable;
import dev.waybill.workflow.WorkflowException.IdempotencyConflict;
import dev.waybill.workflow.WorkflowException.InvalidArgument;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowException.InvalidWorkflow;
import dev.waybill.workflow.WorkflowException.NotFound;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a run did is undone by another, the last success first. */
@EveryDatabase
@Timeout(180)
class WorkflowCompensationTest {
  private static final Scope GLOBAL = Scope.global();

  private final TestDatabase database;
  private final WorkflowBench bench;
  private final List<String> done = new CopyOnWriteArrayList<>();
  private final AtomicBoolean refuse = new AtomicBoolean();

  /** Does what a step says, fails if told to, and undoes. */
  private final StepHandler handler =
      step -> {
        if (step.payload().contains("fail") && step.inputs().containsKey("reserve")) {
          return JobResult.fail("test.failed", "as told");
        }
        if (step.payload().contains("\"step\"")) {
          if (refuse.get()) {
            return JobResult.fail("test.refused", "not now");
          }
          done.add(step.payload());
        }
        return JobResult.success("{\"of\":\"" + step.step() + "\"}");
      };

  WorkflowCompensationTest(TestDatabase given) {
    this.database = Migrated.on(given);
    this.bench = WorkflowBench.on(database, "t");
  }

  private static Step.Builder step(String key) {
    return Step.job(key, "t").payload("{\"for\":\"" + key + "\"}");
  }

  /** Reserved, then paid and packed after an approval, then shipping failed. */
  private UUID failed(Engine workers) throws InterruptedException {
    UUID run =
        bench.start(
            WorkflowBench.of(
                    step("reserve"),
                    Step.gate("approve").after("reserve"),
                    step("pay").after("approve"),
                    step("ship").after("pay", "reserve").payload("\"fail\""),
                    step("thank").after("ship"))
                .input("[7]")
                .attribute("customer", "x")
                .activeKey("order"));
    bench.await(run, WorkflowStatus.WAITING);
    workers.workflows().completeGate(GateCompletion.succeed(GLOBAL, run, "approve", "1"));
    assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
    return run;
  }

  private static Compensation order(UUID run) {
    return Compensation.of(GLOBAL, run, "carrier is gone")
        .undo("reserve", "t")
        .undo("pay", "t")
        .undo("ship", "t")
        .undo("thank", "t")
        .build();
  }

  @Test
  void whatWasUndoneDoesNotGoOn() throws Exception {
    try (Engine workers = bench.start("t", handler)) {
      UUID run = failed(workers);
      UUID undoing = workers.workflows().compensate(order(run)).id();
      bench.awaitEnd(undoing);
      assertThatThrownBy(() -> workers.workflows().retry(GLOBAL, run, "again"))
          .isInstanceOf(InvalidState.class)
          .hasMessageContaining(undoing.toString());
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
    }
  }

  @Test
  void whatSucceededIsUndoneInReverseOrder() throws Exception {
    try (Engine workers = bench.start("t", handler)) {
      UUID run = failed(workers);
      Started undoing = workers.workflows().compensate(order(run));
      assertThat(undoing.outcome()).isEqualTo(Started.Outcome.STARTED);
      WorkflowInfo ended = bench.awaitEnd(undoing.id());
      assertThat(ended.status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(ended.source()).isEqualTo(run);
      assertThat(ended.activeKey()).isNull();
      assertThat(done)
          .containsExactly(
              "{\"output\":{\"of\":\"pay\"},\"payload\":{\"for\":\"pay\"},\"step\":\"pay\"}",
              "{\"output\":{\"of\":\"reserve\"},\"payload\":{\"for\":\"reserve\"},\"step\":\"reserve\"}");
      assertThat(bench.workflows().steps(GLOBAL, undoing.id()))
          .extracting(StepInfo::key)
          .containsExactly("pay", "reserve");
      assertThat(bench.workflows().attributes(GLOBAL, undoing.id()))
          .containsExactlyInAnyOrderEntriesOf(
              Map.of("customer", "x", Compensation.ATTRIBUTE, run.toString()));
      assertThat(
              bench
                  .workflows()
                  .list(
                      WorkflowFilter.in(GLOBAL)
                          .withAttribute(Compensation.ATTRIBUTE, run.toString())))
          .extracting(WorkflowInfo::id)
          .containsExactly(undoing.id());
      assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.FAILED);
    }
  }

  @Test
  void aRunIsCompensatedOnce() throws Exception {
    try (Engine workers = bench.start("t", handler)) {
      UUID run = failed(workers);
      Started first = workers.workflows().compensate(order(run));
      Started second = workers.workflows().compensate(order(run));
      assertThat(second).isEqualTo(new Started(first.id(), Started.Outcome.EXISTING));
      assertThatThrownBy(
              () ->
                  workers
                      .workflows()
                      .compensate(
                          Compensation.of(GLOBAL, run, "carrier is gone").undo("pay", "t").build()))
          .isInstanceOf(IdempotencyConflict.class)
          .hasMessageContaining("undo");
      bench.awaitEnd(first.id());
      assertThat(done).hasSize(2);
    }
  }

  @Test
  void anUndoingThatFailsStopsAndGoesOnWhenRetried() throws Exception {
    try (Engine workers = bench.start("t", handler)) {
      UUID run = failed(workers);
      refuse.set(true);
      UUID undoing = workers.workflows().compensate(order(run)).id();
      assertThat(bench.awaitEnd(undoing).status()).isEqualTo(WorkflowStatus.FAILED);
      assertThat(done).isEmpty();
      refuse.set(false);
      workers.workflows().retry(GLOBAL, undoing, "again");
      assertThat(bench.awaitEnd(undoing).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(done).hasSize(2);
    }
  }

  @Test
  void inTheCallersTransactionOrNotAtAll() throws Exception {
    try (Engine workers = bench.start("t", handler)) {
      UUID run = failed(workers);
      try (Connection connection = database.dataSource().getConnection()) {
        connection.setAutoCommit(false);
        workers.workflows().compensate(connection, order(run));
        connection.rollback();
      }
      assertThat(workers.workflows().compensate(order(run)).outcome())
          .isEqualTo(Started.Outcome.STARTED);
    }
  }

  @Test
  void whatCannotBeUndoneIsRefusedAndNothingIsLeftBehind() throws Exception {
    try (Engine workers = bench.start("t", handler)) {
      UUID waiting = bench.start(WorkflowBench.of(Step.gate("g"), step("a").after("g")));
      assertThatThrownBy(() -> workers.workflows().compensate(undo(waiting, "a", "t")))
          .isInstanceOf(InvalidState.class)
          .hasMessageContaining("only what has ended");
      workers.workflows().cancel(GLOBAL, waiting, "enough");
      assertThatThrownBy(() -> workers.workflows().compensate(undo(waiting, "a", "t")))
          .isInstanceOf(InvalidState.class)
          .hasMessageContaining("None of the steps");
      assertThatThrownBy(() -> workers.workflows().compensate(undo(waiting, "nosuch", "t")))
          .isInstanceOf(NotFound.class);
      UUID run = failed(workers);
      assertThatThrownBy(() -> workers.workflows().compensate(undo(run, "pay", "undefined")))
          .isInstanceOf(DefinitionUnavailable.class);
      assertThatThrownBy(
              () ->
                  workers
                      .workflows()
                      .compensate(
                          Compensation.of(Scope.tenant("other"), run, "r")
                              .undo("pay", "t")
                              .build()))
          .isInstanceOf(NotFound.class);
      assertThat(workers.workflows().compensate(undo(run, "pay", "t")).outcome())
          .isEqualTo(Started.Outcome.STARTED);
    }
  }

  private static Compensation undo(UUID run, String step, String type) {
    return Compensation.of(GLOBAL, run, "reason").undo(step, type).build();
  }

  @Test
  void anOrderIsCheckedBeforeAnything() {
    UUID run = UUID.randomUUID();
    assertThatThrownBy(() -> Compensation.of(GLOBAL, run, "reason").build())
        .isInstanceOf(InvalidArgument.class)
        .hasMessageContaining("at least one step");
    assertThatThrownBy(() -> Compensation.of(GLOBAL, run, " ").undo("a", "t").build())
        .isInstanceOf(InvalidArgument.class)
        .hasMessageContaining("reason");
    assertThatThrownBy(() -> undo(run, "a", "no name"))
        .isInstanceOf(InvalidWorkflow.class)
        .hasMessageContaining("'no name'");
  }
}

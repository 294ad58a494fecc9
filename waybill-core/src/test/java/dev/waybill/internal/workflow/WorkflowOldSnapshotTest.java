package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.Compensation;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException.GateConflict;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A caller's transaction that looked at something before all that follows happened: it judges what
 * there is, not what it saw.
 */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.SQLITE},
    why = "they refuse a transaction that would change what it cannot see")
@Timeout(60)
class WorkflowOldSnapshotTest {
  private static final Scope GLOBAL = Scope.global();

  private final WorkflowBench bench;
  private Connection caller;

  WorkflowOldSnapshotTest(TestDatabase database) throws SQLException {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
    this.caller = bench.home().connect();
  }

  @BeforeEach
  void begin() throws SQLException {
    caller.setAutoCommit(false);
    caller.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
  }

  @AfterEach
  void end() throws SQLException {
    caller.close();
  }

  /** Whatever is committed from now on the caller does not see. */
  private void look() throws SQLException {
    try (Statement statement = caller.createStatement()) {
      for (String table : List.of("workflow", "workflow_step", "job", "job_definition")) {
        statement.executeQuery("select count(*) from waybill_" + table).close();
      }
    }
  }

  private void complete(UUID run, String gate, String output) {
    bench.workflows().completeGate(GateCompletion.succeed(GLOBAL, run, gate, output));
  }

  @Test
  void whoeverCancelsLearnsHowTheRunEnded() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.gate("g")));
    look();
    UUID since = bench.start(WorkflowBench.of(Step.gate("g")));
    complete(run, "g", "1");
    complete(since, "g", "1");
    WorkflowInfo info = bench.workflows().cancel(caller, GLOBAL, run, "late");
    assertThat(info.status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    assertThat(info.finishedAt()).isNotNull();
    assertThat(bench.workflows().cancel(caller, GLOBAL, since, "late").status())
        .isEqualTo(WorkflowStatus.SUCCEEDED);
    caller.commit();
  }

  @Test
  void whatSucceededSinceIsUndoneInTheReverseOrder() throws Exception {
    UUID run =
        bench.start(
            WorkflowBench.of(
                    Step.gate("b").after("a"),
                    Step.gate("a"),
                    Step.map("m", "t").over("b", ""),
                    Step.gate("z").after("m"))
                .attribute("customer", "x"));
    look();
    complete(run, "a", "1");
    complete(run, "b", "[1,2]");
    try (Engine workers = bench.start("t", step -> JobResult.success())) {
      workers.workflows().wake();
      bench.await(run, "z", StepStatus.WAITING);
    }
    bench.workflows().completeGate(GateCompletion.fail(GLOBAL, run, "z", "c", "m"));
    UUID undoing = undo(run);
    assertThat(bench.steps(undoing)).hasSize(4);
    assertThat(List.copyOf(bench.steps(undoing).keySet()).subList(2, 4)).containsExactly("b", "a");
  }

  @Test
  void aRunThatBeganSinceIsUndone() throws Exception {
    look();
    UUID run =
        bench.start(
            WorkflowBench.of(Step.gate("b").after("a"), Step.gate("a"))
                .input("[7]")
                .attribute("customer", "x"));
    complete(run, "a", "1");
    complete(run, "b", "2");
    UUID undoing = undo(run);
    assertThat(bench.steps(undoing).keySet()).containsExactly("b", "a");
    assertThat(bench.workflows().attributes(GLOBAL, undoing)).containsEntry("customer", "x");
    assertThat(bench.workflows().body(GLOBAL, undoing).orElseThrow().input()).isEqualTo("[7]");
  }

  private UUID undo(UUID run) throws SQLException {
    Compensation.Builder order = Compensation.of(GLOBAL, run, "crash");
    bench.steps(run).keySet().stream()
        .filter(key -> !key.contains("[") && !key.equals("z"))
        .forEach(key -> order.undo(key, "t"));
    UUID undoing = bench.workflows().compensate(caller, order.build()).id();
    caller.commit();
    return undoing;
  }

  @Test
  void aTypeThatIsDefinedSinceIsKnown() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.gate("g")));
    look();
    bench.jobs().syncDefinitions(List.of(WorkflowBench.definition("new")));
    Step.Builder step = Step.job("a", "new");
    UUID started = bench.workflows().start(caller, WorkflowBench.of(step).build()).id();
    bench.workflows().append(caller, Append.to(GLOBAL, run, "k").step(step).build());
    caller.commit();
    assertThat(bench.statuses(started)).containsEntry("a", StepStatus.ENQUEUED);
    assertThat(bench.statuses(run)).containsEntry("a", StepStatus.ENQUEUED);
  }

  @Test
  void keysBelongToWhoeverHasThemNow() throws Exception {
    Workflow ended = WorkflowBench.of(Step.gate("g")).activeKey("k").build();
    Workflow active = WorkflowBench.of(Step.gate("g")).activeKey("l").build();
    Workflow same = WorkflowBench.of(Step.gate("g")).idempotencyKey("i").build();
    UUID before = bench.workflows().start(ended).id();
    look();
    complete(before, "g", "1");
    UUID first = bench.workflows().start(active).id();
    UUID second = bench.workflows().start(same).id();
    assertThat(bench.workflows().start(caller, ended).outcome()).isEqualTo(Started.Outcome.STARTED);
    assertThat(bench.workflows().start(caller, active))
        .isEqualTo(new Started(first, Started.Outcome.ACTIVE));
    assertThat(bench.workflows().start(caller, same))
        .isEqualTo(new Started(second, Started.Outcome.EXISTING));
    caller.commit();
  }

  @Test
  void whatIsAppendedBeginsByWhatHasEndedSince() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.gate("g"), Step.gate("h"), Step.gate("open")));
    look();
    complete(run, "g", "[1,2]");
    bench.workflows().completeGate(GateCompletion.fail(GLOBAL, run, "h", "c", "m"));
    Append append =
        Append.to(GLOBAL, run, "k")
            .step(Step.job("a", "t").after("g"))
            .step(Step.map("m", "t").over("g", ""))
            .step(Step.gate("never").after("h"))
            .build();
    UUID other = bench.start(WorkflowBench.of(Step.gate("g")));
    complete(other, "g", "1");
    bench.workflows().append(caller, append);
    Append late = Append.to(GLOBAL, other, "k").step(Step.gate("x")).build();
    assertThatThrownBy(() -> bench.workflows().append(caller, late))
        .isInstanceOf(InvalidState.class);
    caller.commit();
    assertThat(bench.statuses(run))
        .containsEntry("a", StepStatus.ENQUEUED)
        .containsEntry("m[1]", StepStatus.ENQUEUED)
        .containsEntry("never", StepStatus.SKIPPED);
  }

  @Test
  void whatIsAppendedSinceIsNotAppendedAgain() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.gate("g"), Step.gate("open")));
    look();
    complete(run, "g", "[1,2]");
    Append first = Append.to(GLOBAL, run, "k").step(Step.job("a", "t").after("g")).build();
    bench.workflows().append(first);
    assertThat(bench.workflows().append(caller, first)).isEqualTo(Append.Outcome.ALREADY);
    bench
        .workflows()
        .append(
            caller,
            Append.to(GLOBAL, run, "l")
                .step(Step.job("b", "t").after("g"))
                .step(Step.map("m", "t").over("g", ""))
                .step(Step.gate("behind").after("a"))
                .build());
    caller.commit();
    assertThat(bench.statuses(run))
        .containsEntry("a", StepStatus.ENQUEUED)
        .containsEntry("b", StepStatus.ENQUEUED)
        .containsEntry("m", StepStatus.RUNNING)
        .containsEntry("m[1]", StepStatus.ENQUEUED)
        .containsEntry("behind", StepStatus.BLOCKED);
    WorkflowInvariants.hold(bench.home());
  }

  @Test
  void whatBeganSinceIsCanceled() throws Exception {
    UUID run =
        bench.start(
            WorkflowBench.of(
                Step.gate("g"),
                Step.map("m", "t").over("g", ""),
                Step.workflow("sub", WorkflowBench.of(Step.gate("x")).build()).after("g")));
    look();
    complete(run, "g", "[1,2]");
    bench.workflows().cancel(caller, GLOBAL, run, "no");
    caller.commit();
    assertThat(bench.count("waybill_workflow where status <> 4")).isZero();
    assertThat(bench.count("waybill_job where status < 3")).isZero();
    WorkflowInvariants.hold(bench.home());
  }

  @Test
  void aGateThatIsCompletedSinceIsCompleted() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.gate("g"), Step.job("a", "t").after("g")));
    look();
    complete(run, "g", "1");
    assertThat(
            bench.workflows().completeGate(caller, GateCompletion.succeed(GLOBAL, run, "g", "1")))
        .isEqualTo(GateCompletion.Outcome.ALREADY);
    assertThatThrownBy(
            () ->
                bench
                    .workflows()
                    .completeGate(caller, GateCompletion.succeed(GLOBAL, run, "g", "2")))
        .isInstanceOf(GateConflict.class);
    caller.commit();
  }
}

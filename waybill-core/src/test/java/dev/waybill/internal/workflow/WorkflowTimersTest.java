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
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** However much is due in a run that somebody holds, what is due elsewhere does not wait for it. */
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "a transaction that writes has the whole database")
@Timeout(180)
class WorkflowTimersTest {
  /** More than the timekeeper looks at in one go. */
  private static final int MANY = 450;

  private static final Scope GLOBAL = Scope.global();

  private final WorkflowBench bench;

  WorkflowTimersTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  private Connection holding(UUID run) throws SQLException {
    Connection caller = bench.home().connect();
    caller.setAutoCommit(false);
    // The default of MySQL and MariaDB also locks gaps, which may lie in other runs.
    caller.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    bench.workflows().completeGate(caller, GateCompletion.succeed(GLOBAL, run, "gate", "1"));
    return caller;
  }

  @Test
  void timersOfAHeldRunKeepNobodyWaiting() throws Exception {
    Workflow.Builder wide = WorkflowBench.of(Step.gate("gate"));
    for (int i = 0; i < MANY; i++) {
      wide.step(Step.delay("d" + i, Duration.ofMillis(1)));
    }
    UUID held = bench.start(wide);
    UUID free = bench.start(WorkflowBench.of(Step.delay("d", Duration.ofMillis(1))));
    bench.age(Duration.ofMinutes(1));
    try (Connection caller = holding(held);
        Engine workers = bench.start("t", step -> JobResult.success())) {
      assertThat(bench.awaitEnd(free).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.get(held).openSteps()).isEqualTo(MANY + 1);
      caller.commit();
      workers.workflows().wake();
      assertThat(bench.awaitEnd(held).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
  }

  @Test
  void expiredLeasesOfAHeldRunKeepNobodyWaiting() throws Exception {
    Workflow.Builder wide = WorkflowBench.of(Step.gate("gate"));
    for (int i = 0; i < MANY; i++) {
      wide.step(Step.job("j" + i, "t"));
    }
    UUID held = bench.start(wide);
    UUID free = bench.start(WorkflowBench.of(Step.job("j", "t")));
    String expired =
        "update waybill_job set status = 2, attempt = 2, worker = 'dead', leased_at = 1,"
            + " lease_until = %d where lease_until is null and id %s";
    String freeOnes = "in (select id from waybill_workflow_step where step_key = 'j')";
    bench.home().execute(expired.formatted(3, freeOnes), expired.formatted(2, "is not null"));
    try (Connection caller = holding(held);
        Engine workers = bench.start("t", step -> JobResult.success())) {
      assertThat(bench.awaitEnd(free).status()).isEqualTo(WorkflowStatus.FAILED);
      assertThat(bench.get(held).openSteps()).isEqualTo(MANY + 1);
      caller.commit();
      workers.workflows().wake();
      assertThat(bench.awaitEnd(held).status()).isEqualTo(WorkflowStatus.FAILED);
    }
  }

  @Test
  void childrenOfAHeldRunKeepNobodyWaiting() throws Exception {
    Workflow inner = WorkflowBench.of(Step.gate("g")).build();
    Workflow.Builder wide = WorkflowBench.of(Step.gate("gate"));
    for (int i = 0; i < MANY; i++) {
      wide.step(Step.workflow("c" + i, inner));
    }
    UUID held = bench.start(wide);
    UUID free = bench.start(WorkflowBench.of(Step.gate("gate"), Step.workflow("c", inner)));
    List<UUID> children = new ArrayList<>();
    bench
        .steps(held)
        .values()
        .forEach(step -> children.addAll(step.child() == null ? List.of() : List.of(step.child())));
    children.add(Objects.requireNonNull(bench.step(free, "c").child()));
    assertThat(children).hasSize(MANY + 1);
    try (Connection both = holding(held)) {
      try (Connection other = holding(free)) {
        try (Connection one = bench.home().connect()) {
          one.setAutoCommit(false);
          for (UUID child : children) {
            bench.workflows().completeGate(one, GateCompletion.succeed(GLOBAL, child, "g", "1"));
          }
          one.commit();
        }
        assertThat(bench.count("waybill_workflow where tell_at is not null")).isEqualTo(MANY + 1);
        other.commit();
      }
      try (Engine workers = bench.start("t", step -> JobResult.success())) {
        assertThat(bench.awaitEnd(free).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
        assertThat(bench.step(held, "c0").status()).isEqualTo(StepStatus.RUNNING);
        both.commit();
        workers.workflows().wake();
        assertThat(bench.awaitEnd(held).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      }
    }
  }
}

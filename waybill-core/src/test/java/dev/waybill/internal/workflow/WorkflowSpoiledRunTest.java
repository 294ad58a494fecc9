package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A run that cannot go on, here because of a condition that this version has never heard of, keeps
 * no other run waiting; once it can, it goes on.
 */
@EveryDatabase
@Timeout(180)
class WorkflowSpoiledRunTest {
  private final WorkflowBench bench;

  WorkflowSpoiledRunTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  private UUID spoiled(Step.Builder first) throws SQLException {
    UUID run =
        bench.start(
            WorkflowBench.of(first, Step.job("b", "t").after("a", Condition.at("").is("1"))));
    bench
        .home()
        .execute(
            "update waybill_workflow_edge set wanted = '{\"at\":\"\",\"test\":\"UNHEARD_OF\"}'"
                + " where wanted is not null");
    return run;
  }

  private void mend() throws SQLException {
    bench.home().execute("update waybill_workflow_edge set wanted = null where wanted is not null");
  }

  @Test
  void itsTimersKeepNobodyWaiting() throws Exception {
    UUID spoiled = spoiled(Step.delay("a", Duration.ofMillis(1)));
    UUID free = bench.start(WorkflowBench.of(Step.delay("a", Duration.ofMillis(1))));
    bench.age(Duration.ofMinutes(1));
    try (Engine workers = bench.start("t", step -> JobResult.success())) {
      assertThat(bench.awaitEnd(free).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.get(spoiled).status()).isEqualTo(WorkflowStatus.RUNNING);
      mend();
      workers.workflows().wake();
      assertThat(bench.awaitEnd(spoiled).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    WorkflowInvariants.hold(bench.home());
  }

  @Test
  void itsExpiredLeasesKeepNobodyWaiting() throws Exception {
    UUID spoiled = spoiled(Step.job("a", "t").mayFail());
    UUID free = bench.start(WorkflowBench.of(Step.job("a", "t")));
    bench
        .home()
        .execute(
            "update waybill_job set status = 2, attempt = 2, worker = 'dead', leased_at = 1,"
                + " lease_until = 2");
    try (Engine workers = bench.start("t", step -> JobResult.success())) {
      assertThat(workers).isNotNull();
      assertThat(bench.awaitEnd(free).status()).isEqualTo(WorkflowStatus.FAILED);
      assertThat(bench.get(spoiled).status()).isEqualTo(WorkflowStatus.RUNNING);
      mend();
      // It failed, so what waited for its success is skipped.
      assertThat(bench.awaitEnd(spoiled).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.statuses(spoiled)).containsEntry("b", StepStatus.SKIPPED);
    }
    WorkflowInvariants.hold(bench.home());
  }
}

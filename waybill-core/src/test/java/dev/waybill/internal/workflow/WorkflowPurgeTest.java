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
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What runs share is undone once, although the run in which it was done could be purged. */
@EveryDatabase
@Timeout(180)
class WorkflowPurgeTest {
  private static final Scope GLOBAL = Scope.global();

  private final WorkflowBench bench;

  WorkflowPurgeTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  private Engine work() {
    return bench.start(
        "t",
        step ->
            step.payload().contains("fail")
                ? JobResult.fail("test.failed", "as told")
                : JobResult.success());
  }

  private UUID failed() throws InterruptedException {
    UUID run =
        bench.start(
            WorkflowBench.of(
                Step.job("pay", "t"), Step.job("ship", "t").payload("\"fail\"").after("pay")));
    assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
    return run;
  }

  private UUID rerun(UUID source, String key) throws InterruptedException {
    Rerun order = Rerun.from("ship", GLOBAL, source, key, "mended").withPayload("1");
    UUID run = bench.workflows().rerun(order).id();
    bench.workflows().wake();
    assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    return run;
  }

  private UUID undo(UUID run) {
    return bench
        .workflows()
        .compensate(Compensation.of(GLOBAL, run, "r").undo("pay", "t").build())
        .id();
  }

  private void assertUndone(UUID run, UUID undoing) {
    assertThatThrownBy(() -> undo(run))
        .isInstanceOfSatisfying(
            InvalidState.class, e -> assertThat(e.code()).isEqualTo("workflow.compensated"))
        .hasMessageContaining(undoing.toString());
  }

  private int purge(WorkflowStatus status) throws Exception {
    bench.age(Duration.ofHours(1));
    return bench.workflows().purge(status, Duration.ofMinutes(1), 10);
  }

  @Test
  void whatWasUndoneInARunIsKnownToItsRerunForAsLongAsThatIsThere() throws Exception {
    UUID source;
    UUID rerun;
    try (Engine workers = work()) {
      assertThat(workers).isNotNull();
      source = failed();
      rerun = rerun(source, "1");
    }
    UUID undoing = undo(source);
    assertThat(purge(WorkflowStatus.FAILED)).isZero();
    assertUndone(rerun, undoing);
    assertThat(purge(WorkflowStatus.SUCCEEDED)).isEqualTo(1);
    assertThat(purge(WorkflowStatus.FAILED)).isEqualTo(1);
    assertThat(bench.count("waybill_workflow_change")).isZero();
  }

  @Test
  void whatTwoRerunsShareIsUndoneByOneOfThem() throws Exception {
    UUID source;
    UUID one;
    UUID other;
    try (Engine workers = work()) {
      assertThat(workers).isNotNull();
      source = failed();
      one = rerun(source, "1");
      other = rerun(source, "2");
    }
    assertThat(purge(WorkflowStatus.FAILED)).isZero();
    UUID undoing = undo(one);
    assertUndone(other, undoing);
    assertUndone(source, undoing);
    assertThat(purge(WorkflowStatus.SUCCEEDED)).isEqualTo(2);
    assertThat(purge(WorkflowStatus.FAILED)).isEqualTo(1);
  }

  /** It keeps nobody else: those behind it in the line go. */
  @Test
  void aRunThatStaysKeepsNoOthers() throws Exception {
    UUID source;
    try (Engine workers = work()) {
      assertThat(workers).isNotNull();
      source = failed();
      rerun(source, "1");
      rerun(source, "2");
      failed();
    }
    bench.age(Duration.ofHours(1));
    assertThat(bench.workflows().purge(WorkflowStatus.FAILED, Duration.ofMinutes(1), 1))
        .isEqualTo(1);
    assertThat(bench.get(source).status()).isEqualTo(WorkflowStatus.FAILED);
  }
}

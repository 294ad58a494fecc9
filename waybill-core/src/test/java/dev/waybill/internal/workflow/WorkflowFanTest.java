package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One step in front of 5,000, and one behind them that has 5,000 prerequisites. */
@Tag("long")
@EveryDatabase
@Timeout(300)
class WorkflowFanTest {
  private static final int WIDE = 5_000;
  private static final Scope GLOBAL = Scope.global();

  private final WorkflowBench bench;
  private final FaultyDataSource counting;
  private final WorkflowBench counted;

  WorkflowFanTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
    this.counting = new FaultyDataSource(WorkflowBench.source(bench.home()));
    this.counted = WorkflowBench.over(bench.home(), counting);
  }

  private static Workflow fan(int width) {
    Workflow.Builder workflow = WorkflowBench.of(Step.gate("open"));
    Step.Builder join = Step.job("join", "t");
    for (int i = 0; i < width; i++) {
      workflow.step(Step.job("s" + i, "t").after("open"));
      join.after("s" + i);
    }
    return workflow.step(join).step(Step.job("end", "t").after("join")).build();
  }

  @Test
  void aStepWithFiveThousandPrerequisitesRunsOnceAfterAllOfThem() throws Exception {
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger joined = new AtomicInteger();
    AtomicInteger seen = new AtomicInteger();
    UUID run = bench.workflows().start(fan(WIDE)).id();
    try (Engine workers =
        counted.start(
            WorkflowBench.quick("w1").withConcurrency(64),
            Map.of(
                "t",
                step -> {
                  if (step.step().equals("join")) {
                    joined.set(ran.get());
                    seen.set(step.inputs().size());
                  }
                  ran.incrementAndGet();
                  return JobResult.success("1");
                }))) {
      counting.reset();
      workers.workflows().completeGate(GateCompletion.succeed(GLOBAL, run, "open"));
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(ran).hasValue(WIDE + 2);
    assertThat(joined).hasValue(WIDE);
    assertThat(seen).hasValue(WIDE);
    // Far below one per step on PostgreSQL; what claims and ends share depends on the machine.
    assertThat(counting.counts().statements()).isLessThan(3L * WIDE);
    WorkflowInvariants.hold(bench.home());
  }

  @Test
  void whateverIsDoneToItTakesAsManyStatementsAsForThree() throws Exception {
    assertThat(costs(WIDE)).isEqualTo(costs(3));
    WorkflowInvariants.hold(bench.home());
  }

  /** How many statements the operations take that concern all steps. */
  private List<Long> costs(int width) throws Exception {
    List<Long> costs = new ArrayList<>();
    UUID[] run = new UUID[1];
    costs.add(statements(() -> run[0] = counted.workflows().start(fan(width)).id()));
    costs.add(
        statements(
            () ->
                counted
                    .workflows()
                    .completeGate(GateCompletion.fail(GLOBAL, run[0], "open", "c", "m"))));
    assertThat(bench.get(run[0]).status()).isEqualTo(WorkflowStatus.FAILED);
    assertThat(bench.step(run[0], "end").status()).isEqualTo(StepStatus.SKIPPED);
    costs.add(statements(() -> counted.workflows().retry(GLOBAL, run[0], "again")));
    costs.add(
        statements(
            () ->
                counted
                    .workflows()
                    .completeGate(GateCompletion.succeed(GLOBAL, run[0], "open", "1"))));
    Step.Builder late = Step.job("late", "t");
    for (int i = 0; i < width; i++) {
      late.afterEnd("s" + i);
    }
    costs.add(
        statements(
            () -> counted.workflows().append(Append.to(GLOBAL, run[0], "k").step(late).build())));
    costs.add(statements(() -> counted.workflows().cancel(GLOBAL, run[0], "enough")));
    assertThat(bench.get(run[0]).status()).isEqualTo(WorkflowStatus.CANCELED);
    assertThat(costs).allSatisfy(cost -> assertThat(cost).isLessThan(25));
    return costs;
  }

  private long statements(Runnable work) {
    counting.reset();
    work.run();
    return counting.counts().statements();
  }
}

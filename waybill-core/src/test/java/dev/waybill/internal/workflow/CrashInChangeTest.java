package dev.waybill.internal.workflow;

import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.Workflow;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every statement fails of what goes on with a run: gates, appending, cancel, the ends of steps.
 */
@Tag("long")
@Tag("once")
@EveryDatabase
@Timeout(600)
class CrashInChangeTest {
  private final CrashSweep crash;

  CrashInChangeTest(TestDatabase database) {
    this.crash = new CrashSweep(database);
  }

  /** The end of a job that is a step, and all that follows from it. */
  @Test
  void endOfAStep() throws Exception {
    crash.sweep(
        () ->
            crash
                .bench()
                .start(
                    WorkflowBench.of(
                        Step.job("a", "t"),
                        Step.job("b", "t").afterEnd("a"),
                        Step.gate("gate").afterEnd("a"),
                        Step.job("c", "t").after("a"),
                        Step.job("d", "t").after("c"),
                        Step.job("e", "t").afterEnd("d"),
                        Step.workflow("sub", CrashSweep.inner()).afterEnd("a"))),
        run -> {
          StepInfo step = crash.bench().step(run, "a");
          if (!step.status().isTerminal()) {
            crash.shaky().jobs().cancel(Scope.global(), step.id(), "by an operator");
          }
        });
  }

  @Test
  void gate() throws Exception {
    crash.sweep(
        () -> crash.bench().start(CrashSweep.graph()),
        run ->
            crash
                .door()
                .completeGate(
                    GateCompletion.succeed(Scope.global(), run, "gate", CrashSweep.PLAN)));
  }

  @Test
  void endOfASubWorkflow() throws Exception {
    Workflow inner = WorkflowBench.of(Step.gate("g")).build();
    crash.sweep(
        () ->
            crash
                .bench()
                .start(
                    WorkflowBench.of(
                        Step.workflow("sub", inner), Step.job("b", "t").afterEnd("sub"))),
        run ->
            crash
                .door()
                .completeGate(
                    GateCompletion.succeed(
                        Scope.global(),
                        Objects.requireNonNull(crash.bench().step(run, "sub").child()),
                        "g",
                        "1")));
  }

  @Test
  void append() throws Exception {
    crash.sweep(
        () -> crash.bench().start(CrashSweep.graph()),
        run ->
            crash
                .door()
                .append(
                    Append.to(Scope.global(), run, "k")
                        .step(Step.job("x", "t").after("gate"))
                        .step(Step.job("y", "t"))
                        .build()));
  }

  @Test
  void cancel() throws Exception {
    crash.sweep(
        () -> crash.bench().start(CrashSweep.graph()),
        run -> crash.door().cancel(Scope.global(), run, "crash"));
  }
}

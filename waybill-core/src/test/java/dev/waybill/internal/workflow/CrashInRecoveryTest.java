package dev.waybill.internal.workflow;

import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Compensation;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.WorkflowStatus;
import dev.waybill.workflow.Workflows;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every statement fails of what begins an ended run again, or undoes it. */
@Tag("long")
@Tag("once")
@EveryDatabase
@Timeout(600)
class CrashInRecoveryTest {
  private static final Scope GLOBAL = Scope.global();

  private final CrashSweep crash;

  CrashInRecoveryTest(TestDatabase database) {
    this.crash = new CrashSweep(database);
  }

  private UUID canceled() {
    UUID run = crash.bench().start(CrashSweep.graph());
    crash
        .bench()
        .workflows()
        .completeGate(GateCompletion.succeed(Scope.global(), run, "gate", CrashSweep.PLAN));
    crash.bench().workflows().cancel(Scope.global(), run, "crash");
    return run;
  }

  @Test
  void retry() throws Exception {
    crash.sweep(
        this::canceled,
        run -> {
          if (crash.bench().get(run).status() == WorkflowStatus.CANCELED) {
            crash.door().retry(Scope.global(), run, "again");
          }
        });
  }

  @Test
  void rerun() throws Exception {
    crash.sweep(
        this::canceled, run -> crash.door().rerun(Rerun.all(Scope.global(), run, "k", "again")));
  }

  @Test
  void compensation() throws Exception {
    crash.sweep(
        this::canceled,
        run ->
            crash
                .door()
                .compensate(
                    Compensation.of(Scope.global(), run, "crash").undo("gate", "t").build()));
  }

  /** It is remembered with both runs. */
  @Test
  void compensationOfWhatARerunTookOver() throws Exception {
    crash.sweep(
        () -> {
          Workflows workflows = crash.bench().workflows();
          UUID rerun = workflows.rerun(Rerun.from("b", GLOBAL, canceled(), "k", "again")).id();
          workflows.cancel(GLOBAL, rerun, "crash");
          return rerun;
        },
        run ->
            crash
                .door()
                .compensate(Compensation.of(GLOBAL, run, "crash").undo("gate", "t").build()));
  }
}

package dev.waybill.internal.workflow;

import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Step;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every statement of a start fails, alone and with what a caller does in the same transaction. */
@Tag("long")
@Tag("once")
@EveryDatabase
@Timeout(600)
class CrashInStartTest {
  private final CrashSweep crash;

  CrashInStartTest(TestDatabase database) {
    this.crash = new CrashSweep(database);
  }

  @Test
  void start() throws Exception {
    crash.sweep(
        UUID::randomUUID,
        run ->
            crash
                .door()
                .start(
                    CrashSweep.graph()
                        .idempotencyKey("k")
                        .activeKey("a")
                        .attribute("x", "y")
                        .build()));
  }

  /** On PostgreSQL that is one statement, if no step begins others at once. */
  @Test
  void startOfAPlainGraph() throws Exception {
    crash.sweep(UUID::randomUUID, run -> crash.door().start(CrashSweep.plain()));
  }

  @Test
  void startInACallersTransaction() throws Exception {
    crash.sweep(
        UUID::randomUUID,
        run ->
            crash.inACallersTransaction(
                connection -> crash.door().start(connection, CrashSweep.plain())));
  }

  @Test
  void allInOneTransactionOfACaller() throws Exception {
    crash.sweep(
        () -> crash.bench().start(CrashSweep.graph()),
        run ->
            crash.inACallersTransaction(
                connection -> {
                  crash.door().start(connection, CrashSweep.plain());
                  crash
                      .door()
                      .completeGate(
                          connection,
                          GateCompletion.succeed(Scope.global(), run, "gate", CrashSweep.PLAN));
                  crash
                      .door()
                      .append(
                          connection,
                          Append.to(Scope.global(), run, "k").step(Step.job("x", "t")).build());
                  crash.door().cancel(connection, Scope.global(), run, "crash");
                }));
  }
}

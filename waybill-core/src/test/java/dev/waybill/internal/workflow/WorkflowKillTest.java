package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.loop.Time;
import dev.waybill.job.Scope;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A storm of runs on two processes, one of which is killed again and again. Every run succeeds, no
 * step ran without its prerequisites, none succeeded twice.
 */
@Tag("long")
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "one process")
@Timeout(600)
class WorkflowKillTest {
  private static final int RUNS = Integer.getInteger("waybill.kill.runs", 60);
  private static final int KILLS = 3;

  private final WorkflowBench bench;

  WorkflowKillTest(TestDatabase database) throws Exception {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
    bench
        .home()
        .execute(
            "create table effect (run varchar(36) not null, step varchar(36) not null, seen integer"
                + " not null)");
  }

  private void startRuns() throws Exception {
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < RUNS; i++) {
        bench
            .workflows()
            .start(
                connection,
                WorkflowBench.of(
                        job("a"),
                        job("b").after("a"),
                        job("c").after("a"),
                        job("d").after("b", "c"),
                        Step.delay("w", Duration.ofMillis(5)).after("d"),
                        job("e").after("w", "d"))
                    .build());
      }
      connection.commit();
    }
  }

  private static Step.Builder job(String key) {
    return Step.job(key, "t").maxAttempts(50);
  }

  private long effects() throws Exception {
    return bench.count("effect");
  }

  private void awaitEffects(long wanted) throws Exception {
    Instant end = Instant.now().plus(Duration.ofSeconds(200));
    while (effects() < wanted) {
      assertThat(Instant.now()).as(effects() + " of " + wanted + " steps").isBefore(end);
      Time.system().sleep(Duration.ofMillis(20));
    }
  }

  @Test
  void everyRunSucceedsAlthoughProcessesDie() throws Exception {
    startRuns();
    long all = RUNS * 5L;
    try (ChildJvm steady = StormMain.start(bench.home(), "steady")) {
      steady.awaitLine("working", Duration.ofSeconds(60));
      for (int i = 1; i <= KILLS; i++) {
        try (ChildJvm victim = StormMain.start(bench.home(), "victim" + i)) {
          victim.awaitLine("working", Duration.ofSeconds(60));
          awaitEffects(Math.min(all, effects() + all / (KILLS + 2)));
          victim.kill();
        }
      }
      awaitEffects(all);
      awaitSuccesses();
    }
    assertThat(effects()).isEqualTo(all);
    assertThat(bench.count("(select distinct run, step from effect) e")).isEqualTo(all);
    assertThat(bench.count("effect where step = 'd' and seen <> 2")).isZero();
    assertThat(bench.count("effect where step in ('b', 'c', 'e') and seen <> 1")).isZero();
  }

  private void awaitSuccesses() throws Exception {
    Instant end = Instant.now().plus(Duration.ofSeconds(60));
    WorkflowFilter succeeded =
        WorkflowFilter.in(Scope.admin()).withStatus(WorkflowStatus.SUCCEEDED).withLimit(1000);
    while (bench.workflows().list(succeeded).size() < RUNS) {
      assertThat(Instant.now()).isBefore(end);
      Time.system().sleep(Duration.ofMillis(20));
    }
  }
}

package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.loop.Time;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A storm of a thousand random runs on two processes, one of which is killed again and again. Every
 * run ends as its graph demands, no step ran without its prerequisites, none succeeded twice.
 */
@Tag("long")
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "one process")
@Timeout(600)
class WorkflowKillTest {
  private static final int RUNS = Integer.getInteger("waybill.kill.runs", 1_000);
  private static final long SEED = Long.getLong("waybill.kill.seed", 20261118L);
  private static final int AT_ONCE = 100;
  private static final int KILLS = 4;

  private final WorkflowBench bench;
  private final Map<UUID, Workflow> runs = new LinkedHashMap<>();

  WorkflowKillTest(TestDatabase database) throws Exception {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
    bench
        .home()
        .execute("create table effect (run varchar(36) not null, step varchar(36) not null)");
  }

  private void startRuns() throws Exception {
    Random random = new Random(SEED);
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      for (int i = 1; i <= RUNS; i++) {
        Workflow workflow = KnownGraph.random(random);
        runs.put(bench.workflows().start(connection, workflow).id(), workflow);
        if (i % AT_ONCE == 0) {
          connection.commit();
        }
      }
      connection.commit();
    }
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
  void everyRunEndsAsItsGraphDemandsAlthoughProcessesDie() throws Exception {
    startRuns();
    long all = runs.values().stream().mapToLong(WorkflowKillTest::successes).sum();
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
      awaitEnds();
    }
    assertThat(effects()).isEqualTo(all);
    assertThat(bench.count("(select distinct run, step from effect) e")).isEqualTo(all);
    for (Map.Entry<UUID, Workflow> each : runs.entrySet()) {
      verify(each.getKey(), each.getValue());
    }
    WorkflowInvariants.hold(bench.home());
  }

  private static long successes(Workflow workflow) {
    Map<String, StepStatus> ends = KnownGraph.ends(workflow);
    return workflow.steps().stream()
        .filter(step -> step.kind() == Step.Kind.JOB)
        .filter(step -> ends.get(step.key()) == StepStatus.SUCCEEDED)
        .count();
  }

  private void awaitEnds() throws Exception {
    Instant end = Instant.now().plus(Duration.ofSeconds(60));
    while (bench.count("waybill_workflow where status < 2") > 0) {
      assertThat(Instant.now()).isBefore(end);
      Time.system().sleep(Duration.ofMillis(20));
    }
  }

  private void verify(UUID run, Workflow workflow) {
    Map<String, StepStatus> wanted = KnownGraph.ends(workflow);
    Map<String, StepInfo> steps = bench.steps(run);
    boolean failed = false;
    for (Step step : workflow.steps()) {
      StepInfo info = Objects.requireNonNull(steps.get(step.key()));
      assertThat(info.status()).as(run + " " + step.key()).isEqualTo(wanted.get(step.key()));
      failed |= info.status() == StepStatus.FAILED && !step.mayFail();
      Instant started = info.startedAt();
      if (started != null) {
        long before =
            step.after().stream().filter(edge -> isBefore(edge, workflow, steps, started)).count();
        assertThat(before)
            .as(run + " " + step.key() + " ran with that many of what it needs")
            .isGreaterThanOrEqualTo(KnownGraph.needed(step));
      }
    }
    assertThat(bench.get(run).status())
        .as(run + " " + wanted)
        .isEqualTo(failed ? WorkflowStatus.FAILED : WorkflowStatus.SUCCEEDED);
  }

  private static boolean isBefore(
      Dependency edge, Workflow workflow, Map<String, StepInfo> steps, Instant started) {
    StepInfo prerequisite = Objects.requireNonNull(steps.get(edge.step()));
    Step step =
        workflow.steps().stream().filter(each -> each.key().equals(edge.step())).findFirst().get();
    @Nullable Instant end = prerequisite.finishedAt();
    return KnownGraph.isSatisfied(edge, step, prerequisite.status())
        && end != null
        && !end.isAfter(started);
  }
}

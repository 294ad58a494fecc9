package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Injection;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever fails in a working process, its runs end as if nothing had happened. */
@Tag("long")
@Tag("once")
@EveryDatabase
@Timeout(600)
class CrashOfWorkersTest {
  private static final int LANES = 6;

  private final TestDatabase database;
  private final WorkflowBench bench;

  CrashOfWorkersTest(TestDatabase database) {
    this.database = database;
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  /** Each text once, from the claim of a job to the release of what follows and the run's end. */
  @Test
  void everyStatementOfAWorkingProcessFails() throws Exception {
    disturb(eachStatement(), injection -> injection.fail(Moment.BEFORE));
  }

  @Test
  void theConnectionIsLostAfterEveryStatementOfAWorkingProcess() throws Exception {
    disturb(eachStatement(), injection -> injection.cut(Moment.AFTER));
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "its commits are statements and fail with those")
  void theConnectionIsLostAroundEveryCommitOfAWorkingProcess() throws Exception {
    List<Supplier<Fault>> commits =
        IntStream.rangeClosed(1, 12)
            .mapToObj(n -> (Supplier<Fault>) () -> Fault.commit(n))
            .toList();
    disturb(commits, injection -> injection.cut(Moment.BEFORE));
    disturb(commits, injection -> injection.cut(Moment.AFTER));
  }

  private List<Supplier<Fault>> eachStatement() throws Exception {
    Set<String> texts = new LinkedHashSet<>();
    FaultyDataSource watching = new FaultyDataSource(WorkflowBench.source(bench.home()));
    Lane lane = new Lane(bench);
    try (Engine workers = lane.workers(watching)) {
      for (int i = 0; i < 5; i++) {
        lane.run(workers);
      }
    }
    for (Operation each : watching.trace()) {
      if (each.kind() == Operation.Kind.STATEMENT) {
        texts.add(beginning(each.sql()));
      }
    }
    assertThat(texts).anyMatch(text -> text.contains("waybill_workflow_step"));
    return texts.stream()
        .map(text -> (Supplier<Fault>) () -> Fault.sql(sql -> beginning(sql).equals(text)))
        .toList();
  }

  /** What follows may be repeated as often as rows are bound. */
  private static String beginning(String sql) {
    return sql.substring(0, Math.min(200, sql.length()));
  }

  /** Most of it is waiting for leases to end, so several databases wait side by side. */
  private void disturb(List<Supplier<Fault>> faults, Consumer<Injection> harm) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(LANES);
    try {
      List<Future<?>> lanes = new ArrayList<>();
      for (int first = 0; first < LANES; first++) {
        List<Supplier<Fault>> some = new ArrayList<>();
        for (int n = first; n < faults.size(); n += LANES) {
          some.add(faults.get(n));
        }
        Lane lane = new Lane(WorkflowBench.on(Migrated.on(database), "t"));
        lanes.add(
            threads.submit(
                () -> {
                  lane.disturb(some, harm);
                  return null;
                }));
      }
      for (Future<?> lane : lanes) {
        lane.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** A process at work on a database of its own. */
  private record Lane(WorkflowBench bench) {
    Engine workers(FaultyDataSource source) {
      return WorkflowBench.over(bench.home(), source)
          .start(
              WorkflowBench.quick("w1").withLease(Duration.ofSeconds(1)),
              Map.of("t", step -> JobResult.success(step.step().equals("a") ? "[1,2]" : "1")));
    }

    void disturb(List<Supplier<Fault>> faults, Consumer<Injection> harm) throws Exception {
      FaultyDataSource faulty = new FaultyDataSource(bench.home().dataSource());
      try (Engine workers = workers(faulty)) {
        for (Supplier<Fault> fault : faults) {
          harm.accept(faulty.on(fault.get()));
          run(workers);
          WorkflowInvariants.hold(bench.home());
          faulty.reset();
        }
      }
    }

    void run(Engine workers) throws Exception {
      UUID run =
          bench.start(
              WorkflowBench.of(
                  Step.job("a", "t").maxAttempts(20),
                  Step.delay("w", Duration.ofMillis(1)).after("a"),
                  Step.job("b", "t").maxAttempts(20).after("a"),
                  Step.map("m", "t").maxAttempts(20).over("a", ""),
                  Step.job("c", "t").maxAttempts(20).after("w", "b", "m"),
                  Step.job("n", "t").after("c", dev.waybill.workflow.Condition.at("").is("2"))));
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.statuses(run))
          .containsEntry("c", StepStatus.SUCCEEDED)
          .containsEntry("m[1]", StepStatus.SUCCEEDED)
          .containsEntry("n", StepStatus.SKIPPED);
    }
  }
}

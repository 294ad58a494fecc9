package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.WaybillException;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Injection;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowStatus;
import dev.waybill.workflow.Workflows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Each statement and commit fails or loses its connection. What is stored is as before or as after,
 * never between, and a repetition finishes it.
 */
@Tag("long")
@Tag("once")
@EveryDatabase
@Timeout(600)
class WorkflowCrashTest {
  private static final int LANES = 6;
  private static final String PLAN = "{\"n\":1,\"items\":[1,2],\"none\":[]}";

  private final TestDatabase database;
  private final WorkflowBench bench;
  private final FaultyDataSource faulty;
  private final WorkflowBench shaky;

  WorkflowCrashTest(TestDatabase database) {
    this.database = database;
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
    this.faulty = new FaultyDataSource(bench.home().dataSource());
    this.shaky = WorkflowBench.over(bench.home(), faulty);
  }

  private static Workflow.Builder graph() {
    return WorkflowBench.of(
        Step.gate("gate"),
        Step.job("a", "t"),
        Step.job("b", "t").after("gate"),
        Step.job("c", "t").after("gate", dev.waybill.workflow.Condition.at("/n").is("2")),
        Step.job("d", "t").after("c"),
        Step.job("e", "t").afterEnd("d"),
        Step.map("m", "t").over("gate", "/items"),
        Step.map("none", "t").over("gate", "/none"),
        Step.workflow("sub", inner()),
        Step.workflow("late", inner()).after("none"));
  }

  private static Workflow inner() {
    return WorkflowBench.of(Step.gate("g"), Step.job("i", "t")).build();
  }

  /** Everything about all runs, without times and what is made anew by each try. */
  private List<String> picture() throws SQLException {
    List<String> rows = new ArrayList<>();
    for (String sql :
        List.of(
            "select type, status, open_steps, active_steps, failed_steps, step_count, parent_step, tell_at from waybill_workflow order by id",
            "select step_key, kind, status, pending, satisfied from waybill_workflow_step order by workflow_id, step_key",
            "select mode from waybill_workflow_edge order by workflow_id, mode",
            "select change_key from waybill_workflow_change order by change_key",
            "select s.step_key, j.status from waybill_job j join waybill_workflow_step s on s.id = j.id order by s.workflow_id, s.step_key")) {
      try (Connection connection = bench.home().connect();
          Statement statement = connection.createStatement();
          ResultSet result = statement.executeQuery(sql)) {
        while (result.next()) {
          StringBuilder row = new StringBuilder();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            row.append(result.getString(i)).append(' ');
          }
          rows.add(row.toString());
        }
      }
    }
    return rows;
  }

  /** Has an operation fail at its n-th statement, for every n until it does not fail any more. */
  private void sweep(Supplier<UUID> prepare, Consumer<UUID> operation) throws Exception {
    for (IntFunction<Fault> kind : List.<IntFunction<Fault>>of(Fault::statement, Fault::commit)) {
      for (boolean cut : List.of(false, true)) {
        sweep(prepare, operation, kind, cut);
      }
    }
  }

  private void sweep(
      Supplier<UUID> prepare, Consumer<UUID> operation, IntFunction<Fault> fault, boolean cut)
      throws Exception {
    for (int n = 1; n < 60; n++) {
      bench
          .home()
          .execute(
              "delete from waybill_workflow",
              "delete from waybill_workflow_step",
              "delete from waybill_workflow_edge",
              "delete from waybill_workflow_change",
              "delete from waybill_job");
      UUID run = prepare.get();
      List<String> before = picture();
      faulty.reset();
      var injection = faulty.on(fault.apply(n));
      if (cut) {
        injection.cut(Moment.AFTER);
      } else {
        injection.fail(Moment.BEFORE);
      }
      boolean failed = false;
      try {
        operation.accept(run);
      } catch (WaybillException e) {
        failed = true;
      }
      faulty.reset();
      List<String> between = picture();
      operation.accept(run);
      List<String> after = picture();
      assertThat(between).as("statement " + n + " cut " + cut).isIn(before, after);
      if (!failed) {
        assertThat(between).isEqualTo(after);
        return;
      }
    }
    throw new AssertionError("never without a failure");
  }

  private Workflows door() {
    return shaky.workflows();
  }

  @Test
  void start() throws Exception {
    sweep(
        UUID::randomUUID,
        run ->
            door().start(graph().idempotencyKey("k").activeKey("a").attribute("x", "y").build()));
  }

  @Test
  void gate() throws Exception {
    sweep(
        () -> bench.start(graph()),
        run -> door().completeGate(GateCompletion.succeed(Scope.global(), run, "gate", PLAN)));
  }

  @Test
  void endOfASubWorkflow() throws Exception {
    Workflow inner = WorkflowBench.of(Step.gate("g")).build();
    sweep(
        () ->
            bench.start(
                WorkflowBench.of(Step.workflow("sub", inner), Step.job("b", "t").afterEnd("sub"))),
        run ->
            door()
                .completeGate(
                    GateCompletion.succeed(
                        Scope.global(),
                        Objects.requireNonNull(bench.step(run, "sub").child()),
                        "g",
                        "1")));
  }

  @Test
  void append() throws Exception {
    sweep(
        () -> bench.start(graph()),
        run ->
            door()
                .append(
                    Append.to(Scope.global(), run, "k")
                        .step(Step.job("x", "t").after("gate"))
                        .step(Step.job("y", "t"))
                        .build()));
  }

  @Test
  void cancel() throws Exception {
    sweep(() -> bench.start(graph()), run -> door().cancel(Scope.global(), run, "crash"));
  }

  @Test
  void everyStatementOfAWorkingProcessFails() throws Exception {
    disturb(30, Fault::statement, false, Moment.BEFORE);
  }

  @Test
  void theConnectionIsLostAfterEveryStatementOfAWorkingProcess() throws Exception {
    disturb(30, Fault::statement, true, Moment.AFTER);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "its commits are statements and fail with those")
  void theConnectionIsLostAroundEveryCommitOfAWorkingProcess() throws Exception {
    disturb(12, Fault::commit, true, Moment.BEFORE);
    disturb(12, Fault::commit, true, Moment.AFTER);
  }

  /** Most of it is waiting for leases to end, so several databases wait side by side. */
  private void disturb(int last, IntFunction<Fault> fault, boolean cut, Moment moment)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(LANES);
    try {
      List<Future<?>> lanes = new ArrayList<>();
      for (int first = 1; first <= LANES; first++) {
        Lane lane = new Lane(WorkflowBench.on(Migrated.on(database), "t"));
        int[] numbers = IntStream.iterate(first, n -> n <= last, n -> n + LANES).toArray();
        lanes.add(
            threads.submit(
                () -> {
                  lane.disturb(numbers, fault, cut ? i -> i.cut(moment) : i -> i.fail(moment));
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
    void disturb(int[] numbers, IntFunction<Fault> fault, Consumer<Injection> harm)
        throws Exception {
      FaultyDataSource faulty = new FaultyDataSource(bench.home().dataSource());
      try (Engine workers =
          WorkflowBench.over(bench.home(), faulty)
              .start(
                  WorkflowBench.quick("w1").withLease(Duration.ofSeconds(1)),
                  Map.of(
                      "t", step -> JobResult.success(step.step().equals("a") ? "[1,2]" : "1")))) {
        for (int n : numbers) {
          harm.accept(faulty.on(fault.apply(n)));
          UUID run =
              bench.start(
                  WorkflowBench.of(
                      Step.job("a", "t").maxAttempts(20),
                      Step.delay("w", Duration.ofMillis(1)).after("a"),
                      Step.job("b", "t").maxAttempts(20).after("a"),
                      Step.map("m", "t").maxAttempts(20).over("a", ""),
                      Step.job("c", "t").maxAttempts(20).after("w", "b", "m"),
                      Step.job("n", "t")
                          .after("c", dev.waybill.workflow.Condition.at("").is("2"))));
          workers.workflows().wake();
          assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
          assertThat(bench.statuses(run))
              .containsEntry("c", StepStatus.SUCCEEDED)
              .containsEntry("m[1]", StepStatus.SUCCEEDED)
              .containsEntry("n", StepStatus.SKIPPED);
          faulty.reset();
        }
      }
    }
  }
}

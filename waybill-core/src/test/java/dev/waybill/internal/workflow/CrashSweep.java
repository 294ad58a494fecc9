package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.WaybillException;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.Workflows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Each statement and commit of an operation fails or loses its connection. What is stored is as
 * before or as after, never between, and a repetition finishes it.
 */
final class CrashSweep {
  static final String PLAN = "{\"n\":1,\"items\":[1,2],\"none\":[]}";

  private static final List<String> TABLES =
      List.of(
          "workflow",
          "workflow_step",
          "workflow_edge",
          "workflow_change",
          "workflow_attribute",
          "job_attempt",
          "job_event",
          "job");

  private final WorkflowBench bench;
  private final FaultyDataSource faulty;
  private final WorkflowBench shaky;

  CrashSweep(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
    this.faulty = new FaultyDataSource(bench.home().dataSource());
    this.shaky = WorkflowBench.over(bench.home(), faulty);
  }

  /** Without faults. */
  WorkflowBench bench() {
    return bench;
  }

  /** Where the operations run that fail. */
  WorkflowBench shaky() {
    return shaky;
  }

  /** With faults. */
  Workflows door() {
    return shaky.workflows();
  }

  static Workflow.Builder graph() {
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

  static Workflow inner() {
    return WorkflowBench.of(Step.gate("g"), Step.job("i", "t")).build();
  }

  static Workflow plain() {
    return WorkflowBench.of(
            Step.job("a", "t"),
            Step.job("later", "t").delay(Duration.ofMinutes(1)),
            Step.gate("gate").deadline(Duration.ofHours(1)),
            Step.delay("wait", Duration.ofHours(1)),
            Step.job("b", "t").after("a", "gate"),
            Step.job("c", "t").afterEnd("b"))
        .idempotencyKey("k")
        .activeKey("a")
        .attribute("x", "y")
        .build();
  }

  /** Everything about all runs, without times and what is made anew by each try. */
  private static List<String> picture(Statement statement) throws SQLException {
    List<String> rows = new ArrayList<>();
    for (String sql :
        List.of(
            "select type, status, open_steps, active_steps, failed_steps, step_count, parent_step, tell_at from waybill_workflow order by id",
            "select step_key, kind, status, pending, satisfied from waybill_workflow_step order by workflow_id, step_key",
            "select mode from waybill_workflow_edge order by workflow_id, mode",
            "select change_key from waybill_workflow_change order by change_key",
            "select name, value from waybill_workflow_attribute order by workflow_id, name",
            "select s.step_key, j.status from waybill_job j join waybill_workflow_step s on s.id = j.id order by s.workflow_id, s.step_key")) {
      try (ResultSet result = statement.executeQuery(sql)) {
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
  void sweep(Supplier<UUID> prepare, Consumer<UUID> operation) throws Exception {
    // Whoever looks has one connection for all: to connect costs more than to look.
    try (Connection connection = bench.home().connect();
        Statement looking = connection.createStatement()) {
      for (IntFunction<Fault> kind : List.<IntFunction<Fault>>of(Fault::statement, Fault::commit)) {
        for (boolean cut : List.of(false, true)) {
          sweep(prepare, operation, kind, cut, looking);
        }
      }
    }
  }

  private void sweep(
      Supplier<UUID> prepare,
      Consumer<UUID> operation,
      IntFunction<Fault> fault,
      boolean cut,
      Statement looking)
      throws Exception {
    for (int n = 1; n < 60; n++) {
      for (String table : TABLES) {
        looking.execute("delete from waybill_" + table);
      }
      UUID run = prepare.get();
      List<String> before = picture(looking);
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
      } catch (WaybillException | CallerFailed e) {
        failed = true;
      }
      faulty.reset();
      List<String> between = picture(looking);
      WorkflowInvariants.hold(looking);
      operation.accept(run);
      List<String> after = picture(looking);
      assertThat(between).as("statement " + n + " cut " + cut).isIn(before, after);
      if (!failed) {
        assertThat(between).isEqualTo(after);
        return;
      }
    }
    throw new AssertionError("never without a failure");
  }

  /** A caller who loses his transaction. */
  private static final class CallerFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CallerFailed(SQLException cause) {
      super(cause);
    }
  }

  void inACallersTransaction(Consumer<Connection> work) {
    try (Connection connection = faulty.getConnection()) {
      connection.setAutoCommit(false);
      work.accept(connection);
      connection.commit();
    } catch (SQLException e) {
      throw new CallerFailed(e);
    }
  }
}

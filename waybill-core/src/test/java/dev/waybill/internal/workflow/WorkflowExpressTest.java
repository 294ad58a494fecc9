package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.sql.Statements;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobOptions;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException.DefinitionUnavailable;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The short way of a run: its start in one statement, and what follows from an end in another. */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "one statement cannot do that much there")
@Timeout(120)
class WorkflowExpressTest {
  private final WorkflowBench bench;
  private final FaultyDataSource counted;
  private final WorkflowBench counting;

  WorkflowExpressTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t", "u");
    this.counted = new FaultyDataSource(bench.home().dataSource());
    this.counting = WorkflowBench.over(bench.home(), counted);
  }

  private static Workflow.Builder diamond() {
    return WorkflowBench.of(
        Step.job("a", "t"),
        Step.job("b", "u").after("a"),
        Step.job("c", "t").after("a"),
        Step.job("d", "u").after("b", "c"));
  }

  private long statements() {
    return counted.counts().statements();
  }

  @Test
  void aRunStartsInOneStatement() {
    long before = statements();
    UUID run =
        counting.start(
            diamond().idempotencyKey("k").activeKey("now").attribute("x", "y").input("{\"n\":1}"));
    assertThat(statements() - before).isEqualTo(1);
    assertThat(bench.statuses(run))
        .containsEntry("a", StepStatus.ENQUEUED)
        .containsEntry("d", StepStatus.BLOCKED);
    assertThat(bench.workflows().attributes(Scope.global(), run)).containsEntry("x", "y");
    assertThat(bench.workflows().findByKey(Scope.global(), "flow", "k")).isPresent();
    assertThat(bench.workflows().findActive(Scope.global(), "now")).isPresent();
  }

  @Test
  void inACallersTransactionToo() throws SQLException {
    try (Connection connection = counted.getConnection()) {
      connection.setAutoCommit(false);
      long before = statements();
      UUID run = counting.workflows().start(connection, diamond().build()).id();
      assertThat(statements() - before).isEqualTo(1);
      connection.rollback();
      assertThat(bench.workflows().find(Scope.admin(), run)).isEmpty();
    }
  }

  @Test
  void whoIsRefusedLearnsWhyAndLeavesNothing() throws SQLException {
    Workflow keyed = diamond().idempotencyKey("k").build();
    UUID run = counting.workflows().start(keyed).id();
    assertThat(counting.workflows().start(keyed))
        .isEqualTo(new Started(run, Started.Outcome.EXISTING));
    bench.jobs().setEnabled("u", false);
    assertThat(counting.workflows().start(keyed).outcome()).isEqualTo(Started.Outcome.EXISTING);
    assertThatThrownBy(() -> counting.workflows().start(diamond().build()))
        .isInstanceOf(DefinitionUnavailable.class)
        .hasMessageContaining("u");
    try (Connection connection = bench.home().connect();
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "select (select count(*) from waybill_workflow), (select count(*) from"
                    + " waybill_workflow_step), (select count(*) from waybill_job)")) {
      assertThat(result.next()).isTrue();
      assertThat(List.of(result.getInt(1), result.getInt(2), result.getInt(3)))
          .containsExactly(1, 4, 1);
    }
  }

  @Test
  void theEndOfAStepAndWhatFollowsTakeFourStatements() throws Exception {
    JobOptions options =
        WorkflowBench.quick("w1").withPoll(Duration.ofMinutes(10), Duration.ofMinutes(10));
    UUID run;
    try (Engine engine =
        counting.start(
            options,
            Map.of("t", step -> JobResult.success("1"), "u", step -> JobResult.success("2")))) {
      run = engine.workflows().start(chain().build()).id();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(executed("with locked as materialized ( select w.id")).as("lock runs").isEqualTo(3);
    assertThat(executed("as v (id, run, attempt, worker, output)")).as("end jobs").isEqualTo(3);
    assertThat(executed("as ended_status")).as("read what waits").isEqualTo(3);
    assertThat(executed("jobs as")).as("go on, and the start").isEqualTo(4);
    assertThat(executed("front as materialized"))
        .as("claims: one more is the look at the start, and each end may be looked at twice")
        .isBetween(3L, 7L);
    assertThat(executed("heads as materialized"))
        .as("types take turns, and none leaves the short way")
        .isEqualTo(executed("front as materialized"));
  }

  private static Workflow.Builder chain() {
    return WorkflowBench.of(
        Step.job("a", "t"), Step.job("b", "u").after("a"), Step.job("c", "t").after("b"));
  }

  private long executed(String words) {
    return counted.trace().stream()
        .filter(operation -> String.valueOf(operation).replaceAll("\\s+", " ").contains(words))
        .count();
  }

  @Test
  void plansThatAreMadeForSmallTablesUseTheirIndexes() throws SQLException {
    Map<String, String> blocks =
        Statements.blocks(Statements.resource("/dev/waybill/sql/postgres/workflow_own.sql"));
    assertThat(blocks).containsOnlyKeys("workflow_begin", "workflow_go_on");
    int there = 0;
    for (int runs : List.of(10, 30, 150)) {
      for (; there < runs; there++) {
        bench.start(diamond());
      }
      bench.home().execute("analyze");
      for (Map.Entry<String, String> block : blocks.entrySet()) {
        assertThat(plan(block.getValue()))
            .as("%s, %s runs", block.getKey(), runs)
            .isNotEmpty()
            .noneMatch(
                line -> line.matches(".*Seq Scan on waybill_(job|workflow|workflow_step) .*"));
      }
    }
  }

  private List<String> plan(String text) throws SQLException {
    String literal =
        text.replaceAll("(?m)^--.*$", "")
            .replaceAll("(?<!:):(steps|run|runs|edges|attributes|types|begun)\\b", "'[]'")
            .replace(":ageing", "1000");
    List<String> lines = new ArrayList<>();
    try (Connection connection = bench.home().connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("explain " + literal)) {
      while (result.next()) {
        lines.add(result.getString(1));
      }
    }
    return lines;
  }
}

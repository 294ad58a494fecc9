package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.sql.Statements;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The statements of release find what they need by an index, however many runs there are. */
@Tag("once")
@EveryDatabase
@Timeout(300)
class WorkflowPlanTest {
  private static final List<String> HOT =
      List.of(
          "workflow_lock",
          "workflow_lock_free",
          "workflow_dependents",
          "workflow_blocked",
          "workflow_step_update",
          "workflow_update",
          "workflow_job_insert",
          "workflow_gate",
          "workflow_open_steps",
          "workflow_due",
          "workflow_next_wake",
          "workflow_timers",
          "workflow_inputs",
          "workflow_input",
          "workflow_sources",
          "workflow_map_elements",
          "workflow_children",
          "workflow_child_ends",
          "workflow_told",
          "workflow_untold",
          "workflow_run_input",
          "workflow_steps",
          "workflow_edges",
          "workflow_statuses",
          "workflow_by_idempotency",
          "workflow_by_active",
          "workflow_active_look",
          "workflow_active_over",
          "workflow_active_free",
          "workflow_find_active",
          "workflow_page",
          "workflow_page_open",
          "workflow_page_ended",
          "workflow_page_attribute",
          "workflow_gates",
          "workflow_purge_pick");

  /** Those about runs that have ended. */
  private static final List<String> ENDED = List.of("workflow_page_ended", "workflow_purge_pick");

  /** When so many runs are there: else what fills the tables is planned as if they were empty. */
  private static final int ANALYZED = 100;

  private final WorkflowBench bench;
  private UUID run = new UUID(0, 0);
  private UUID step = new UUID(0, 0);

  WorkflowPlanTest(TestDatabase database) {
    this.bench = WorkflowBench.on(database.fresh(), "t");
  }

  private void fill() throws SQLException {
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      // PostgreSQL takes a set of unknown size for a hundred rows, for which a small table is read.
      boolean postgres = bench.home().product() == DatabaseProduct.POSTGRESQL;
      int runs = postgres ? 3000 : 400;
      for (int i = 0; i < runs; i++) {
        Workflow.Builder workflow = Workflow.of("w").attribute("no", "" + i);
        for (int s = 0; s < 12; s++) {
          Step.Builder each = Step.job("s" + s, "t");
          if (s > 0) {
            each.after("s" + (s - 1));
          }
          workflow.step(each);
        }
        run = bench.workflows().start(connection, workflow.build()).id();
        if (postgres && i == ANALYZED) {
          connection.commit();
          analyze();
        }
      }
      connection.commit();
    }
    // Each was appended to.
    bench
        .home()
        .execute(
            "insert into waybill_workflow_change (workflow_id, change_hash, change_key, request,"
                + " created_at) select id, 'h', 'k', '{}', 1 from waybill_workflow");
    step = bench.step(run, "s3").id();
    assertThat(bench.workflows().find(Scope.admin(), run)).isPresent();
    if (bench.home().product() == DatabaseProduct.POSTGRESQL) {
      bench
          .home()
          .execute(
              "insert into waybill_workflow (id, type, tenant, status, open_steps, active_steps,"
                  + " failed_steps, step_count, edge_count, input, created_at) select"
                  + " gen_random_uuid(), type, tenant, 2, 0, 0, 0, 1, 0, input, created_at from"
                  + " waybill_workflow cross join generate_series(1, 15)");
    }
    analyze();
  }

  private void analyze() throws SQLException {
    bench
        .home()
        .execute(
            switch (bench.home().product()) {
              case POSTGRESQL, SQLITE -> "analyze";
              case MYSQL, MARIADB ->
                  "analyze table waybill_workflow, waybill_workflow_step, waybill_workflow_edge,"
                      + " waybill_workflow_attribute, waybill_workflow_change, waybill_job";
            });
  }

  @Test
  void hotStatementsDoNotScan() throws SQLException {
    fill();
    for (String name : HOT) {
      assertThat(plan(name)).as(name).isNotEmpty().noneMatch(this::isScan);
    }
    Map<String, String> indexes =
        Map.ofEntries(
            Map.entry("workflow_page_open", openRuns()),
            Map.entry("workflow_page_ended", "waybill_workflow_finished_ix"),
            Map.entry("workflow_purge_pick", "waybill_workflow_finished_ix"),
            Map.entry("workflow_gates", "waybill_workflow_step_gate_ix"));
    for (Map.Entry<String, String> each : indexes.entrySet()) {
      assertThat(plan(each.getKey()))
          .as(each.getKey())
          .anyMatch(line -> line.contains(each.getValue()));
    }
  }

  /** Where an index cannot be partial, that of ended runs has those that have not, too. */
  private String openRuns() {
    return switch (bench.home().product()) {
      case POSTGRESQL, SQLITE -> "waybill_workflow_open_ix";
      case MYSQL, MARIADB -> "waybill_workflow_finished_ix";
    };
  }

  private boolean isScan(String line) {
    return switch (bench.home().product()) {
      case POSTGRESQL -> line.contains("Seq Scan on waybill_");
      case SQLITE -> line.matches("SCAN (w|s|p|e|j|a|m|o|k|g|r|waybill_.*)");
      // The table that an insert fills is listed, too.
      case MYSQL, MARIADB -> line.matches("(w|s|p|e|j|a|m|o|k|g|r|waybill_workflow.*) ALL .*");
    };
  }

  private List<String> plan(String name) throws SQLException {
    List<String> lines = new ArrayList<>();
    String explain =
        bench.home().product() == DatabaseProduct.SQLITE ? "explain query plan " : "explain ";
    try (Connection connection = bench.home().connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(explain + literal(name))) {
      while (result.next()) {
        lines.add(
            switch (bench.home().product()) {
              case POSTGRESQL -> result.getString(1).strip();
              case SQLITE -> result.getString("detail");
              case MYSQL, MARIADB ->
                  result.getString("table")
                      + " "
                      + result.getString("type")
                      + " "
                      + result.getString("key");
            });
      }
    }
    return lines;
  }

  /** The statement with values in place of its parameters. */
  private String literal(String name) {
    String folder =
        switch (bench.home().product()) {
          case POSTGRESQL -> "postgres";
          case MYSQL -> "mysql";
          case MARIADB -> "mariadb";
          case SQLITE -> "sqlite";
        };
    String text =
        Statements.blocks(Statements.resource("/dev/waybill/sql/" + folder + "/workflow.sql"))
            .getOrDefault(name, "")
            .replaceAll("(?m)^--.*$", "")
            .replaceAll("\\{and w\\.(tenant|type|status) [^}]*}", "")
            .replaceAll("(?<!')[{}]", "");
    boolean ofSteps =
        List.of(
                "workflow_dependents",
                "workflow_job_insert",
                "workflow_timers",
                "workflow_sources",
                "workflow_map_elements")
            .contains(name);
    Map<String, String> values =
        Map.ofEntries(
            Map.entry("ids", "'[\"" + (ofSteps ? step : run) + "\"]'"),
            Map.entry("workflow", literal(run)),
            Map.entry("id", literal(run)),
            Map.entry("step", literal(step)),
            Map.entry("key", "'s3'"),
            Map.entry("hash", "'x'"),
            Map.entry("hashes", "'[\"x\"]'"),
            Map.entry("limit", "10"),
            Map.entry("bytes", "1000"),
            Map.entry("ageing", "60000000"),
            Map.entry("name", "'no'"),
            Map.entry("value", "'7'"),
            Map.entry("status", ENDED.contains(name) ? "2" : "0"),
            Map.entry("age", "1000"),
            Map.entry("after", literal(run)),
            Map.entry("since", "1"),
            Map.entry("until", "9000000000000000"),
            Map.entry(
                "batch",
                "'[{\"id\":\"%s\",\"status\":0,\"open\":1,\"active\":1,\"failed\":0,\"steps\":1,\"edges\":0}]'"
                    .formatted(name.equals("workflow_update") ? run : step)));
    return Pattern.compile("(?<![:\\w]):([a-z_]+)")
        .matcher(text)
        .replaceAll(
            match -> Matcher.quoteReplacement(values.getOrDefault(match.group(1), match.group())));
  }

  private String literal(UUID id) {
    return switch (bench.home().product()) {
      case POSTGRESQL, SQLITE -> "'" + id + "'";
      case MYSQL, MARIADB -> "x'" + id.toString().replace("-", "") + "'";
    };
  }
}

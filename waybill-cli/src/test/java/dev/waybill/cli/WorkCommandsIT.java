package dev.waybill.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Waybill;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Schedule;
import dev.waybill.job.Scope;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Compensation;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** {@code waybill jobs}, {@code schedules} and {@code workflows} as an operator calls them. */
@EveryDatabase
class WorkCommandsIT {
  private static final String NOBODY = "00000000-0000-0000-0000-000000000001";

  private final TestDatabase database;

  WorkCommandsIT(TestDatabase database) {
    this.database = database.fresh();
    Schema.migrate(this.database.dataSource());
  }

  private String fine(String... command) {
    Cli cli = run(command);
    assertThat(cli.exit()).as("%s: %s", List.of(command), cli.err()).isZero();
    return cli.out();
  }

  private Cli run(String... command) {
    List<String> args = new ArrayList<>(List.of(command));
    args.addAll(List.of("--url", database.url()));
    if (database.product() != DatabaseProduct.SQLITE) {
      args.addAll(List.of("--user", database.user(), "--password-env", "DB_PASSWORD"));
    }
    return Cli.jar(
        Map.of("DB_PASSWORD", database.password(), "GATE", "secret"), args.toArray(String[]::new));
  }

  private Waybill waybill() {
    return Waybill.builder(database.dataSource())
        .jobs(jobs -> jobs.define(JobDefinition.of("mail")).withoutWorkers())
        .workflows(workflows -> {})
        .start();
  }

  @Test
  void jobsAreEnqueuedShownCanceledAndRequeued() throws Exception {
    UUID id;
    try (Waybill waybill = waybill()) {
      id = waybill.jobs().enqueue(JobRequest.of("mail").payload("{\"to\": \"x\"}").build()).id();

      assertThat(fine("jobs", "list")).contains(id.toString()).contains("pending");
      assertThat(fine("jobs", "show", id.toString(), "--json", "--payload"))
          .contains("\"type\" : \"mail\"")
          .contains("to");
      assertThat(fine("jobs", "show", id.toString()))
          .contains("attempt 0 of 8")
          .doesNotContain("to\"");
      assertThat(fine("jobs", "cancel", id.toString(), "--reason", "no", "--dry-run"))
          .startsWith("Would cancel the pending job " + id);
      assertThat(fine("jobs", "cancel", id.toString(), "--reason", "not wanted", "--yes"))
          .contains("Canceled");
      assertThat(waybill.jobs().find(Scope.admin(), id).orElseThrow().status())
          .isEqualTo(JobStatus.CANCELED);
      assertThat(fine("jobs", "requeue", id.toString(), "--reason", "after all", "--yes"))
          .contains("run 2");
      assertThat(fine("jobs", "enqueue", "mail", "--key", "k", "--json"))
          .contains("\"outcome\" : \"inserted\"");
      assertThat(waybill.jobs().findByKey(Scope.global(), "mail", "k")).isPresent();
      whoseListIsLongerIsToldHowToGoOn(waybill, id);
      assertThat(fine("status")).containsPattern("mail +2 +0 +0 +0");
      assertThat(fine("status", "--json"))
          .contains("\"type\" : \"mail\"")
          .contains("\"pending\" : 2");
    }
    Cli unknown = run("jobs", "logs", NOBODY);
    assertThat(unknown.exit()).isEqualTo(1);
    assertThat(unknown.err()).contains("there is no job " + NOBODY);
    Cli undefined = run("jobs", "enqueue", "fax");
    assertThat(undefined.exit()).isEqualTo(1);
    assertThat(undefined.err()).contains("fax");
    for (String what : List.of("jobs", "workflows", "dead-letters")) {
      assertThat(run(what, "list", "--limit", "0").exit()).as(what).isEqualTo(2);
    }
  }

  private void whoseListIsLongerIsToldHowToGoOn(Waybill waybill, UUID first) {
    UUID second = waybill.jobs().findByKey(Scope.global(), "mail", "k").orElseThrow().id();
    String[] page = {"jobs", "list", "--type", "mail", "--limit", "1"};
    assertThat(fine(page))
        .contains(second.toString())
        .endsWith("There may be more: --after " + second + System.lineSeparator());
    assertThat(fine("jobs", "list", "--type", "mail", "--limit", "1", "--json"))
        .contains("\"next\" : \"" + second + "\"");
    assertThat(fine("jobs", "list", "--type", "mail", "--limit", "2", "--after", second.toString()))
        .contains(first.toString())
        .doesNotContain("There may be more");
    assertThat(fine("jobs", "list", "--json")).doesNotContain("\"next\"");
  }

  @Test
  void schedulesAreListedPausedResumedAndTriggered() throws Exception {
    try (Waybill waybill = waybill()) {
      waybill.jobs().schedules().put(Schedule.of("nightly", "mail", "30 2 * * *"));
      assertThat(fine("schedules", "list")).contains("nightly").contains("30 2 * * *");
      assertThat(fine("schedules", "pause", "nightly")).startsWith("Paused nightly.");
      assertThat(fine("schedules", "next", "nightly", "--count", "2"))
          .contains("02:30")
          .contains("paused");
      assertThat(fine("schedules", "resume", "nightly", "--json")).contains("\"active\" : true");
      assertThat(fine("schedules", "trigger", "nightly")).startsWith("Enqueued ");
      assertThat(waybill.jobs().schedules().fires("nightly", 10)).hasSize(1);
    }
    assertThat(run("schedules", "trigger", "daily").err()).contains("no schedule 'daily'");
  }

  @Test
  void workflowsAreShownDrawnAndTheirGatesCompleted() throws Exception {
    try (Waybill waybill = waybill()) {
      UUID run =
          waybill
              .workflows()
              .start(
                  Workflow.of("order")
                      .step(Step.gate("approve").token("secret"))
                      .step(Step.job("tell", "mail").after("approve"))
                      .attribute("customer", "7")
                      .build())
              .id();
      assertThat(fine("workflows", "list", "--attribute", "customer=7"))
          .contains("order")
          .contains("0/2");
      assertThat(fine("status"))
          .contains("runs of workflows: 1 waiting", "gates that wait for somebody: 1, the longest");
      assertThat(fine("workflows", "gates")).contains(run.toString(), "approve");
      assertThat(fine("workflows", "gates", "--tenant", "nobody")).doesNotContain(run.toString());
      assertThat(
              fine(
                  "workflows",
                  "gates",
                  "--after",
                  "2999-01-31T12:00:00Z/01a1ec60-63e2-7000-811f-012498d6e1a2"))
          .doesNotContain(run.toString());
      assertThat(run("workflows", "gates", "--after", "x").exit()).isEqualTo(2);
      assertThat(fine("workflows", "show", run.toString()))
          .contains("waits for approve")
          .contains("customer: 7");
      assertThat(fine("workflows", "graph", run.toString())).contains("\"approve\" -> \"tell\"");
      assertThat(fine("workflows", "graph", run.toString(), "--format", "mermaid"))
          .startsWith("flowchart");
      assertThat(fine("workflows", "graph", run.toString(), "--format", "svg"))
          .startsWith("<svg")
          .endsWith("</svg>\n")
          .contains(">approve</text>");
      Cli refused = run("workflows", "complete-gate", run.toString(), "approve");
      assertThat(refused.exit()).isEqualTo(1);
      assertThat(
              fine("workflows", "complete-gate", run.toString(), "approve", "--token-env", "GATE"))
          .contains("approve");
      assertThat(fine("workflows", "show", run.toString(), "--json"))
          .contains("\"status\" : \"succeeded\"")
          .contains("\"status\" : \"enqueued\"");
      assertThat(fine("workflows", "cancel", run.toString(), "--reason", "no", "--yes"))
          .contains("canceled");
      assertThat(waybill.workflows().await(Scope.admin(), run, Duration.ofSeconds(30)).status())
          .isEqualTo(WorkflowStatus.CANCELED);
      assertThat(fine("workflows", "retry", run.toString(), "--reason", "yes", "--yes"))
          .contains("running");
      fine("workflows", "cancel", run.toString(), "--reason", "no", "--yes");
      waybill.workflows().await(Scope.admin(), run, Duration.ofSeconds(30));
      assertThat(
              fine(
                  "workflows",
                  "compensate",
                  run.toString(),
                  "--undo",
                  "approve=mail",
                  "--reason",
                  "no",
                  "--yes"))
          .contains(": started.");
      assertThat(fine("workflows", "list", "--attribute", Compensation.ATTRIBUTE + "=" + run))
          .contains("running");
      Cli undone = run("workflows", "retry", run.toString(), "--reason", "yes", "--yes");
      assertThat(undone.exit()).isEqualTo(1);
      assertThat(undone.err()).contains("was undone by run");
    }
  }
}

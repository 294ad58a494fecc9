package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.Compensation;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepHandler;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowException.InvalidArgument;
import dev.waybill.workflow.WorkflowPicture;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Map steps: as many jobs as an array has elements, which is known only when they begin. */
@EveryDatabase
@Timeout(120)
class WorkflowMapTest {
  private static final Scope GLOBAL = Scope.global();

  private final WorkflowBench bench;
  private final Queue<String> ran = new ConcurrentLinkedQueue<>();

  WorkflowMapTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "plan", "t");
  }

  /** What there is to do is what the gate was told. */
  private static Step.Builder plan() {
    return Step.gate("plan");
  }

  private static Step.Builder pick() {
    return Step.map("pick", "t").over("plan", "/items");
  }

  private void plan(UUID run, String output) {
    bench.workflows().completeGate(GateCompletion.succeed(GLOBAL, run, "plan", output));
  }

  /** Says what it was given, unless that is not to succeed. */
  private StepHandler echo(String... failing) {
    return step -> {
      ran.add(step.step());
      return List.of(failing).contains(step.payload())
          ? JobResult.fail("test.failed", "as told")
          : JobResult.success("{\"got\":" + step.payload() + "}");
    };
  }

  private @Nullable String output(UUID run, String step) {
    return bench.workflows().stepBody(GLOBAL, run, step).orElseThrow().output();
  }

  @Test
  void eachElementIsAJobAndTheirOutputsComeTogetherInOrder() throws Exception {
    Map<String, String> seen = new ConcurrentHashMap<>();
    UUID run =
        bench.start(
            WorkflowBench.of(
                    plan(),
                    pick().stage("picking").priority(3),
                    Step.job("ship", "t").after("pick", Condition.at("/2/got").is("3")))
                .resultStep("pick"));
    plan(run, "{\"items\":[{\"n\": 1},\"zw\u00f6lf\",3]}");
    assertThat(bench.statuses(run))
        .containsExactly(
            Map.entry("plan", StepStatus.SUCCEEDED),
            Map.entry("pick[0]", StepStatus.ENQUEUED),
            Map.entry("pick[1]", StepStatus.ENQUEUED),
            Map.entry("pick[2]", StepStatus.ENQUEUED),
            Map.entry("pick", StepStatus.RUNNING),
            Map.entry("ship", StepStatus.BLOCKED));
    StepInfo element = bench.step(run, "pick[1]");
    assertThat(element.map()).isEqualTo("pick");
    assertThat(element.after()).isEqualTo(pick().build().after());
    assertThat(bench.step(run, "pick").blockedBy())
        .containsExactly("pick[0]", "pick[1]", "pick[2]");
    assertThat(bench.jobs().find(GLOBAL, element.id()).orElseThrow().priority()).isEqualTo(3);
    assertThat(WorkflowPicture.of(bench.get(run), bench.workflows().steps(GLOBAL, run)).dot())
        .contains("\"plan\" -> \"pick[1]\"", "\"pick[1]\" -> \"pick\"", "\"pick\" -> \"ship\"")
        .doesNotContain("\"plan\" -> \"pick\" ", " of ");
    try (Engine workers =
        bench.start(
            "t",
            step -> {
              if (step.step().equals("ship")) {
                seen.putAll(step.inputs());
                seen.put("one", step.input("pick[1]").orElse("none"));
              } else {
                seen.put(step.step(), step.input("plan").orElse("none"));
              }
              return JobResult.success("{\"got\":" + step.payload() + "}");
            })) {
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    String all = "[{\"got\":{\"n\":1}},{\"got\":\"zw\u00f6lf\"},{\"got\":3}]";
    assertThat(output(run, "pick")).isEqualTo(all);
    assertThat(bench.workflows().body(GLOBAL, run).orElseThrow().result()).isEqualTo(all);
    assertThat(seen)
        .containsEntry("pick", all)
        .containsEntry("one", "{\"got\":\"zw\u00f6lf\"}")
        .containsOnlyKeys("pick", "one", "pick[0]", "pick[1]", "pick[2]");
    assertThat(seen.get("pick[2]")).contains("items");
    assertThat(bench.get(run).steps()).isEqualTo(6);
    assertThat(bench.step(run, "pick").finishedAt()).isNotNull();
  }

  @Test
  void nothingToDoIsDoneAtOnceAndMapsFollowMaps() throws Exception {
    UUID run =
        bench.start(
            WorkflowBench.of(
                plan(),
                pick(),
                Step.map("pack", "t").over("pick", ""),
                Step.gate("last").after("pack"),
                Step.map("label", "t").over("last", "/labels").after("pack")));
    plan(run, "{\"items\":[]}");
    assertThat(bench.statuses(run))
        .containsEntry("pick", StepStatus.SUCCEEDED)
        .containsEntry("pack", StepStatus.SUCCEEDED)
        .containsEntry("last", StepStatus.WAITING);
    assertThat(output(run, "pack")).isEqualTo("[]");
    assertThat(bench.step(run, "pack").releasedAt()).isNotNull();
    bench.workflows().completeGate(GateCompletion.succeed(GLOBAL, run, "last", "{\"labels\":[]}"));
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);

    UUID two =
        bench.start(WorkflowBench.of(plan(), pick(), Step.map("pack", "t").over("pick", "/1/got")));
    plan(two, "{\"items\":[7,[8,9]]}");
    try (Engine workers = bench.start("t", echo())) {
      workers.workflows().wake();
      assertThat(bench.awaitEnd(two).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(output(two, "pack")).isEqualTo("[{\"got\":8},{\"got\":9}]");
  }

  @Test
  void whatCannotBeMappedFailsTheStepAndSaysWhy() throws Exception {
    UUID run =
        bench.start(
            WorkflowBench.of(
                plan(),
                Step.map("missing", "t").over("plan", "/no"),
                Step.map("scalar", "t").over("plan", "/n").mayFail(),
                Step.map("many", "t").over("plan", "/many"),
                Step.map("silent", "t").over("scalar", "").afterEnd("scalar"),
                Step.gate("after").after("missing"),
                Step.gate("rescue").afterEnd("missing", "scalar", "many", "silent")));
    String many =
        IntStream.range(0, 9_994).mapToObj(String::valueOf).collect(Collectors.joining(","));
    plan(run, "{\"n\":5,\"many\":[" + many + "]}");
    assertThat(
            List.of("missing", "scalar", "many", "silent").stream()
                .map(key -> bench.step(run, key).errorCode()))
        .containsExactly(
            MapSteps.MISSING, MapSteps.NOT_AN_ARRAY, MapSteps.TOO_LARGE, MapSteps.MISSING);
    assertThat(bench.step(run, "missing").errorMessage()).contains("'/no' in the output");
    assertThat(bench.statuses(run))
        .containsEntry("missing", StepStatus.FAILED)
        .containsEntry("after", StepStatus.SKIPPED)
        .containsEntry("rescue", StepStatus.WAITING)
        .hasSize(7);
    bench.workflows().completeGate(GateCompletion.succeed(GLOBAL, run, "rescue"));
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.FAILED);
    // What they are over has not changed: so does what becomes of them.
    bench.workflows().retry(GLOBAL, run, "again");
    assertThat(bench.step(run, "many").errorCode()).isEqualTo(MapSteps.TOO_LARGE);
    assertThat(bench.statuses(run)).hasSize(7);
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.FAILED);
  }

  @Test
  void aFailingElementFailsTheMapAndARetryRepeatsItAlone() throws Exception {
    UUID run = bench.start(WorkflowBench.of(plan(), pick(), Step.job("ship", "t").after("pick")));
    plan(run, "{\"items\":[1,2,3]}");
    try (Engine workers = bench.start("t", echo("2"))) {
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
    }
    assertThat(bench.statuses(run))
        .containsEntry("pick[0]", StepStatus.SUCCEEDED)
        .containsEntry("pick[1]", StepStatus.FAILED)
        .containsEntry("pick[2]", StepStatus.SUCCEEDED)
        .containsEntry("pick", StepStatus.FAILED)
        .containsEntry("ship", StepStatus.SKIPPED);
    assertThat(bench.step(run, "pick").errorCode()).isEqualTo(MapSteps.ELEMENT_FAILED);
    assertThat(bench.step(run, "pick").errorMessage())
        .isEqualTo("1 of 3 elements did not succeed: pick[1]");
    ran.clear();
    bench.workflows().retry(GLOBAL, run, "mended");
    assertThat(bench.statuses(run))
        .containsEntry("pick", StepStatus.RUNNING)
        .containsEntry("ship", StepStatus.BLOCKED);
    try (Engine workers = bench.start("t", echo())) {
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(ran).containsExactly("pick[1]", "ship");
    assertThat(output(run, "pick")).isEqualTo("[{\"got\":1},{\"got\":2},{\"got\":3}]");
    assertThat(bench.step(run, "pick").errorCode()).isNull();
  }

  @Test
  void aRerunMakesElementsAnewOrTakesThemOver() throws Exception {
    UUID run = bench.start(WorkflowBench.of(plan(), pick(), Step.job("ship", "t").after("pick")));
    plan(run, "{\"items\":[1,2]}");
    try (Engine workers = bench.start("t", echo())) {
      workers.workflows().wake();
      bench.awaitEnd(run);
      ran.clear();
      UUID whole = bench.workflows().rerun(Rerun.all(GLOBAL, run, "a", "again")).id();
      assertThat(bench.statuses(whole)).containsOnlyKeys("plan", "pick", "ship");
      plan(whole, "{\"items\":[4]}");
      assertThat(bench.awaitEnd(whole).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(output(whole, "pick")).isEqualTo("[{\"got\":4}]");
      assertThat(bench.get(whole).steps()).isEqualTo(4);

      ran.clear();
      UUID fromMap = bench.workflows().rerun(Rerun.from("pick", GLOBAL, run, "b", "again")).id();
      assertThat(bench.awaitEnd(fromMap).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(ran).containsExactlyInAnyOrder("pick[0]", "pick[1]", "ship");

      ran.clear();
      UUID fromElement =
          bench
              .workflows()
              .rerun(Rerun.from("pick[1]", GLOBAL, run, "c", "again").withPayload("5"))
              .id();
      assertThat(bench.awaitEnd(fromElement).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(ran).containsExactly("pick[1]", "ship");
      assertThat(output(fromElement, "pick")).isEqualTo("[{\"got\":1},{\"got\":5}]");

      ran.clear();
      UUID behind = bench.workflows().rerun(Rerun.from("ship", GLOBAL, run, "d", "again")).id();
      assertThat(bench.awaitEnd(behind).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(ran).containsExactly("ship");
      assertThat(bench.step(behind, "pick[0]").map()).isEqualTo("pick");
    }
    assertThatThrownBy(
            () ->
                bench
                    .workflows()
                    .rerun(Rerun.from("pick", GLOBAL, run, "e", "again").withPayload("[1]")))
        .isInstanceOf(InvalidArgument.class)
        .hasMessageContaining("is a MAP");
  }

  @Test
  void aMapIsUndoneElementByElement() throws Exception {
    UUID run = bench.start(WorkflowBench.of(plan(), pick()));
    plan(run, "{\"items\":[1,2,3]}");
    try (Engine workers = bench.start("t", echo("2"))) {
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
      UUID undoing =
          workers
              .workflows()
              .compensate(Compensation.of(GLOBAL, run, "undo").undo("pick", "t").build())
              .id();
      assertThat(bench.awaitEnd(undoing).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.statuses(undoing)).containsOnlyKeys("pick[0]", "pick[2]");
      assertThat(bench.workflows().stepBody(GLOBAL, undoing, "pick[2]").orElseThrow().payload())
          .isEqualTo("{\"output\":{\"got\":3},\"payload\":3,\"step\":\"pick[2]\"}");
    }
  }

  @Test
  void whoeverCancelsTheRunCancelsItsElements() throws Exception {
    UUID run = bench.start(WorkflowBench.of(plan(), pick(), Step.job("ship", "t").after("pick")));
    plan(run, "{\"items\":[1,2]}");
    bench.workflows().cancel(GLOBAL, run, "no");
    assertThat(bench.statuses(run).values())
        .containsExactly(
            StepStatus.SUCCEEDED,
            StepStatus.CANCELED,
            StepStatus.CANCELED,
            StepStatus.CANCELED,
            StepStatus.CANCELED);
    assertThat(bench.count("waybill_job where status < 3")).isZero();
    bench.workflows().retry(GLOBAL, run, "yes");
    try (Engine workers = bench.start("t", echo())) {
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(ran).containsExactlyInAnyOrder("pick[0]", "pick[1]", "ship");
  }

  @Test
  void anOperatorWhoCancelsTheLastElementEndsTheMap() throws Exception {
    UUID run = bench.start(WorkflowBench.of(plan(), pick().mayFail()));
    plan(run, "{\"items\":[1,2]}");
    for (String element : List.of("pick[0]", "pick[1]")) {
      assertThat(bench.step(run, "pick").status()).isEqualTo(StepStatus.RUNNING);
      bench.jobs().cancel(GLOBAL, bench.step(run, element).id(), "not needed");
    }
    assertThat(bench.step(run, "pick").status()).isEqualTo(StepStatus.FAILED);
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
  }

  @Test
  void aMapCanBeAppendedBehindAStepThatHasEnded() throws Exception {
    UUID run = bench.start(WorkflowBench.of(plan(), Step.gate("open")));
    plan(run, "{\"items\":[1,2]}");
    Append append =
        Append.to(GLOBAL, run, "k")
            .step(pick())
            .step(Step.map("none", "t").over("plan", "/items/7"))
            .step(Step.gate("behind").afterEnd("none"))
            .build();
    assertThat(bench.workflows().append(append)).isEqualTo(Append.Outcome.APPENDED);
    assertThat(bench.workflows().append(append)).isEqualTo(Append.Outcome.ALREADY);
    assertThat(bench.statuses(run))
        .containsEntry("pick[0]", StepStatus.ENQUEUED)
        .containsEntry("pick[1]", StepStatus.ENQUEUED)
        .containsEntry("pick", StepStatus.RUNNING)
        .containsEntry("none", StepStatus.FAILED)
        .containsEntry("behind", StepStatus.WAITING)
        .hasSize(7);
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.RUNNING);
    assertThat(bench.get(run).openSteps()).isEqualTo(5);
  }

  @Test
  void outputsThatAreTooLargeTogetherAreLeftWithTheElements() throws Exception {
    Map<String, Integer> seen = new ConcurrentHashMap<>();
    String large = "\"" + "\u00e4".repeat(300_000) + "\"";
    UUID run = bench.start(WorkflowBench.of(plan(), pick(), Step.job("ship", "t").after("pick")));
    plan(run, "{\"items\":[1,2]}");
    try (Engine workers =
        bench.start(
            "t",
            step -> {
              if (step.step().equals("ship")) {
                seen.put("pick", step.input("pick").map(String::length).orElse(0));
                seen.put("pick[1]", step.input("pick[1]").map(String::length).orElse(0));
              }
              return JobResult.success(large);
            })) {
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(seen).containsEntry("pick", 0).containsEntry("pick[1]", large.length());
    assertThat(bench.step(run, "pick").reason()).isEqualTo(MapSteps.OUTPUT_TOO_LARGE);
  }

  @Test
  void manyElementsCostAsManyStatementsAsFew() throws Exception {
    FaultyDataSource counting = new FaultyDataSource(bench.home().dataSource());
    WorkflowBench counted = WorkflowBench.over(bench.home(), counting);
    UUID few = bench.start(WorkflowBench.of(plan(), pick()));
    UUID many = bench.start(WorkflowBench.of(plan(), pick()));
    try (Connection connection = counting.getConnection()) {
      connection.setAutoCommit(false);
      long before = counting.counts().statements();
      counted
          .workflows()
          .completeGate(connection, GateCompletion.succeed(GLOBAL, few, "plan", "{\"items\":[1]}"));
      long small = counting.counts().statements() - before;
      String items =
          IntStream.range(0, 2_000).mapToObj(String::valueOf).collect(Collectors.joining(","));
      counted
          .workflows()
          .completeGate(
              connection,
              GateCompletion.succeed(GLOBAL, many, "plan", "{\"items\":[" + items + "]}"));
      assertThat(counting.counts().statements() - before - small).isEqualTo(small);
      // Those of every gate, what it is over, and the elements.
      assertThat(small).isLessThanOrEqualTo(8);
      connection.commit();
    }
    assertThat(bench.get(many).steps()).isEqualTo(2_002);
    assertThat(bench.count("waybill_job where status < 3")).isEqualTo(2_001);
    // So many are not drawn.
    assertThat(WorkflowPicture.of(bench.get(many), bench.workflows().steps(GLOBAL, many)).mermaid())
        .contains("[[\"pick<br/>0 of 2000<br/>RUNNING\"]]")
        .doesNotContain("pick[7]");
  }
}

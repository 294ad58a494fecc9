package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException;
import dev.waybill.workflow.WorkflowException.InvalidWorkflow;
import dev.waybill.workflow.WorkflowException.NotFound;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowPicture;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What users give and nobody expected: odd names, huge texts, calls in the wrong order. */
@EveryDatabase
@Timeout(300)
class WorkflowOddInputTest {
  private static final Scope GLOBAL = Scope.global();

  private final WorkflowBench bench;

  WorkflowOddInputTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  @Test
  void keysThatDifferInTheirCaseOnlyAreDifferentSteps() throws Exception {
    List<String> keys =
        List.of("a", "A", "a.b", "a:b", "a/b", "a-b_c", "1", "00", "null", "x".repeat(255));
    Workflow.Builder workflow = Workflow.of("odd/Flow:1.0").resultStep("A");
    String before = null;
    for (String key : keys) {
      Step.Builder step = Step.job(key, "t").payload("\"" + key + "\"");
      workflow.step(before == null ? step : step.after(before));
      before = key;
    }
    try (Engine workers =
        bench.start(
            "t",
            step ->
                step.step().equals("A")
                    ? JobResult.success(step.input("a").orElseThrow())
                    : JobResult.success(step.payload()))) {
      UUID run = bench.start(workflow);
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.statuses(run).keySet()).containsExactlyElementsOf(keys);
      assertThat(workers.workflows().body(GLOBAL, run).orElseThrow().result()).isEqualTo("\"a\"");
      assertThat(workers.workflows().stepBody(GLOBAL, run, "A").orElseThrow().output())
          .isEqualTo("\"a\"");
      WorkflowPicture picture =
          WorkflowPicture.of(bench.get(run), bench.workflows().steps(GLOBAL, run));
      assertThat(List.of(picture.dot(), picture.mermaid(), picture.svg()))
          .allSatisfy(text -> assertThat(text).contains("a/b"));
    }
  }

  @Test
  void attributesAreFoundByExactlyWhatTheyAre() {
    List<String> values = List.of("x", "X", "é", "e\u0301", "x y", "😀", "%", "_", "'; --", "a\\b");
    for (String value : values) {
      bench.start(
          WorkflowBench.of(Step.gate("g")).attribute("name", value).attribute("Name", "other"));
    }
    for (String value : values) {
      List<WorkflowInfo> found =
          bench.workflows().list(WorkflowFilter.in(GLOBAL).withAttribute("name", value));
      assertThat(found).as(value).hasSize(1);
      assertThat(bench.workflows().attributes(GLOBAL, found.get(0).id()))
          .containsEntry("name", value)
          .containsEntry("Name", "other");
    }
  }

  @Test
  void whatNoDatabaseTakesIsRefusedOrIsNotThere() throws Exception {
    List<String> nobodys = List.of("\0", "a\0b", "\ud800", "b\udfff", "", " ");
    UUID run = bench.start(WorkflowBench.of(Step.gate("g"), Step.gate("h")).idempotencyKey("k"));
    for (String text : nobodys) {
      String what = text.codePoints().mapToObj(Integer::toHexString).toList().toString();
      assertThatThrownBy(
              () -> bench.workflows().completeGate(GateCompletion.succeed(GLOBAL, run, text, "1")))
          .as(what)
          .isInstanceOf(NotFound.class);
      assertThat(bench.workflows().stepBody(GLOBAL, run, text)).as(what).isEmpty();
      assertThat(bench.workflows().findByKey(GLOBAL, "flow", text)).as(what).isEmpty();
      assertThat(bench.workflows().findByKey(GLOBAL, text, "k")).as(what).isEmpty();
      assertThat(bench.workflows().findActive(GLOBAL, text)).as(what).isEmpty();
      assertThat(bench.workflows().list(WorkflowFilter.in(GLOBAL).withType(text)))
          .as(what)
          .isEmpty();
      assertThat(bench.workflows().list(WorkflowFilter.in(GLOBAL).withAttribute("x", text)))
          .as(what)
          .isEmpty();
      assertThat(bench.workflows().list(WorkflowFilter.in(GLOBAL).withAttribute(text, "x")))
          .as(what)
          .isEmpty();
      assertThatThrownBy(() -> WorkflowBench.of(Step.gate("g")).attribute("x", text).build())
          .as(what)
          .isInstanceOf(InvalidWorkflow.class);
      assertThatThrownBy(() -> WorkflowBench.of(Step.gate("g")).attribute(text, "x").build())
          .as(what)
          .isInstanceOf(InvalidWorkflow.class);
      assertThatThrownBy(() -> WorkflowBench.of(Step.gate("g")).activeKey(text).build())
          .as(what)
          .isInstanceOf(InvalidWorkflow.class);
      assertThatThrownBy(() -> WorkflowBench.of(Step.gate("g")).idempotencyKey(text).build())
          .as(what)
          .isInstanceOf(InvalidWorkflow.class);
      assertThatThrownBy(() -> WorkflowBench.of(Step.gate(text)).build())
          .as(what)
          .isInstanceOf(InvalidWorkflow.class);
      assertThatThrownBy(() -> bench.workflows().rerun(Rerun.from(text, GLOBAL, run, "k", "r")))
          .as(what)
          .isInstanceOf(WorkflowException.class);
    }
    for (String blank : List.of("", " ")) {
      assertThatThrownBy(() -> WorkflowBench.of(Step.gate("g").token(blank)).build())
          .isInstanceOf(InvalidWorkflow.class);
      assertThatThrownBy(() -> Append.to(GLOBAL, run, blank).step(Step.gate("n")).build())
          .isInstanceOf(WorkflowException.class);
    }
    // Keys and tokens are compared by their digests, so they may be anything.
    for (int i = 0; i < 2; i++) {
      assertThat(
              bench
                  .workflows()
                  .append(
                      Append.to(GLOBAL, run, "a\0")
                          .step(Step.gate("n").token("\0").after("h"))
                          .build()))
          .isEqualTo(i == 0 ? Append.Outcome.APPENDED : Append.Outcome.ALREADY);
    }
    // Words are for people: what cannot be stored is replaced.
    bench
        .workflows()
        .completeGate(
            GateCompletion.fail(GLOBAL, run, "g", "c\0\ud800", "m\0" + "x".repeat(9_999)));
    assertThat(bench.step(run, "g").errorCode()).isEqualTo("c??");
    bench.workflows().cancel(GLOBAL, run, "because\0" + "x".repeat(9_999));
    assertThat(bench.get(run).reason()).startsWith("because?");
    bench.workflows().retry(GLOBAL, run, "again\0\ud800" + "x".repeat(9_999));
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.WAITING);
    bench.workflows().cancel(GLOBAL, run, "end");
    for (String text : List.of("\0", "\ud800")) {
      UUID again = bench.workflows().rerun(Rerun.all(GLOBAL, run, "k" + text, "r" + text)).id();
      assertThat(bench.get(again).source()).isEqualTo(run);
    }
  }

  @Test
  void outputsMayBeLargeAndDeep() throws Exception {
    String large = "\"" + "äß😀\\n".repeat(500_000) + "\"";
    String deep = "[".repeat(190) + "7" + "]".repeat(190);
    AtomicInteger seen = new AtomicInteger();
    try (Engine workers =
        bench.start(
            "t",
            step -> {
              if (step.step().equals("after")) {
                seen.set(step.input("large").orElseThrow().length());
              }
              return JobResult.success(step.step().equals("deep") ? deep : large);
            })) {
      UUID run =
          bench.start(
              WorkflowBench.of(
                      Step.job("large", "t").payload(large),
                      Step.job("after", "t").after("large"),
                      Step.job("deep", "t"),
                      Step.job("seven", "t")
                          .after("deep", Condition.at("/0".repeat(190)).is("7.0")),
                      Step.gate("gate"))
                  .input(large)
                  .resultStep("gate"));
      workers
          .workflows()
          .completeGate(GateCompletion.succeed(GLOBAL, run, "gate", "{\"all\":" + large + "}"));
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.statuses(run)).containsEntry("seven", StepStatus.SUCCEEDED);
      assertThat(seen.get()).isGreaterThan(2_000_000);
      assertThat(bench.workflows().body(GLOBAL, run).orElseThrow().result())
          .hasSizeGreaterThan(2_000_000);
    }
  }

  @Test
  void numbersMayBeAbsurd() {
    for (String number :
        List.of("1e999999999", "-1e999999999", "1e-999999999", "0." + "1".repeat(5_000))) {
      UUID run =
          bench.start(
              WorkflowBench.of(
                  Step.gate("g"),
                  Step.gate("same").after("g", Condition.at("/n").is(number)),
                  Step.gate("more").after("g", Condition.at("/n").isGreaterThan("0"))));
      bench
          .workflows()
          .completeGate(GateCompletion.succeed(GLOBAL, run, "g", "{\"n\":" + number + "}"));
      assertThat(bench.statuses(run))
          .containsEntry("same", StepStatus.WAITING)
          .containsEntry("more", number.startsWith("-") ? StepStatus.SKIPPED : StepStatus.WAITING);
    }
  }

  @Test
  void callsInTheWrongOrderAreRefusedAndChangeNothing() throws Exception {
    UUID run = bench.start(WorkflowBench.of(Step.gate("g"), Step.gate("h").after("g")));
    UUID nobody = UUID.randomUUID();
    List<Runnable> wrong = new ArrayList<>();
    for (UUID id : List.of(run, nobody)) {
      wrong.add(() -> bench.workflows().retry(GLOBAL, id, "r"));
      wrong.add(() -> bench.workflows().rerun(Rerun.all(GLOBAL, id, "k", "r")));
      wrong.add(
          () ->
              bench
                  .workflows()
                  .compensate(
                      dev.waybill.workflow.Compensation.of(GLOBAL, id, "r")
                          .undo("g", "t")
                          .build()));
      wrong.add(() -> bench.workflows().completeGate(GateCompletion.succeed(GLOBAL, id, "h")));
      wrong.add(
          () ->
              bench
                  .workflows()
                  .append(
                      Append.to(GLOBAL, id, "k").step(Step.job("g", "t").after("nobody")).build()));
    }
    wrong.add(() -> bench.workflows().cancel(GLOBAL, nobody, "r"));
    wrong.add(() -> bench.workflows().cancel(GLOBAL, run, "  "));
    wrong.add(() -> bench.workflows().cancel(Scope.tenant("other"), run, "r"));
    for (Runnable each : wrong) {
      assertThatThrownBy(each::run).isInstanceOf(WorkflowException.class);
    }
    assertThat(bench.statuses(run))
        .containsEntry("g", StepStatus.WAITING)
        .containsEntry("h", StepStatus.BLOCKED);
    assertThat(bench.count("waybill_workflow")).isEqualTo(1);
    bench.workflows().completeGate(GateCompletion.succeed(GLOBAL, run, "g"));
    bench.workflows().completeGate(GateCompletion.succeed(GLOBAL, run, "h"));
    for (Runnable tooLate :
        List.<Runnable>of(
            () -> bench.workflows().retry(GLOBAL, run, "r"),
            () -> bench.workflows().completeGate(GateCompletion.cancel(GLOBAL, run, "g", "r")),
            () ->
                bench
                    .workflows()
                    .append(Append.to(GLOBAL, run, "k").step(Step.gate("x")).build()))) {
      assertThatThrownBy(tooLate::run).isInstanceOf(WorkflowException.class);
    }
    assertThat(bench.workflows().cancel(GLOBAL, run, "r").status())
        .isEqualTo(WorkflowStatus.SUCCEEDED);
    WorkflowInvariants.hold(bench.home());
  }

  @Test
  void onePatientlyWaitsForAsLongAsHeSays() throws Exception {
    UUID open = bench.start(WorkflowBench.of(Step.gate("g")));
    try (Engine workers = bench.start("t", step -> JobResult.success())) {
      for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE))) {
        assertThat(workers.workflows().await(GLOBAL, open, none).status())
            .isEqualTo(WorkflowStatus.WAITING);
      }
      UUID run = workers.workflows().start(WorkflowBench.of(Step.job("a", "t")).build()).id();
      assertThat(
              workers.workflows().await(GLOBAL, run, Duration.ofSeconds(Long.MAX_VALUE)).status())
          .isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThatThrownBy(
              () -> workers.workflows().await(Scope.tenant("x"), run, Duration.ofSeconds(1)))
          .isInstanceOf(NotFound.class);
    }
  }

  @Test
  void aStepMayCancelItsOwnRunAsItSucceeds() throws Exception {
    AtomicInteger ran = new AtomicInteger();
    try (Engine workers =
        bench.start(
            "t",
            step -> {
              ran.incrementAndGet();
              return JobResult.success("1")
                  .inTransaction(
                      connection ->
                          bench.workflows().cancel(connection, GLOBAL, step.workflow(), "enough"));
            })) {
      UUID run =
          workers
              .workflows()
              .start(WorkflowBench.of(Step.job("a", "t"), Step.job("b", "t").after("a")).build())
              .id();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.CANCELED);
      assertThat(bench.step(run, "b").status()).isEqualTo(StepStatus.CANCELED);
      assertThat(ran).hasValue(1);
      WorkflowInvariants.hold(bench.home());
    }
  }

  @Test
  void aStepMayCompleteAGateOfItsOwnRunAndStartAnotherAsItSucceeds() throws Exception {
    try (Engine workers =
        bench.start(
            "t",
            step ->
                JobResult.success("1")
                    .inTransaction(
                        connection -> {
                          if (step.step().equals("a")) {
                            bench
                                .workflows()
                                .completeGate(
                                    connection,
                                    GateCompletion.succeed(GLOBAL, step.workflow(), "g", "1"));
                            bench
                                .workflows()
                                .start(
                                    connection,
                                    WorkflowBench.of(Step.job("x", "t"))
                                        .idempotencyKey("other")
                                        .build());
                          }
                        }))) {
      UUID run =
          workers
              .workflows()
              .start(
                  WorkflowBench.of(
                          Step.job("a", "t"), Step.gate("g"), Step.job("b", "t").after("a", "g"))
                      .build())
              .id();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(bench.steps(run).values()).extracting(StepInfo::attempt).containsOnly(0, 1);
      UUID other = bench.workflows().findByKey(GLOBAL, "flow", "other").orElseThrow().id();
      assertThat(bench.awaitEnd(other).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      WorkflowInvariants.hold(bench.home());
    }
  }

  @Test
  @Tag("long")
  void theLargestGraphIsStartedAndCanceled() throws Exception {
    Workflow.Builder largest = Workflow.of("largest");
    int layers = 100;
    int width = Workflow.MAX_STEPS / layers;
    for (int layer = 0; layer < layers; layer++) {
      for (int i = 0; i < width; i++) {
        Step.Builder step = Step.job(key(layer, i), "t");
        for (int edge = 0; layer > 0 && edge < 10; edge++) {
          step.afterEnd(key(layer - 1, (i + edge) % width));
        }
        largest.step(step);
      }
    }
    Workflow workflow = largest.build();
    UUID run = bench.workflows().start(workflow).id();
    assertThat(bench.get(run).steps()).isEqualTo(Workflow.MAX_STEPS);
    assertThat(bench.count("waybill_workflow_edge")).isEqualTo((layers - 1L) * width * 10);
    assertThat(bench.count("waybill_job")).isEqualTo(width);
    assertThat(bench.workflows().cancel(GLOBAL, run, "r").status())
        .isEqualTo(WorkflowStatus.CANCELED);
    assertThat(bench.count("waybill_workflow_step where status = 5")).isEqualTo(Workflow.MAX_STEPS);
  }

  private static String key(int layer, int i) {
    return String.format(Locale.ROOT, "s%d.%d", layer, i);
  }
}

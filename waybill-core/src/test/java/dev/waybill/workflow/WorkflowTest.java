package dev.waybill.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.waybill.job.JobException.InvalidRequest;
import dev.waybill.job.Scope;
import dev.waybill.workflow.WorkflowException.InvalidWorkflow;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a graph may be; nothing of it needs a database. */
class WorkflowTest {
  private static List<String> codes(Workflow.Builder workflow) {
    return problems(workflow).stream().map(Problem::code).toList();
  }

  private static List<Problem> problems(Workflow.Builder workflow) {
    InvalidWorkflow refused = catchThrowableOfType(InvalidWorkflow.class, workflow::build);
    assertThat(refused).as("is refused").isNotNull();
    return refused.problems();
  }

  private static Workflow.Builder with(Step.Builder... steps) {
    Workflow.Builder workflow = Workflow.of("order");
    for (Step.Builder step : steps) {
      workflow.step(step);
    }
    return workflow;
  }

  @Test
  void aStepSaysWhatItSaysAndTheRestIsLeftToTheDefinition() {
    Step step =
        Step.job("pick", "pick-items")
            .payload("[1]")
            .priority(7)
            .maxAttempts(2)
            .timeout(Duration.ofSeconds(3))
            .stage("picking")
            .resourceKey("robot")
            .delay(Duration.ofSeconds(1))
            .after("pay")
            .afterEnd("check")
            .atLeast(1)
            .mayFail()
            .build();
    assertThat(step.after())
        .containsExactly(Dependency.onSuccess("pay"), Dependency.onTerminal("check"));
    assertThat(step.priority()).isEqualTo(7);
    assertThat(step.mayFail()).isTrue();
    Step bare = Step.job("pick", "pick-items").build();
    assertThat(bare.priority()).isNull();
    assertThat(bare.maxAttempts()).isNull();
    assertThat(bare.timeout()).isNull();
    assertThat(bare.stage()).isEqualTo("queued");
    assertThat(bare.payload()).isEqualTo("{}");
    assertThat(bare.gate()).isNull();
  }

  @Test
  void onSuccessIsTheDefault() {
    assertThat(Step.job("b", "t").after("a").build().after())
        .containsExactly(new Dependency("a", Dependency.Mode.ON_SUCCESS, null));
  }

  @Test
  void allThatIsWrongIsSaidAtOnce() {
    List<Problem> problems =
        problems(
            Workflow.of("-order")
                .idempotencyKey(" ")
                .activeKey("x".repeat(513))
                .resultStep("nobody")
                .step(Step.job("a", "no type!"))
                .step(Step.job("a", "t").maxAttempts(0).timeout(Duration.ZERO))
                .step(Step.gate("g").priority(1).deadline(Duration.ZERO))
                .step(Step.delay("d", Duration.ofSeconds(-1)))
                .step(Step.job("b", "t").after("b", "a", "a", "ghost").atLeast(9)));
    assertThat(problems)
        .extracting(Problem::code)
        .contains(
            "workflow.invalid_type",
            "workflow.invalid_idempotency_key",
            "workflow.invalid_active_key",
            "workflow.invalid_dag_result_step",
            "workflow.invalid_job_type",
            "workflow.invalid_dag_duplicate_step_key",
            "workflow.invalid_max_attempts",
            "workflow.invalid_timeout",
            "workflow.invalid_step_settings",
            "workflow.invalid_deadline",
            "workflow.invalid_delay",
            "workflow.invalid_dag_self_dependency",
            "workflow.invalid_dag_duplicate_dependency",
            "workflow.invalid_dag_missing_dependency",
            "workflow.invalid_join");
    assertThatThrownBy(() -> with(Step.job("b", "t").after("ghost")).build())
        .hasMessageContaining("'order'")
        .hasMessageContaining("'b': waits for 'ghost'");
  }

  @Test
  void aMapSaysWhatItIsOverAndIsAfterIt() {
    Step map = Step.map("pick", "t").over("plan", "/items").after("pay").build();
    assertThat(map.over()).isEqualTo(new Step.Over("plan", "/items"));
    assertThat(map.after())
        .containsExactly(Dependency.onSuccess("pay"), Dependency.onSuccess("plan"));
    assertThat(Step.map("pick", "t").over("plan", "").afterEnd("plan").build().after())
        .containsExactly(Dependency.onTerminal("plan"));
    List<Problem> problems =
        problems(
            with(
                Step.job("plan", "t").over("other", ""),
                Step.job("other", "t"),
                Step.map("pick[0]", "t").over("plan", "items"),
                Step.map("x".repeat(241), "t").over("plan", ""),
                Step.map("m", "t").payload("1").after("plan"),
                Step.map("n", "no type!").over("ghost", "")));
    assertThat(problems)
        .extracting(Problem::code)
        .containsExactlyInAnyOrder(
            "workflow.invalid_step_settings",
            "workflow.invalid_step_key",
            "workflow.invalid_map",
            "workflow.invalid_step_key",
            "workflow.invalid_step_settings",
            "workflow.invalid_map",
            "workflow.invalid_job_type",
            "workflow.invalid_dag_missing_dependency");
  }

  @Test
  void workflowsInWorkflowsHaveNoKeysAndAnEnd() {
    Workflow inner = with(Step.job("a", "t")).build();
    Step step = Step.workflow("w", inner).inputFrom("p", "/x").build();
    assertThat(step.workflow()).isEqualTo(inner);
    assertThat(step.after()).containsExactly(Dependency.onSuccess("p"));
    List<Problem> problems =
        problems(
            with(
                Step.workflow("keyed", with(Step.job("a", "t")).activeKey("k").build()),
                Step.workflow("busy", inner).priority(1).payload("1").delay(Duration.ofSeconds(1)),
                Step.job("p", "t"),
                Step.workflow("input", inner).inputFrom("p", "x")));
    assertThat(problems)
        .extracting(Problem::code)
        .containsExactlyInAnyOrder(
            "workflow.invalid_step_settings",
            "workflow.invalid_step_settings",
            "workflow.invalid_step_settings",
            "workflow.invalid_step_settings",
            "workflow.invalid_map");
    Workflow deep = inner;
    for (int i = 1; i < Workflow.MAX_DEPTH; i++) {
      deep = with(Step.workflow("w", deep)).build();
    }
    assertThat(problems(with(Step.workflow("w", deep))))
        .extracting(Problem::code)
        .containsExactly("workflow.too_deep");
    Workflow.Builder wide = Workflow.of("wide");
    for (int i = 0; i < Workflow.MAX_STEPS / 2; i++) {
      wide.step(Step.job("s" + i, "t"));
    }
    Workflow half = wide.build();
    assertThat(problems(with(Step.workflow("a", half), Step.workflow("b", half))))
        .extracting(Problem::code)
        .containsExactly("workflow.too_large");
  }

  @Test
  void aCycleIsShownWithItsPath() {
    List<Problem> problems =
        problems(
            with(
                Step.job("start", "t"),
                Step.job("a", "t").after("start", "c"),
                Step.job("b", "t").after("a"),
                Step.job("c", "t").after("b")));
    assertThat(problems)
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.code()).isEqualTo("workflow.invalid_dag_cycle");
              assertThat(problem.message()).contains("'a' → 'b' → 'c' → 'a'");
            });
  }

  @Test
  void aLongChainIsNoProblemAndALongCycleIsFound() {
    Workflow.Builder chain = Workflow.of("chain").step(Step.job("s0", "t"));
    IntStream.range(1, 9_999).forEach(i -> chain.step(Step.job("s" + i, "t").after("s" + (i - 1))));
    assertThat(chain.build().steps()).hasSize(9_999);
    Workflow.Builder ring = Workflow.of("ring").step(Step.job("s0", "t").after("s9998"));
    IntStream.range(1, 9_999).forEach(i -> ring.step(Step.job("s" + i, "t").after("s" + (i - 1))));
    assertThat(codes(ring)).containsExactly("workflow.invalid_dag_cycle");
  }

  @Test
  void aWorkflowHasStepsAndNotTooMany() {
    assertThat(codes(Workflow.of("empty"))).containsExactly("workflow.invalid_dag_empty");
    Workflow.Builder many = Workflow.of("many");
    IntStream.rangeClosed(0, Workflow.MAX_STEPS).forEach(i -> many.step(Step.job("s" + i, "t")));
    assertThat(codes(many)).containsExactly("workflow.too_large");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a b", "-a", "a-", "ä", "a\n"})
  void keysOfStepsAreNames(String key) {
    assertThat(codes(with(Step.job(key, "t")))).contains("workflow.invalid_step_key");
  }

  @Test
  void gatesAndDelaysAreNoJobs() {
    assertThat(codes(with(Step.gate("g").resourceKey("r"))))
        .containsExactly("workflow.invalid_step_settings");
    assertThat(codes(with(Step.gate("g").delay(Duration.ofSeconds(1)))))
        .containsExactly("workflow.invalid_step_settings");
    assertThat(codes(with(Step.delay("d", Duration.ofSeconds(1)).maxAttempts(3))))
        .containsExactly("workflow.invalid_step_settings");
    assertThat(codes(with(Step.job("j", "t").token("secret"))))
        .containsExactly("workflow.invalid_step_settings");
  }

  @Test
  void conditionsAreOnSuccessesAndHaveAPointer() {
    assertThat(
            codes(
                with(
                    Step.job("a", "t"),
                    Step.job("b", "t").after("a", Condition.at("total").is("1")))))
        .containsExactly("workflow.invalid_condition");
    assertThat(
            codes(
                with(
                    Step.job("a", "t"),
                    Step.job("b", "t")
                        .after(
                            new Dependency(
                                "a",
                                Dependency.Mode.ON_TERMINAL,
                                Condition.at("/total").is("1"))))))
        .containsExactly("workflow.invalid_condition");
  }

  @Test
  void aWorkflowBelongsToSomebody() {
    assertThat(codes(with(Step.job("a", "t")).scope(Scope.admin())))
        .containsExactly("workflow.invalid_scope");
    assertThatThrownBy(() -> Scope.tenant(" ")).isInstanceOf(InvalidRequest.class);
  }

  @Test
  void tokensAreNotPrinted() {
    Step gate = Step.gate("g").token("s3cret").build();
    assertThat(gate.toString()).doesNotContain("s3cret");
    assertThat(
            GateCompletion.succeed(Scope.global(), java.util.UUID.randomUUID(), "g")
                .withToken("s3cret")
                .toString())
        .doesNotContain("s3cret");
  }
}

package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.TransactionRequiredException;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Started.Outcome;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException.DefinitionUnavailable;
import dev.waybill.workflow.WorkflowException.IdempotencyConflict;
import dev.waybill.workflow.WorkflowException.InvalidWorkflow;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How runs begin, and when they do not. */
@EveryDatabase
@Timeout(120)
class WorkflowStartTest {
  private final WorkflowBench bench;

  WorkflowStartTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t", "u");
  }

  private static Workflow.Builder two() {
    return WorkflowBench.of(Step.job("a", "t").payload("{\"n\":1}"), Step.job("b", "u").after("a"));
  }

  private static Workflow large() {
    Workflow.Builder large = Workflow.of("large");
    Random random = new Random(7);
    for (int i = 0; i < 600; i++) {
      Step.Builder step = Step.job("s" + i, "t").payload("{\"i\":" + i + "}");
      random
          .ints(0, Math.max(1, i))
          .distinct()
          .limit(Math.min(i, 4))
          .forEach(p -> step.after("s" + p));
      large.step(step);
    }
    return large.build();
  }

  @Test
  void aRunExistsIfAndOnlyIfTheTransactionCommitted() throws Exception {
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      UUID lost = bench.workflows().start(connection, two().build()).id();
      connection.rollback();
      UUID kept = bench.workflows().start(connection, two().build()).id();
      connection.commit();
      assertThat(bench.workflows().find(Scope.admin(), lost)).isEmpty();
      assertThat(bench.workflows().find(Scope.admin(), kept)).isPresent();
    }
    assertThat(bench.count("waybill_workflow_step")).isEqualTo(2);
    assertThat(bench.count("waybill_job")).isEqualTo(1);
    try (Connection connection = bench.home().connect()) {
      assertThatThrownBy(() -> bench.workflows().start(connection, two().build()))
          .isInstanceOf(TransactionRequiredException.class);
    }
  }

  @Test
  void aLargeGraphCostsAsManyStatementsAsASmallOne() throws Exception {
    FaultyDataSource counting = new FaultyDataSource(bench.home().dataSource());
    WorkflowBench counted = WorkflowBench.over(bench.home(), counting);
    Workflow large = large();
    try (Connection connection = counting.getConnection()) {
      connection.setAutoCommit(false);
      long before = counting.counts().statements();
      counted.workflows().start(connection, two().build());
      long small = counting.counts().statements() - before;
      UUID run = counted.workflows().start(connection, large).id();
      assertThat(counting.counts().statements() - before - small).isEqualTo(small);
      assertThat(small).isLessThanOrEqualTo(6);
      connection.commit();
      assertThat(bench.statuses(run)).hasSize(600);
      assertThat(bench.workflows().steps(Scope.admin(), run))
          .allSatisfy(
              step -> {
                Step asked = large.steps().get(Integer.parseInt(step.key().substring(1)));
                assertThat(step.after()).containsExactlyInAnyOrderElementsOf(asked.after());
                assertThat(step.status())
                    .isEqualTo(asked.after().isEmpty() ? StepStatus.ENQUEUED : StepStatus.BLOCKED);
              });
      assertThat(bench.count("waybill_workflow_edge"))
          .isEqualTo(1 + large.steps().stream().mapToInt(step -> step.after().size()).sum());
    }
  }

  @Test
  void whatIsWrongIsSaidBeforeAnySql() throws Exception {
    FaultyDataSource counting = new FaultyDataSource(bench.home().dataSource());
    WorkflowBench counted = WorkflowBench.over(bench.home(), counting);
    Workflow wrong =
        WorkflowBench.of(
                Step.job("a", "t").payload("{"),
                Step.job("b", "t").after("a", Condition.at("/x").isLessThan("true")))
            .input("nonsense")
            .build();
    counting.reset();
    assertThatThrownBy(() -> counted.workflows().start(wrong))
        .isInstanceOfSatisfying(
            InvalidWorkflow.class,
            refused ->
                assertThat(refused.problems())
                    .extracting("code")
                    .containsExactly(
                        "workflow.invalid_payload",
                        "workflow.invalid_condition",
                        "workflow.invalid_input"));
    assertThat(counting.trace()).noneMatch(each -> each.sql().contains("waybill_"));
  }

  @Test
  void everyTypeMustBeDefinedAndEnabled() throws Exception {
    bench.jobs().setEnabled("u", false);
    assertThatThrownBy(
            () ->
                bench.start(
                    WorkflowBench.of(
                        Step.job("a", "t"), Step.job("b", "u"), Step.job("c", "nobody"))))
        .isInstanceOfSatisfying(
            DefinitionUnavailable.class,
            refused -> assertThat(refused.types()).containsExactly("nobody", "u"));
    assertThat(bench.count("waybill_workflow")).isZero();
  }

  @Test
  void defaultsAreFixedAtTheStart() throws Exception {
    UUID run =
        bench.start(
            two()
                .step(
                    Step.job("c", "t")
                        .priority(9)
                        .maxAttempts(7)
                        .timeout(Duration.ofSeconds(3))
                        .resourceKey("r")
                        .stage("mine")));
    bench.home().execute("update waybill_job_definition set max_attempts = 99, priority = 99");
    JobInfo own = bench.jobs().find(Scope.admin(), bench.step(run, "c").id()).orElseThrow();
    assertThat(own.priority()).isEqualTo(9);
    assertThat(own.maxAttempts()).isEqualTo(7);
    assertThat(own.timeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(own.resourceKey()).isEqualTo("r");
    assertThat(own.stage()).isEqualTo("mine");
    assertThat(own.status()).isEqualTo(JobStatus.PENDING);
    // Also when it is disabled meanwhile: the step's job is made, and waits.
    bench.jobs().setEnabled("u", false);
    try (var workers = bench.start("t", step -> dev.waybill.job.JobResult.success())) {
      assertThat(workers).isNotNull();
      bench.await(run, "b", StepStatus.ENQUEUED);
    }
    JobInfo released = bench.jobs().find(Scope.admin(), bench.step(run, "b").id()).orElseThrow();
    assertThat(released.maxAttempts()).isEqualTo(2);
  }

  @Test
  void anIdenticalRequestFindsTheFirstRun() {
    Workflow.Builder keyed = two().idempotencyKey("k").attribute("x", "1");
    Started first = bench.workflows().start(keyed.build());
    assertThat(first.outcome()).isEqualTo(Outcome.STARTED);
    // Other order, other spelling, the default said, and a type disabled since.
    bench.jobs().setEnabled("u", false);
    Started again =
        bench
            .workflows()
            .start(
                Workflow.of("flow")
                    .step(Step.job("b", "u").after("a").atLeast(1))
                    .step(Step.job("a", "t").payload(" {\"n\" : 1.0}"))
                    .idempotencyKey("k")
                    .attribute("x", "1")
                    .build());
    assertThat(again).isEqualTo(new Started(first.id(), Outcome.EXISTING));
    assertThat(bench.workflows().findByKey(Scope.global(), "flow", "k"))
        .hasValueSatisfying(run -> assertThat(run.id()).isEqualTo(first.id()));
  }

  @Test
  void aDifferentRequestIsAConflictThatNamesTheFields() throws Exception {
    UUID first = bench.start(two().idempotencyKey("k"));
    List<Workflow.Builder> others =
        List.of(
            two().idempotencyKey("k").input("[]"),
            two().idempotencyKey("k").resultStep("b"),
            two().idempotencyKey("k").activeKey("x"),
            two().idempotencyKey("k").attribute("a", "b"),
            two().idempotencyKey("k").step(Step.gate("g")));
    List<String> fields = List.of("input", "result_step", "active_key", "attributes", "steps");
    for (int i = 0; i < others.size(); i++) {
      Workflow other = others.get(i).build();
      String field = fields.get(i);
      assertThatThrownBy(() -> bench.workflows().start(other))
          .isInstanceOfSatisfying(
              IdempotencyConflict.class,
              conflict -> assertThat(conflict.existing()).isEqualTo(first))
          .hasMessageContaining(field);
    }
    assertThat(bench.count("waybill_workflow")).isEqualTo(1);
  }

  @Test
  void scopesAndTypesHaveTheirOwnKeys() {
    UUID global = bench.start(two().idempotencyKey("k"));
    UUID tenant = bench.start(two().idempotencyKey("k").scope(Scope.tenant("acme")));
    UUID other =
        bench
            .workflows()
            .start(Workflow.of("other").idempotencyKey("k").step(Step.gate("g")).build())
            .id();
    assertThat(List.of(global, tenant, other)).doesNotHaveDuplicates();
    assertThat(bench.workflows().find(Scope.tenant("acme"), tenant)).isPresent();
    assertThat(bench.workflows().find(Scope.global(), tenant)).isEmpty();
    assertThat(bench.workflows().steps(Scope.global(), tenant)).isEmpty();
    assertThat(bench.workflows().body(Scope.tenant("other"), tenant)).isEmpty();
    assertThat(bench.workflows().list(WorkflowFilter.in(Scope.tenant("acme"))))
        .extracting(WorkflowInfo::id)
        .containsExactly(tenant);
    assertThat(bench.workflows().list(WorkflowFilter.in(Scope.global())))
        .extracting(WorkflowInfo::id)
        .containsExactly(other, global);
    assertThat(bench.jobs().find(Scope.tenant("acme"), bench.step(tenant, "a").id())).isPresent();
  }

  @Test
  void atMostOneRunWithAnActiveKey() {
    Workflow.Builder keyed = two().activeKey("customer 7");
    UUID first = bench.start(keyed);
    assertThat(bench.workflows().start(keyed.build()))
        .isEqualTo(new Started(first, Outcome.ACTIVE));
    assertThat(bench.workflows().findActive(Scope.global(), "customer 7"))
        .hasValueSatisfying(run -> assertThat(run.id()).isEqualTo(first));
    assertThat(
            bench
                .workflows()
                .start(two().activeKey("customer 7").scope(Scope.tenant("a")).build())
                .outcome())
        .isEqualTo(Outcome.STARTED);
    bench.workflows().cancel(Scope.global(), first, "enough");
    Started next = bench.workflows().start(keyed.build());
    assertThat(next.outcome()).isEqualTo(Outcome.STARTED);
    assertThat(next.id()).isNotEqualTo(first);
  }

  @Test
  void oneOfManyConcurrentRequestsMakesTheRun() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (Workflow same :
          List.of(two().idempotencyKey("k").build(), two().activeKey("k").build())) {
        List<Callable<Started>> calls =
            IntStream.range(0, 24)
                .mapToObj(i -> (Callable<Started>) () -> bench.workflows().start(same))
                .toList();
        List<Started> all = threads.invokeAll(calls).stream().map(WorkflowStartTest::join).toList();
        assertThat(all.stream().map(Started::id).distinct()).hasSize(1);
        assertThat(all.stream().filter(Started::isNew)).hasSize(1);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(bench.count("waybill_workflow")).isEqualTo(2);
    assertThat(bench.count("waybill_workflow_step")).isEqualTo(4);
  }

  private static Started join(Future<Started> future) {
    try {
      return future.get();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void runsAreFoundByTypeStatusAndAttribute() {
    List<UUID> runs =
        IntStream.range(0, 5)
            .mapToObj(
                i -> bench.start(two().attribute("customer", "c" + i % 2).attribute("no", "" + i)))
            .collect(Collectors.toList());
    bench.workflows().cancel(Scope.global(), runs.get(0), "test");
    WorkflowFilter all = WorkflowFilter.in(Scope.global());
    assertThat(bench.workflows().list(all.withAttribute("customer", "c0")))
        .extracting(WorkflowInfo::id)
        .containsExactly(runs.get(4), runs.get(2), runs.get(0));
    assertThat(
            bench
                .workflows()
                .list(
                    all.withAttribute("customer", "c0")
                        .withStatus(WorkflowStatus.RUNNING)
                        .withLimit(1)))
        .extracting(WorkflowInfo::id)
        .containsExactly(runs.get(4));
    assertThat(bench.workflows().list(all.withAfter(runs.get(2)).withType("flow")))
        .extracting(WorkflowInfo::id)
        .containsExactly(runs.get(1), runs.get(0));
    assertThat(bench.workflows().list(all.withType("nothing"))).isEmpty();
    assertThat(bench.workflows().attributes(Scope.global(), runs.get(3)))
        .isEqualTo(Map.of("customer", "c1", "no", "3"));
  }
}

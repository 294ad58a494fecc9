package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepHandler;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of graphs: release, join, skip, fail, data. */
@EveryDatabase
@Timeout(120)
class WorkflowRunTest {
  /** Fails if the payload says so, else says its key. */
  private static final StepHandler SCRIPTED =
      step ->
          step.payload().contains("fail")
              ? JobResult.fail("test.failed", "as told")
              : JobResult.success("{\"from\":\"%s\",\"n\":7}".formatted(step.step()));

  private final WorkflowBench bench;

  WorkflowRunTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  private static Step.Builder step(String key) {
    return Step.job(key, "t");
  }

  private static Step.Builder failing(String key) {
    return step(key).payload("\"fail\"");
  }

  private UUID run(StepHandler handler, Step.Builder... steps) throws InterruptedException {
    UUID run = bench.start(WorkflowBench.of(steps));
    try (Engine workers = bench.start("t", handler)) {
      bench.awaitEnd(run);
      assertThat(workers).isNotNull();
    }
    return run;
  }

  @Test
  void aDiamondRunsInItsOrderAndOutputsReachThoseWhoWait() throws Exception {
    ConcurrentLinkedQueue<String> order = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Map<String, String>> inputs = new ConcurrentLinkedQueue<>();
    UUID run =
        bench.start(
            WorkflowBench.of(
                    step("a"),
                    step("b").after("a"),
                    step("c").after("a"),
                    step("d").after("b", "c").payload("{\"own\":1}"))
                .input("{\"order\":42}")
                .resultStep("d"));
    try (Engine workers =
        bench.start(
            "t",
            step -> {
              assertThat(step.workflow()).isEqualTo(run);
              assertThat(step.workflowInput()).contains("42");
              if (step.step().equals("d")) {
                assertThat(step.payload()).contains("own");
                inputs.add(step.inputs());
                assertThat(step.input("b")).isPresent();
                assertThat(step.input("a")).isEmpty();
              }
              order.add(step.step());
              return JobResult.success("\"out of " + step.step() + "\"");
            })) {
      assertThat(workers).isNotNull();
      WorkflowInfo end = bench.awaitEnd(run);
      assertThat(end.status()).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(end.finishedAt()).isNotNull();
      assertThat(end.openSteps()).isZero();
    }
    assertThat(order).hasSize(4).startsWith("a").endsWith("d");
    assertThat(inputs).containsExactly(Map.of("b", "\"out of b\"", "c", "\"out of c\""));
    assertThat(bench.workflows().body(Scope.global(), run))
        .hasValueSatisfying(
            body -> {
              assertThat(body.result()).isEqualTo("\"out of d\"");
              assertThat(body.input()).isEqualTo("{\"order\":42}");
            });
    StepInfo last = bench.step(run, "d");
    assertThat(last.id()).isEqualTo(bench.jobs().find(Scope.admin(), last.id()).orElseThrow().id());
    assertThat(last.attempt()).isEqualTo(1);
    assertThat(last.releasedAt()).isNotNull();
    assertThat(last.startedAt()).isNotNull();
    assertThat(last.finishedAt()).isNotNull();
  }

  @Test
  void aFailureSkipsWhatNeededASuccessAndFailsTheRun() throws Exception {
    UUID run =
        run(
            SCRIPTED,
            failing("a"),
            step("b").after("a"),
            step("c").after("b"),
            step("cleanup").afterEnd("c"),
            step("other"));
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.FAILED);
    assertThat(bench.statuses(run))
        .containsExactly(
            entry("a", StepStatus.FAILED),
            entry("b", StepStatus.SKIPPED),
            entry("c", StepStatus.SKIPPED),
            entry("cleanup", StepStatus.SUCCEEDED),
            entry("other", StepStatus.SUCCEEDED));
    StepInfo failed = bench.step(run, "a");
    assertThat(failed.errorCode()).isEqualTo("test.failed");
    assertThat(bench.jobs().find(Scope.admin(), failed.id()))
        .hasValueSatisfying(
            job -> {
              assertThat(job.status()).isEqualTo(JobStatus.DEAD_LETTERED);
              assertThat(job.workflow()).isEqualTo(run);
            });
    assertThat(bench.step(run, "b").reason()).isEqualTo("workflow.dependency_unsatisfied");
  }

  @Test
  void aStepIsSkippedOnlyWhenAllItsPrerequisitesHaveEnded() throws Exception {
    // 'after' follows the end of 'join', which must not come before 'slow' has ended.
    ConcurrentLinkedQueue<String> order = new ConcurrentLinkedQueue<>();
    UUID run =
        run(
            step -> {
              order.add(step.step());
              return SCRIPTED.run(step);
            },
            failing("quick"),
            step("s1"),
            step("slow").after("s1"),
            step("join").after("quick", "slow"),
            step("after").afterEnd("join"));
    assertThat(order).endsWith("after");
    assertThat(bench.statuses(run)).containsEntry("join", StepStatus.SKIPPED);
  }

  @Test
  void aStepThatMayFailDoesNotFailTheRun() throws Exception {
    UUID run = run(SCRIPTED, failing("a").mayFail(), step("b").afterEnd("a"));
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    assertThat(bench.statuses(run)).containsEntry("a", StepStatus.FAILED);
  }

  @Test
  void oneOfManyAndSomeOfMany() throws Exception {
    UUID run =
        run(
            SCRIPTED,
            failing("a").mayFail(),
            step("b"),
            step("c"),
            step("any").after("a", "b", "c").any(),
            step("two").after("a", "b", "c").atLeast(2),
            step("three").after("a", "b", "c").atLeast(3));
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    assertThat(bench.statuses(run))
        .contains(
            entry("any", StepStatus.SUCCEEDED),
            entry("two", StepStatus.SUCCEEDED),
            entry("three", StepStatus.SKIPPED));
  }

  @Test
  void anyDoesNotWaitForTheOthers() throws Exception {
    UUID run =
        bench.start(
            WorkflowBench.of(
                step("now"), Step.gate("never"), step("any").after("now", "never").any()));
    try (Engine workers = bench.start("t", SCRIPTED)) {
      assertThat(workers).isNotNull();
      bench.await(run, "any", StepStatus.SUCCEEDED);
      bench.await(run, WorkflowStatus.WAITING);
    }
    assertThat(bench.statuses(run)).containsEntry("never", StepStatus.WAITING);
  }

  @Test
  void conditionsChooseTheWay() throws Exception {
    UUID run =
        run(
            SCRIPTED,
            step("a"),
            step("yes").after("a", Condition.at("/n").is("7.0")),
            step("no").after("a", Condition.at("/n").isGreaterThan("7")),
            step("absent").after("a", Condition.at("/x").isAbsent()),
            step("behind").after("no"),
            step("join").after("yes", "no").any());
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    assertThat(bench.statuses(run))
        .contains(
            entry("yes", StepStatus.SUCCEEDED),
            entry("no", StepStatus.SKIPPED),
            entry("absent", StepStatus.SUCCEEDED),
            entry("behind", StepStatus.SKIPPED),
            entry("join", StepStatus.SUCCEEDED));
  }

  @Test
  void aRetryLeavesThoseWhoWaitWhereTheyAre() throws Exception {
    ConcurrentLinkedQueue<Map<String, StepStatus>> seen = new ConcurrentLinkedQueue<>();
    UUID run = bench.start(WorkflowBench.of(step("a"), step("b").after("a")));
    try (Engine workers =
        bench.start(
            "t",
            step -> {
              seen.add(bench.statuses(run));
              return step.step().equals("a") && step.attempt() == 1
                  ? JobResult.retry("test.again", "once more")
                  : JobResult.success();
            })) {
      assertThat(workers).isNotNull();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(List.copyOf(seen).subList(0, 2))
        .allMatch(
            states ->
                states.get("a") == StepStatus.RUNNING && states.get("b") == StepStatus.BLOCKED);
    assertThat(bench.step(run, "a").attempt()).isEqualTo(2);
  }

  @Test
  void aContinuationIsNotTheEndOfAStep() throws Exception {
    UUID run =
        run(
            step ->
                step.step().equals("a") && step.run() < 3
                    ? JobResult.continueAfter(Duration.ZERO)
                    : JobResult.success(),
            step("a"),
            step("b").after("a"));
    assertThat(bench.step(run, "a").run()).isEqualTo(3);
    assertThat(bench.step(run, "b").run()).isEqualTo(1);
  }

  @Test
  void aLongChainOfSkippedStepsCostsAFewStatements() throws Exception {
    Step.Builder[] chain = new Step.Builder[300];
    chain[0] = failing("s0");
    for (int i = 1; i < chain.length; i++) {
      chain[i] = step("s" + i).after("s" + (i - 1));
    }
    UUID run = run(SCRIPTED, chain);
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.FAILED);
    assertThat(bench.statuses(run).values())
        .filteredOn(status -> status == StepStatus.SKIPPED)
        .hasSize(299);
  }

  @Test
  void delaysPassByThemselves() throws Exception {
    UUID run =
        bench.start(
            WorkflowBench.of(
                step("a"),
                Step.delay("wait", Duration.ofHours(1)).after("a"),
                step("b").after("wait").delay(Duration.ofHours(2))));
    try (Engine workers = bench.start("t", SCRIPTED)) {
      bench.await(run, "wait", StepStatus.ENQUEUED);
      assertThat(bench.step(run, "wait").timerAt()).isNotNull();
      assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.RUNNING);
      bench.age(Duration.ofMinutes(61));
      workers.workflows().wake();
      bench.await(run, "b", StepStatus.ENQUEUED);
      bench.age(Duration.ofHours(3));
      workers.workflows().wake();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
  }

  @Test
  void aStepOfADeadProcessIsTriedAgainAndGoesOn() throws Exception {
    UUID run = bench.start(WorkflowBench.of(step("a"), step("b").after("a")));
    bench
        .home()
        .execute(
            "update waybill_job set status = 2, attempt = 1, worker = 'dead', leased_at = 1,"
                + " lease_until = 2");
    try (Engine workers = bench.start("t", SCRIPTED)) {
      assertThat(workers).isNotNull();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    assertThat(bench.step(run, "a").attempt()).isEqualTo(2);
  }

  @Test
  void aStepWhoseProcessesAllDieFailsAndReleasesWhatFollowsItsEnd() throws Exception {
    UUID run = bench.start(WorkflowBench.of(step("a"), step("b").afterEnd("a")));
    bench
        .home()
        .execute(
            "update waybill_job set status = 2, attempt = 2, worker = 'dead', leased_at = 1,"
                + " lease_until = 2");
    try (Engine workers = bench.start("t", SCRIPTED)) {
      assertThat(workers).isNotNull();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
    }
    assertThat(bench.statuses(run))
        .containsExactly(entry("a", StepStatus.FAILED), entry("b", StepStatus.SUCCEEDED));
  }

  @Test
  void aJobThatAnOperatorCancelsIsACanceledStep() throws Exception {
    UUID run =
        bench.start(WorkflowBench.of(step("a"), step("b").after("a"), step("c").afterEnd("a")));
    bench.jobs().cancel(Scope.admin(), bench.step(run, "a").id(), "not wanted");
    assertThat(bench.statuses(run))
        .containsExactly(
            entry("a", StepStatus.CANCELED),
            entry("b", StepStatus.SKIPPED),
            entry("c", StepStatus.ENQUEUED));
    try (Engine workers = bench.start("t", SCRIPTED)) {
      assertThat(workers).isNotNull();
      assertThat(bench.awaitEnd(run).status()).isEqualTo(WorkflowStatus.FAILED);
    }
  }

  @Test
  void whatBlocksWhatIsSeen() {
    UUID run = bench.start(WorkflowBench.of(step("a"), Step.gate("g"), step("b").after("a", "g")));
    StepInfo blocked = bench.step(run, "b");
    assertThat(blocked.status()).isEqualTo(StepStatus.BLOCKED);
    assertThat(blocked.blockedBy()).containsExactly("a", "g");
    assertThat(blocked.needed()).isEqualTo(2);
  }
}

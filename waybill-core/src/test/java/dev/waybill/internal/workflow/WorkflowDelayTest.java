package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobOptions;
import dev.waybill.job.JobResult;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Time that a step waits for begins when a job ends: whoever keeps the time hears of it, instead of
 * finding it when he looks again, which is after two seconds or more.
 */
@EveryDatabase
@Timeout(180)
class WorkflowDelayTest {
  private static final int LINKS = 12;

  private static final Duration BRIEF = Duration.ofMillis(1);

  private final WorkflowBench bench;

  WorkflowDelayTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  /** A job, something that takes its time, a job, and so on; how long it took. */
  private Duration chain(BiFunction<String, String, Step.Builder> link) throws Exception {
    Workflow.Builder workflow = WorkflowBench.of(Step.job("j0", "t"));
    for (int i = 0; i < LINKS; i++) {
      workflow.step(link.apply("d" + i, "j" + i));
      workflow.step(Step.job("j" + (i + 1), "t").afterEnd("d" + i));
    }
    JobOptions patient =
        WorkflowBench.quick("w1").withPoll(Duration.ofMillis(20), Duration.ofSeconds(3));
    try (Engine workers = bench.start(patient, Map.of("t", step -> JobResult.success()))) {
      UUID run = workers.workflows().start(workflow.build()).id();
      assertThat(bench.awaitEnd(run).status().isTerminal()).isTrue();
      return Duration.between(
          bench.get(run).createdAt(), Objects.requireNonNull(bench.get(run).finishedAt()));
    }
  }

  @Test
  void delaysBetweenJobsTakeAboutAsLongAsTheySay() throws Exception {
    assertThat(chain((key, before) -> Step.delay(key, BRIEF).after(before)))
        .isLessThan(Duration.ofSeconds(LINKS));
  }

  @Test
  void jobsThatWaitForATimeBeginAboutThen() throws Exception {
    assertThat(chain((key, before) -> Step.job(key, "t").delay(BRIEF).after(before)))
        .isLessThan(Duration.ofSeconds(LINKS));
  }

  @Test
  void deadlinesOfGatesBehindJobsAreKept() throws Exception {
    assertThat(chain((key, before) -> Step.gate(key).deadline(BRIEF).mayFail().after(before)))
        .isLessThan(Duration.ofSeconds(LINKS));
  }
}

package dev.waybill.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Health;
import dev.waybill.console.Attention.Level;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.outbox.PartitionStatus;
import dev.waybill.outbox.QueueStatus;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What comes first, and the reasons. */
class AttentionTest {
  private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

  private static PartitionStatus partition(
      int number, long lag, int attempts, @Nullable String error, @Nullable String owner) {
    return new PartitionStatus(
        number,
        100 + lag,
        100,
        attempts,
        error,
        0,
        false,
        error == null ? Duration.ZERO : Duration.ofSeconds(5),
        owner,
        7,
        owner == null ? Duration.ZERO : Duration.ofSeconds(20),
        lag == 0 ? null : Duration.ofMinutes(3));
  }

  private static Sample sample(PartitionStatus... partitions) {
    return new Sample(
        NOW,
        List.of(new QueueStatus("orders", List.of(partitions))),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        Sample.RunsFound.NOTHING,
        new Health(Map.of()),
        Sample.NOTHING_DONE,
        null);
  }

  private static List<String> reasons(Sample sample) {
    return Attention.of(sample).stream().map(Attention.Item::why).toList();
  }

  @Test
  void nothingNeedsAttentionWhileEverythingMoves() {
    assertThat(reasons(sample(partition(0, 0, 0, null, null)))).isEmpty();
    assertThat(reasons(Sample.nothing(NOW))).isEmpty();
  }

  @Test
  void aBlockedPartitionTellsTheMessageTheReasonAndTheNextTry() {
    assertThat(reasons(sample(partition(0, 9, 4, "gateway times out", null))))
        .containsExactly(
            "Message 101 failed 4 times (gateway times out) and blocks 8 behind it; next try in"
                + " 5.0 s.");
  }

  @Test
  void aSlowOneTellsWhoHasTheLeaseAndForHowLong() {
    assertThat(reasons(sample(partition(0, 9, 0, null, "worker-3"))))
        .containsExactly(
            "The oldest message waits for 3 min; delivered by worker-3, whose lease lasts another"
                + " 20.0 s.");
  }

  @Test
  void oneThatNobodyServesSaysSo() {
    assertThat(reasons(sample(partition(0, 1, 0, null, null))))
        .containsExactly(
            "1 message waits since 3 min, and nobody delivers: no process that serves this queue"
                + " seems to run.");
  }

  @Test
  void manyBlockedPartitionsAreOneLine() {
    Sample sample =
        sample(
            IntStream.range(0, 16)
                .mapToObj(number -> partition(number, 2, 1, "no route", null))
                .toArray(PartitionStatus[]::new));
    assertThat(reasons(sample))
        .singleElement()
        .asString()
        .startsWith("16 of 16 partitions are blocked. Partition 0: Message 101 failed once");
  }

  @Test
  void theMostUrgentComesFirst() {
    Sample quiet = sample(partition(0, 1, 0, null, null));
    Sample sample =
        new Sample(
            NOW,
            quiet.queues(),
            List.of(),
            List.of(
                new Sample.JobType(
                    JobDefinition.of("invoice"), true, Map.of(JobStatus.PENDING, 1000L)),
                new Sample.JobType(
                    JobDefinition.of("mail"), false, Map.of(JobStatus.DEAD_LETTERED, 2L))),
            List.of(),
            List.of(),
            Sample.RunsFound.NOTHING,
            new Health(Map.of("sequencer", "connection refused")),
            Sample.NOTHING_DONE,
            null);
    assertThat(Attention.of(sample))
        .extracting(Attention.Item::level)
        .containsExactly(Level.BAD, Level.BAD, Level.WARN, Level.WARN);
    assertThat(reasons(sample))
        .contains(
            "Its last run failed: connection refused",
            "2 jobs have failed for good.",
            "The type is paused; 1000 or more jobs wait.");
  }

  private static WorkflowInfo run(String type, WorkflowStatus status) {
    return new WorkflowInfo(
        UUID.randomUUID(),
        type,
        Scope.global(),
        status,
        3,
        status.isTerminal() ? 0 : 1,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        NOW.minusSeconds(600),
        status.isTerminal() ? NOW : null);
  }

  private static RunWatch.Gate gate(WorkflowInfo run, String key) {
    StepInfo step =
        new StepInfo(
            UUID.randomUUID(),
            key,
            Step.Kind.GATE,
            StepStatus.WAITING,
            null,
            false,
            List.of(),
            List.of(),
            0,
            0,
            0,
            0,
            NOW.minusSeconds(180),
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null);
    return new RunWatch.Gate(run, step);
  }

  private static Sample sample(List<WorkflowInfo> runs, Sample.RunsFound found) {
    return new Sample(
        NOW,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        runs,
        found,
        new Health(Map.of()),
        Sample.NOTHING_DONE,
        null);
  }

  @Test
  void aFailedRunTellsWhichStepFailedAndWhy() {
    WorkflowInfo failed = run("returns", WorkflowStatus.FAILED);
    List<WorkflowInfo> runs = List.of(failed, run("returns", WorkflowStatus.SUCCEEDED));
    assertThat(reasons(sample(runs, Sample.RunsFound.NOTHING)))
        .containsExactly("1 of the newest 2 runs failed, returns.");
    Sample known =
        sample(
            runs,
            new Sample.RunsFound(
                List.of(), Map.of(failed.id(), new RunWatch.Failure("pack", "Shelf 14 is empty"))));
    assertThat(reasons(known))
        .containsExactly("1 of the newest 2 runs failed, returns, at step pack: Shelf 14 is empty");
    assertThat(Attention.of(known)).extracting(Attention.Item::level).containsExactly(Level.BAD);
  }

  @Test
  void aGateThatWaitsIsToldAlsoWhileOtherStepsRun() {
    WorkflowInfo running = run("fulfilment", WorkflowStatus.RUNNING);
    Sample sample =
        sample(
            List.of(running, run("returns", WorkflowStatus.WAITING)),
            new Sample.RunsFound(List.of(gate(running, "approve")), Map.of()));
    assertThat(Attention.of(sample))
        .containsExactly(
            new Attention.Item(
                Level.INFO,
                "Gate approve",
                "A run of fulfilment waits for somebody to complete approve, for 3 min.",
                "/workflows/" + running.id() + "?step=approve"),
            new Attention.Item(
                Level.INFO,
                "Workflows",
                "1 more run waits for somebody to complete a gate.",
                "/workflows?status=WAITING"));
  }

  @Test
  void manyGatesAreOneLine() {
    List<WorkflowInfo> runs =
        IntStream.range(0, 4).mapToObj(i -> run("buy", WorkflowStatus.WAITING)).toList();
    List<RunWatch.Gate> gates = runs.stream().map(run -> gate(run, "agree")).toList();
    assertThat(reasons(sample(runs, new Sample.RunsFound(gates, Map.of()))))
        .containsExactly(
            "4 gates wait for somebody. A run of buy waits for somebody to complete agree, for 3"
                + " min.");
  }
}

package dev.waybill.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Health;
import dev.waybill.console.Attention.Level;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.outbox.PartitionStatus;
import dev.waybill.outbox.QueueStatus;
import dev.waybill.workflow.WaitingGate;
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
        List.of(),
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
            List.of(),
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

  private static WorkflowInfo failedAt(Instant end) {
    return new WorkflowInfo(
        UUID.randomUUID(),
        "returns",
        Scope.global(),
        WorkflowStatus.FAILED,
        3,
        0,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        NOW.minusSeconds(600),
        end);
  }

  private static WaitingGate gate(String type, String step) {
    return new WaitingGate(
        UUID.randomUUID(),
        UUID.randomUUID(),
        type,
        Scope.global(),
        step,
        NOW.minusSeconds(180),
        null);
  }

  private static Sample sample(Sample.RunsFound found) {
    return new Sample(
        NOW,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        found,
        new Health(Map.of()),
        List.of(),
        null);
  }

  private static Sample.RunsFound failed(Map<UUID, RunWatch.Failure> why, WorkflowInfo... failed) {
    return new Sample.RunsFound(List.of(), List.of(failed), why);
  }

  private static Sample.RunsFound gates(int many, String type, String step) {
    return new Sample.RunsFound(
        IntStream.range(0, many).mapToObj(i -> gate(type, step)).toList(), List.of(), Map.of());
  }

  @Test
  void aFailedRunTellsWhichStepFailedAndWhy() {
    WorkflowInfo failed = failedAt(NOW.minusSeconds(60));
    assertThat(reasons(sample(failed(Map.of(), failed))))
        .containsExactly("1 run failed within a day, returns.");
    Map<UUID, RunWatch.Failure> why =
        Map.of(failed.id(), new RunWatch.Failure("pack", "Shelf 14 is empty"));
    Sample known = sample(failed(why, failed));
    assertThat(reasons(known))
        .containsExactly("1 run failed within a day, returns, at step pack: Shelf 14 is empty");
    assertThat(Attention.of(known)).extracting(Attention.Item::level).containsExactly(Level.BAD);
    assertThat(reasons(sample(failed(why, failed, failedAt(NOW.minusSeconds(90))))))
        .containsExactly(
            "2 runs failed within a day; the latest, returns, at step pack: Shelf 14 is empty");
  }

  @Test
  void runsThatFailedLongAgoAreNoNews() {
    assertThat(reasons(sample(failed(Map.of(), failedAt(NOW.minus(Duration.ofDays(2)))))))
        .isEmpty();
  }

  @Test
  void aGateThatWaitsIsToldWithItsRun() {
    WaitingGate gate = gate("fulfilment", "approve");
    assertThat(Attention.of(sample(new Sample.RunsFound(List.of(gate), List.of(), Map.of()))))
        .containsExactly(
            new Attention.Item(
                Level.INFO,
                "Gate approve",
                "A run of fulfilment waits for somebody to complete approve, for 3 min.",
                "/workflows/" + gate.run() + "?step=approve"));
  }

  @Test
  void manyGatesAreOneLine() {
    assertThat(reasons(sample(gates(4, "buy", "agree"))))
        .containsExactly(
            "4 gates wait for somebody. A run of buy waits for somebody to complete agree, for 3"
                + " min.");
    assertThat(reasons(sample(gates(Sample.MOST_GATES + 1, "buy", "agree"))))
        .singleElement()
        .asString()
        .startsWith("More than 100 gates wait for somebody.");
  }
}

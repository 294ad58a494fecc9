package dev.waybill.outbox;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SettingsTest {
  private static final RetryTuning RETRY = OutboxProfile.defaults().retry();
  private static final WorkerTuning TUNING = WorkerTuning.unpaced(10);

  @Test
  void aLeaseLasts30SecondsOfWhich28AreForTheHandler() {
    var lease = LeaseConfig.defaults();
    assertThat(lease.duration()).isEqualTo(ofSeconds(30));
    assertThat(lease.headroom()).isEqualTo(ofSeconds(2));
    assertThat(lease.budget()).isEqualTo(ofSeconds(28));
  }

  @Test
  void aLeaseMayBeShorterThanASecond() {
    var lease = new LeaseConfig(ofMillis(300), ofMillis(50));
    assertThat(lease.budget()).isEqualTo(ofMillis(250));
    assertThat(LeaseConfig.defaults().withHeadroom(ZERO).withDuration(ofSeconds(1)).budget())
        .isEqualTo(ofSeconds(1));
  }

  @Test
  void deadLettersAreKeptForEverUnlessSaidOtherwise() {
    assertThat(new OutboxBuilder().build().deadLetterRetention()).isNull();
    assertThat(new OutboxBuilder().deadLetterRetention(ZERO).build().deadLetterRetention())
        .isEqualTo(ZERO);
    assertInvalid(
        "deadLetterRetention", () -> new OutboxBuilder().deadLetterRetention(ofSeconds(-1)));
  }

  @Test
  void theHeadroomIsShorterThanTheLease() {
    assertInvalid("lease.headroom", () -> new LeaseConfig(ofSeconds(2), ofSeconds(2)));
    assertInvalid("lease.headroom", () -> new LeaseConfig(ofSeconds(2), ofSeconds(3)));
    assertInvalid("lease.headroom", () -> new LeaseConfig(ofSeconds(2), ofSeconds(-1)));
    assertInvalid("lease.duration", () -> new LeaseConfig(ZERO, ZERO));
    assertInvalid("lease.duration", () -> new LeaseConfig(ofSeconds(-1), ZERO));
    assertInvalid(
        "lease.duration", () -> new LeaseConfig(Duration.ofSeconds(Long.MAX_VALUE), ZERO));
  }

  @Test
  void retriesHaveABaseAMaximumAndAThreshold() {
    assertInvalid("retry.base", () -> RETRY.withBase(ZERO));
    assertInvalid("retry.base", () -> RETRY.withBase(ofMillis(-1)));
    assertInvalid("retry.max", () -> RETRY.withMax(RETRY.base().minusMillis(1)));
    assertInvalid("retry.degradeAfter", () -> RETRY.withDegradeAfter(0));
    assertThat(RETRY.withBase(RETRY.max()).base()).isEqualTo(RETRY.max());
  }

  @Test
  void aFailedMessageBlocksUnlessSaidOtherwise() {
    QueueConfig queue =
        new OutboxBuilder()
            .queue("q", Partitions.of(1))
            .leased(message -> MessageResult.ok())
            .build()
            .queues()
            .get(0);
    assertThat(queue.onFailure()).isEqualTo(HeadFailure.block());
    assertThat(HeadFailure.block().maxAttempts()).isZero();
    assertThat(HeadFailure.deadLetterAfter(3).maxAttempts()).isEqualTo(3);
    assertThat(HeadFailure.parkKey().limit()).isEqualTo(1_000);
    assertThat(HeadFailure.parkKey().withLimit(5).withDeadLetterAfter(2))
        .isEqualTo(new HeadFailure.ParkKey(5, 2));
    assertInvalid("onFailure.deadLetterAfter", () -> HeadFailure.deadLetterAfter(0));
    assertInvalid("onFailure.limit", () -> HeadFailure.parkKey().withLimit(0));
    assertInvalid("onFailure.deadLetterAfter", () -> HeadFailure.parkKey().withDeadLetterAfter(0));
    assertInvalid("onFailure.deadLetterAfter", () -> new HeadFailure.ParkKey(1, -1));
  }

  @Test
  void aHandlerOfBatchesCannotParkKeysNorOneThatIsNotThere() {
    assertInvalid("onFailure", () -> parking().batchLeased(batch -> HandlerResult.success()));
    assertInvalid(
        "onFailure", () -> parking().batchTransactional((tx, messages) -> HandlerResult.success()));
    assertInvalid("onFailure or concurrency", () -> parking().produceOnly());
    parking().leased(message -> MessageResult.ok());
    parking().transactional((tx, message) -> HandlerResult.success());
  }

  private static QueueBuilder parking() {
    return new OutboxBuilder().queue("q", Partitions.of(1)).onFailure(HeadFailure.parkKey());
  }

  @Test
  void workersHaveABatchAndAPace() {
    assertInvalid("batchSize", () -> TUNING.withBatchSize(0));
    assertInvalid("minInterval", () -> TUNING.withPace(ofMillis(1), ofMillis(2), ZERO));
    assertInvalid("activeInterval", () -> TUNING.withPace(ofMillis(-1), ZERO, ZERO));
    assertInvalid("minInterval", () -> TUNING.withPace(ZERO, ofMillis(-1), ZERO));
    assertInvalid("rampStep", () -> TUNING.withPace(ZERO, ZERO, ofMillis(-1)));
    assertInvalid("vacuumPoll", () -> OutboxProfile.defaults().withVacuumPoll(ZERO));
    assertInvalid("reconcileInterval", () -> OutboxProfile.defaults().withReconcileInterval(ZERO));
  }

  @Test
  void theProfilesHaveTheReferencesNumbers() {
    assertThat(all().map(p -> p.processor().batchSize())).containsExactly(10, 10, 100, 10);
    assertThat(all().map(p -> p.sequencer().batchSize())).containsExactly(1000, 500, 2000, 1000);
    assertThat(all().map(p -> p.vacuum().batchSize())).containsOnly(10_000);
    assertThat(all().map(OutboxProfile::retry))
        .containsExactly(
            new RetryTuning(ofSeconds(1), ofSeconds(60), 2),
            new RetryTuning(ofMillis(100), ofSeconds(10), 3),
            new RetryTuning(ofSeconds(1), ofSeconds(60), 2),
            new RetryTuning(ofSeconds(5), ofMinutes(5), 1));
    assertThat(all().map(p -> p.reconcileInterval().toSeconds()))
        .containsExactly(60L, 30L, 60L, 120L);
  }

  @Test
  void onlyTheRelaxedProfilePausesWhileWorkWaits() {
    assertThat(all().map(OutboxProfile::processor).map(WorkerTuning::activeInterval))
        .containsExactly(ZERO, ZERO, ZERO, ofMillis(500));
    assertThat(all().map(OutboxProfile::sequencer).map(WorkerTuning::activeInterval))
        .containsExactly(ZERO, ZERO, ZERO, ofMillis(500));
  }

  @Test
  void theVacuumSpeedsUpUntilItNoLongerPauses() {
    assertThat(all().map(p -> p.vacuum().minInterval())).containsOnly(ZERO);
    assertThat(all().map(p -> p.vacuum().rampStep())).doesNotContain(ZERO);
  }

  @Test
  void aProfileIsChangedOnePartAtATime() {
    var profile =
        OutboxProfile.lowLatency()
            .withProcessor(TUNING)
            .withRetry(RETRY)
            .withSequencer(TUNING)
            .withVacuum(TUNING)
            .withVacuumPoll(ofSeconds(1))
            .withReconcileInterval(ofSeconds(2));
    assertThat(profile)
        .isEqualTo(new OutboxProfile(TUNING, RETRY, TUNING, TUNING, ofSeconds(1), ofSeconds(2)));
  }

  private static Stream<OutboxProfile> all() {
    return Stream.of(
        OutboxProfile.defaults(),
        OutboxProfile.lowLatency(),
        OutboxProfile.highThroughput(),
        OutboxProfile.relaxed());
  }

  private static void assertInvalid(String field, ThrowingCallable attempt) {
    assertThatThrownBy(attempt)
        .isInstanceOfSatisfying(
            OutboxException.InvalidSetting.class, e -> assertThat(e.field()).isEqualTo(field))
        .hasMessageContaining(field);
  }
}

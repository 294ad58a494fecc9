package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.internal.store.JobLeaseStore.Settled;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class VerdictTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final Verdict LONGEST = new Verdict(() -> 0.9999999999);
  private static final Verdict SHORTEST = new Verdict(() -> 0);

  private static Lease lease(int attempt, int maxAttempts) {
    return new Lease(
        new Fence(UUID.randomUUID(), 4, attempt, "w"),
        "mail",
        maxAttempts,
        100,
        NOW.minusSeconds(5),
        NOW.plusSeconds(5),
        null,
        null,
        null,
        NOW);
  }

  private static Settled settle(Ending ending) {
    return LONGEST.on(lease(1, 3), ending, RetryPolicy.standard());
  }

  @ParameterizedTest
  @CsvSource({"1,PT1S,PT10S", "2,PT2S,PT20S", "3,PT4S,PT40S", "6,PT30S,PT5M", "1000,PT30S,PT5M"})
  void theWaitGrowsUpToTheCapAndIsSpread(int attempt, String shortest, String longest) {
    RetryPolicy policy = RetryPolicy.standard();
    assertThat(SHORTEST.delay(policy, "x", attempt)).isEqualTo(Duration.parse(shortest));
    assertThat(LONGEST.delay(policy, "x", attempt))
        .isBetween(Duration.parse(longest).minusMillis(1), Duration.parse(longest));
  }

  @Test
  void aCodeMayHaveADelayOfItsOwn() {
    RetryPolicy policy = RetryPolicy.standard().withDelay("busy", Duration.ofHours(1));
    assertThat(SHORTEST.delay(policy, "busy", 5)).isEqualTo(Duration.ofHours(1));
    assertThat(SHORTEST.delay(policy, "other", 1)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aDemandExtendsTheWaitAndNeverShortensIt() {
    JobResult.Retry retry = JobResult.retry("c", "m");
    Instant policy = settle(Ending.of(retry)).dueAt();
    assertThat(settle(Ending.of(retry.after(Duration.ofSeconds(3)))).dueAt()).isEqualTo(policy);
    assertThat(settle(Ending.of(retry.after(Duration.ZERO))).dueAt()).isEqualTo(policy);
    assertThat(settle(Ending.of(retry.notBefore(NOW.minusSeconds(9)))).dueAt()).isEqualTo(policy);
    assertThat(settle(Ending.of(retry.after(Duration.ofHours(1)))).dueAt())
        .isEqualTo(NOW.plusSeconds(3600));
    assertThat(
            settle(Ending.of(retry.after(Duration.ofHours(1)).notBefore(NOW.plusSeconds(7200))))
                .dueAt())
        .isEqualTo(NOW.plusSeconds(7200));
    assertThat(settle(Ending.of(retry.notBefore(Instant.MAX))).outcome())
        .isEqualTo(AttemptOutcome.TERMINAL);
  }

  @ParameterizedTest
  @EnumSource(AttemptOutcome.class)
  void everyOutcomeHasItsConsequence(AttemptOutcome outcome) {
    Settled first = LONGEST.on(lease(1, 2), Ending.of(outcome, "c", "m"), RetryPolicy.standard());
    Settled last = LONGEST.on(lease(2, 2), Ending.of(outcome, "c", "m"), RetryPolicy.standard());
    Set<AttemptOutcome> retried =
        Set.of(
            AttemptOutcome.RETRYABLE,
            AttemptOutcome.TIMEOUT,
            AttemptOutcome.LEASE_EXPIRED,
            AttemptOutcome.PANICKED);
    switch (outcome) {
      case SUCCEEDED -> assertThat(first.status()).isEqualTo(JobStatus.SUCCEEDED);
      case CONTINUED -> {
        assertThat(first.status()).isEqualTo(JobStatus.PENDING);
        assertThat(last.run()).isEqualTo(5);
        assertThat(last.attempt()).isZero();
      }
      case RELEASED -> {
        assertThat(last.status()).isEqualTo(JobStatus.PENDING);
        assertThat(last.attempt()).isEqualTo(1);
      }
      default -> {
        assertThat(first.status())
            .isEqualTo(retried.contains(outcome) ? JobStatus.SCHEDULED : JobStatus.DEAD_LETTERED);
        assertThat(last.status()).isEqualTo(JobStatus.DEAD_LETTERED);
        assertThat(last.dueAt()).isNull();
      }
    }
  }

  @Test
  void thePolicyIsStoredWithoutLoss() {
    RetryPolicy policy =
        new RetryPolicy(
                Duration.ofMillis(1500), 1.75, Duration.ofDays(2), java.util.Map.of(), false)
            .withDelay("ü\"", Duration.ofSeconds(3));
    assertThat(RetryPolicyText.read(RetryPolicyText.write(policy))).isEqualTo(policy);
  }
}

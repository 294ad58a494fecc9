package dev.waybill.internal.job;

import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.internal.store.JobLeaseStore.Settled;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobStatus;
import dev.waybill.job.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of a job whose attempt has ended: the one place, for workers and the reaper.
 *
 * @param random numbers from 0 (inclusive) to 1 (exclusive)
 */
record Verdict(DoubleSupplier random) {
  static final String EXHAUSTED = "ATTEMPTS_EXHAUSTED";

  /** A retry never comes sooner than this part of what the policy allows at most. */
  private static final double LEAST_PART = 0.1;

  Settled on(Lease lease, Ending ending, RetryPolicy policy) {
    return switch (ending.outcome()) {
      case SUCCEEDED ->
          settled(lease, ending, JobStatus.SUCCEEDED, 0, null, "completed", null, null);
      case CONTINUED ->
          waiting(lease, ending, 1, lease.now().plus(ending.delay()), "CONTINUED", null);
      case RELEASED ->
          new Settled(
              lease,
              AttemptOutcome.RELEASED,
              JobStatus.PENDING,
              lease.fence().run(),
              lease.fence().attempt() - 1,
              null,
              "queued",
              AttemptOutcome.RELEASED.name(),
              null,
              null,
              null,
              null,
              null,
              null);
      case RETRYABLE, TIMEOUT, LEASE_EXPIRED -> failed(lease, ending, policy, true);
      case PANICKED -> failed(lease, ending, policy, policy.retryPanics());
      case TERMINAL, CANCELED -> failed(lease, ending, policy, false);
    };
  }

  private Settled failed(Lease lease, Ending ending, RetryPolicy policy, boolean retryable) {
    boolean exhausted = lease.fence().attempt() >= lease.maxAttempts();
    if (!retryable || exhausted) {
      String reason = retryable ? EXHAUSTED : ending.outcome().name();
      return settled(lease, ending, JobStatus.DEAD_LETTERED, 0, null, "completed", reason, null);
    }
    Duration delay = delay(policy, ending.code(), lease.fence().attempt());
    Instant due = later(lease.now().plus(delay), demanded(lease.now(), ending));
    return waiting(lease, ending, 0, due, ending.outcome().name(), delay);
  }

  /** What the handler demanded, which can only make the wait longer. */
  private static @Nullable Instant demanded(Instant now, Ending ending) {
    Duration after = ending.after();
    return later(after == null ? null : now.plus(after), ending.notBefore());
  }

  private static @Nullable Instant later(@Nullable Instant one, @Nullable Instant other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.isAfter(other) ? one : other;
  }

  Duration delay(RetryPolicy policy, @Nullable String code, int attempt) {
    Duration own = code == null ? null : policy.byCode().get(code);
    if (own != null) {
      return own;
    }
    double cap = (double) policy.cap().toNanos();
    double limit = Math.min(cap, policy.base().toNanos() * Math.pow(policy.factor(), attempt - 1));
    double part = LEAST_PART + (1 - LEAST_PART) * random.getAsDouble();
    return Duration.ofNanos((long) (limit * part));
  }

  private static Settled waiting(
      Lease lease,
      Ending ending,
      int moreRuns,
      @Nullable Instant due,
      String reason,
      @Nullable Duration policyDelay) {
    JobStatus status =
        due != null && due.isAfter(lease.now()) ? JobStatus.SCHEDULED : JobStatus.PENDING;
    return settled(lease, ending, status, moreRuns, due, "queued", reason, policyDelay);
  }

  private static Settled settled(
      Lease lease,
      Ending ending,
      JobStatus status,
      int moreRuns,
      @Nullable Instant due,
      String stage,
      @Nullable String reason,
      @Nullable Duration policyDelay) {
    return new Settled(
        lease,
        ending.outcome(),
        status,
        lease.fence().run() + moreRuns,
        moreRuns > 0 ? 0 : lease.fence().attempt(),
        due,
        stage,
        reason,
        ending.code(),
        ending.message(),
        ending.output(),
        ending.checkpoint(),
        policyDelay,
        policyDelay == null ? null : demanded(lease.now(), ending));
  }
}

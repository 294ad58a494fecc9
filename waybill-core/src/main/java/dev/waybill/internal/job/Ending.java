package dev.waybill.internal.job;

import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobResult;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt ended, before anybody decides what becomes of the job.
 *
 * @param delay of a continuation: how long the next run waits
 * @param after of a retry: at least so long
 * @param notBefore of a retry: at least until then
 */
record Ending(
    AttemptOutcome outcome,
    @Nullable String code,
    @Nullable String message,
    Duration delay,
    @Nullable Duration after,
    @Nullable Instant notBefore,
    @Nullable String output,
    @Nullable String checkpoint,
    JobResult.@Nullable Completing completing) {

  static final String TIMED_OUT = "job.timeout_exceeded";
  static final String PANICKED = "job.handler_panic";
  static final String LEASE_EXPIRED = "job.lease_expired";
  static final String INVALID_RESULT = "job.invalid_result";

  private static final Duration LONGEST = Duration.ofDays(36_500);
  private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

  static Ending of(AttemptOutcome outcome, @Nullable String code, @Nullable String message) {
    return new Ending(outcome, code, message, Duration.ZERO, null, null, null, null, null);
  }

  /** What a handler returned; a result that cannot be stored is a terminal failure. */
  static Ending of(@Nullable JobResult result) {
    if (result instanceof JobResult.Success success) {
      String complaint = complaint("output", success.output());
      return complaint != null
          ? invalid(complaint)
          : new Ending(
              AttemptOutcome.SUCCEEDED,
              null,
              null,
              Duration.ZERO,
              null,
              null,
              success.output(),
              null,
              success.completing());
    }
    if (result instanceof JobResult.Continuation next) {
      String complaint = complaint("checkpoint", next.checkpoint());
      if (complaint == null && !isSensible(next.delay())) {
        complaint = "the delay is not between zero and 100 years";
      }
      return complaint != null
          ? invalid(complaint)
          : new Ending(
              AttemptOutcome.CONTINUED,
              null,
              null,
              next.delay(),
              null,
              null,
              null,
              next.checkpoint(),
              next.completing());
    }
    if (result instanceof JobResult.Retry retry) {
      Duration after = retry.after();
      Instant notBefore = retry.notBefore();
      boolean sensible =
          (after == null || isSensible(after)) && (notBefore == null || !notBefore.isAfter(LATEST));
      return sensible
          ? new Ending(
              AttemptOutcome.RETRYABLE,
              Wording.code(retry.code()),
              Wording.of(retry.message()),
              Duration.ZERO,
              after,
              notBefore,
              null,
              null,
              null)
          : invalid("the retry's time is not within 100 years");
    }
    if (result instanceof JobResult.Failure failure) {
      return of(
          AttemptOutcome.TERMINAL, Wording.code(failure.code()), Wording.of(failure.message()));
    }
    return invalid("the handler returned null");
  }

  private static @Nullable String complaint(String what, @Nullable String json) {
    String complaint = json == null ? null : Json.complaintAbout(json);
    return complaint == null ? null : "the " + what + " " + complaint;
  }

  private static boolean isSensible(Duration delay) {
    return !delay.isNegative() && delay.compareTo(LONGEST) <= 0;
  }

  private static Ending invalid(String complaint) {
    return of(AttemptOutcome.TERMINAL, INVALID_RESULT, complaint);
  }

  static Ending panicked(Throwable thrown) {
    return of(AttemptOutcome.PANICKED, PANICKED, Wording.of(thrown));
  }

  static Ending timedOut(Duration timeout) {
    return of(AttemptOutcome.TIMEOUT, TIMED_OUT, "not done after " + timeout);
  }

  static Ending leaseExpired() {
    return of(
        AttemptOutcome.LEASE_EXPIRED, LEASE_EXPIRED, "the worker gave no sign of life in time");
  }

  /** The attempt does not count: it did not begin, or was interrupted by a shutdown. */
  static Ending released() {
    return of(AttemptOutcome.RELEASED, null, null);
  }
}

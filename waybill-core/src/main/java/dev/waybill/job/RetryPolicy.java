package dev.waybill.job;

import dev.waybill.job.JobException.InvalidDefinition;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * When a failed attempt is repeated: the n-th failure of a run waits a random part of {@code base ×
 * factor^(n-1)}, at most {@code cap}; never less than a tenth of it, so that a retry is no
 * hammering.
 *
 * @param base the limit after the first failure
 * @param factor by how much it grows; at least 1
 * @param cap what it never exceeds
 * @param byCode delays for failures of a certain code, in place of all that; not random
 * @param retryPanics whether an exception that the handler lets out is worth another attempt
 */
public record RetryPolicy(
    Duration base, double factor, Duration cap, Map<String, Duration> byCode, boolean retryPanics) {
  private static final int LONGEST_CODE = 200;
  private static final Duration LONGEST = Duration.ofDays(36_500);

  public RetryPolicy {
    byCode = Map.copyOf(new TreeMap<>(byCode));
    require(!base.isNegative() && !base.isZero(), "base", "must be longer than zero");
    require(factor >= 1 && factor <= 1000, "factor", "must be between 1 and 1000");
    require(
        cap.compareTo(base) >= 0 && cap.compareTo(LONGEST) <= 0,
        "cap",
        "must be at least the base and at most 100 years");
    byCode.forEach(
        (code, delay) -> {
          String complaint = JobNames.complaintAbout(code, LONGEST_CODE);
          require(complaint == null, "byCode", "has a code that " + complaint);
          require(
              !delay.isNegative() && !delay.isZero() && delay.compareTo(LONGEST) <= 0,
              "byCode",
              "must have delays longer than zero and of at most 100 years");
        });
  }

  private static void require(boolean valid, String field, String complaint) {
    if (!valid) {
      throw new InvalidDefinition("retry policy", field, complaint);
    }
  }

  /** Up to 10 s, doubling up to 5 minutes; exceptions are retried. */
  public static RetryPolicy standard() {
    return new RetryPolicy(Duration.ofSeconds(10), 2, Duration.ofMinutes(5), Map.of(), true);
  }

  /** With another first limit. */
  public RetryPolicy withBase(Duration value) {
    return new RetryPolicy(value, factor, cap, byCode, retryPanics);
  }

  /** With another growth. */
  public RetryPolicy withFactor(double value) {
    return new RetryPolicy(base, value, cap, byCode, retryPanics);
  }

  /** With another limit for all. */
  public RetryPolicy withCap(Duration value) {
    return new RetryPolicy(base, factor, value, byCode, retryPanics);
  }

  /** With a delay of its own for failures of this code. */
  public RetryPolicy withDelay(String code, Duration delay) {
    Map<String, Duration> more = new TreeMap<>(byCode);
    more.put(code, delay);
    return new RetryPolicy(base, factor, cap, more, retryPanics);
  }

  /** Exceptions that the handler lets out are retried, or not. */
  public RetryPolicy withRetryPanics(boolean value) {
    return new RetryPolicy(base, factor, cap, byCode, value);
  }
}

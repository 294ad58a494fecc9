package dev.waybill.job;

import dev.waybill.job.JobException.InvalidDefinition;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a type of job is: the defaults of its requests and the limits of its workers. Written to the
 * database when it is synchronised, where producers and workers of all processes find it.
 *
 * @param type its name
 * @param version informational
 * @param maxAttempts how often a run is tried
 * @param timeout how long an attempt may take
 * @param priority larger is claimed earlier; a point is worth a minute of waiting
 * @param retryPolicy when a failed attempt is repeated
 * @param enabled whether jobs may be enqueued and claimed
 * @param maxRunning how many run at the same time in all processes; null for any number
 * @param rate how many start in a period in all processes; null for any number
 */
public record JobDefinition(
    String type,
    int version,
    int maxAttempts,
    Duration timeout,
    int priority,
    RetryPolicy retryPolicy,
    boolean enabled,
    @Nullable Integer maxRunning,
    @Nullable Rate rate) {
  private static final Duration LONGEST = Duration.ofDays(36_500);

  /** The largest priority either way: more would not fit the arithmetic of turns. */
  public static final int MAX_PRIORITY = 1_000_000;

  /**
   * So many starts in such a time, evenly refilled.
   *
   * @param count how many
   * @param period in which time
   */
  public record Rate(int count, Duration period) {}

  public JobDefinition {
    require(type, JobNames.isType(type), "type", JobNames.TYPE_RULE);
    require(type, version > 0, "version", "must be at least 1, but is " + version);
    require(type, maxAttempts > 0, "maxAttempts", "must be at least 1, but is " + maxAttempts);
    require(
        type,
        timeout.toMillis() > 0 && timeout.compareTo(LONGEST) <= 0,
        "timeout",
        "must be at least a millisecond and at most 100 years, but is " + timeout);
    require(
        type,
        Math.abs((long) priority) <= MAX_PRIORITY,
        "priority",
        "must be between -1000000 and 1000000, but is " + priority);
    require(
        type,
        maxRunning == null || maxRunning > 0,
        "maxRunning",
        "must be at least 1, but is " + maxRunning);
    require(
        type,
        rate == null
            || (rate.count() > 0
                && rate.period().toMillis() > 0
                && rate.period().compareTo(LONGEST) <= 0),
        "rate",
        "must be at least one in at least a millisecond, but is " + rate);
  }

  private static void require(String type, boolean valid, String field, String complaint) {
    if (!valid) {
      throw new InvalidDefinition(JobNames.quoted(type), field, complaint);
    }
  }

  /** Version 1, 8 attempts, 15 minutes, priority 100, the standard retries, enabled, no limit. */
  public static JobDefinition of(String type) {
    return new JobDefinition(
        type, 1, 8, Duration.ofMinutes(15), 100, RetryPolicy.standard(), true, null, null);
  }

  /** With another version. */
  public JobDefinition withVersion(int value) {
    return new JobDefinition(
        type, value, maxAttempts, timeout, priority, retryPolicy, enabled, maxRunning, rate);
  }

  /** With another number of attempts. */
  public JobDefinition withMaxAttempts(int value) {
    return new JobDefinition(
        type, version, value, timeout, priority, retryPolicy, enabled, maxRunning, rate);
  }

  /** With another timeout. */
  public JobDefinition withTimeout(Duration value) {
    return new JobDefinition(
        type, version, maxAttempts, value, priority, retryPolicy, enabled, maxRunning, rate);
  }

  /** With another priority. */
  public JobDefinition withPriority(int value) {
    return new JobDefinition(
        type, version, maxAttempts, timeout, value, retryPolicy, enabled, maxRunning, rate);
  }

  /** With another retry policy. */
  public JobDefinition withRetryPolicy(RetryPolicy value) {
    return new JobDefinition(
        type, version, maxAttempts, timeout, priority, value, enabled, maxRunning, rate);
  }

  /** Enabled or not. */
  public JobDefinition withEnabled(boolean value) {
    return new JobDefinition(
        type, version, maxAttempts, timeout, priority, retryPolicy, value, maxRunning, rate);
  }

  /** With so many at the same time, in all processes together. */
  public JobDefinition withMaxRunning(@Nullable Integer value) {
    return new JobDefinition(
        type, version, maxAttempts, timeout, priority, retryPolicy, enabled, value, rate);
  }

  /** With so many starts in a period, in all processes together. */
  public JobDefinition withRate(int count, Duration period) {
    return new JobDefinition(
        type,
        version,
        maxAttempts,
        timeout,
        priority,
        retryPolicy,
        enabled,
        maxRunning,
        new Rate(count, period));
  }
}

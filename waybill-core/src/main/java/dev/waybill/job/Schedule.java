package dev.waybill.job;

import dev.waybill.job.JobException.InvalidArgument;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;

/**
 * When to enqueue which job, again and again.
 *
 * @param name unique
 * @param type what to enqueue
 * @param scope whose jobs they are
 * @param payload JSON for each of them
 * @param rule a cron expression, or {@code every} and an ISO duration such as {@code every PT15M}
 * @param zone in which a cron expression is meant
 * @param jitter each fire is delayed by up to this much, always the same for the same time; should
 *     be shorter than the rule's period, or times that are overtaken by the next count as missed
 * @param misfire what to do with times that nobody acted upon
 * @param misfireWindow how old such a time may be to count under {@link Misfire#ALL}
 * @param overlap what to do while the job of the time before is not done
 */
public record Schedule(
    String name,
    String type,
    Scope scope,
    String payload,
    String rule,
    ZoneId zone,
    Duration jitter,
    Misfire misfire,
    Duration misfireWindow,
    Overlap overlap) {
  private static final int LONGEST_RULE = 512;
  private static final Duration LONGEST_JITTER = Duration.ofDays(1);
  private static final Duration LONGEST_WINDOW = Duration.ofDays(366);

  /** What to do with times that nobody acted upon, because no process ran. */
  public enum Misfire {
    /** Nothing: wait for the next one. */
    SKIP,
    /** One job for the latest of them. */
    ONCE,
    /** One job for each of them within the window. */
    ALL
  }

  /** What to do while the job of the time before is not done. */
  public enum Overlap {
    /** Enqueue another. */
    ALLOW,
    /** Leave this time out. */
    SKIP
  }

  public Schedule {
    String complaint = JobNames.complaintAbout(name, 255);
    require(complaint == null, "name", complaint + "");
    require(JobNames.isType(type), "type", JobNames.TYPE_RULE);
    Objects.requireNonNull(payload, "payload");
    Objects.requireNonNull(scope, "scope");
    require(!(scope instanceof Scope.Admin), "scope", "must be global or a tenant's");
    require(
        rule.getBytes(StandardCharsets.UTF_8).length <= LONGEST_RULE,
        "rule",
        "has more than " + LONGEST_RULE + " bytes");
    require(
        !jitter.isNegative() && jitter.compareTo(LONGEST_JITTER) <= 0,
        "jitter",
        "must be between zero and a day");
    require(
        !misfireWindow.isNegative() && misfireWindow.compareTo(LONGEST_WINDOW) <= 0,
        "misfire_window",
        "must be between zero and a year");
  }

  private static void require(boolean valid, String field, String complaint) {
    if (!valid) {
      throw new InvalidArgument(
          "job_schedule.invalid_" + field, "The schedule's " + field + " " + complaint + ".");
    }
  }

  /** A global job with an empty object, in UTC, without jitter; missed times become one. */
  public static Schedule of(String name, String type, String rule) {
    return new Schedule(
        name,
        type,
        Scope.global(),
        "{}",
        rule,
        ZoneOffset.UTC,
        Duration.ZERO,
        Misfire.ONCE,
        Duration.ofDays(1),
        Overlap.ALLOW);
  }

  /** For somebody's jobs. */
  public Schedule withScope(Scope value) {
    return new Schedule(
        name, type, value, payload, rule, zone, jitter, misfire, misfireWindow, overlap);
  }

  /** With JSON for each job. */
  public Schedule withPayload(String json) {
    return new Schedule(
        name, type, scope, json, rule, zone, jitter, misfire, misfireWindow, overlap);
  }

  /** In another zone. */
  public Schedule withZone(ZoneId value) {
    return new Schedule(
        name, type, scope, payload, rule, value, jitter, misfire, misfireWindow, overlap);
  }

  /** With a delay of up to this much. */
  public Schedule withJitter(Duration value) {
    return new Schedule(
        name, type, scope, payload, rule, zone, value, misfire, misfireWindow, overlap);
  }

  /** With another way to treat missed times. */
  public Schedule withMisfire(Misfire value, Duration window) {
    return new Schedule(name, type, scope, payload, rule, zone, jitter, value, window, overlap);
  }

  /** With another way to treat a job that is not done. */
  public Schedule withOverlap(Overlap value) {
    return new Schedule(
        name, type, scope, payload, rule, zone, jitter, misfire, misfireWindow, value);
  }
}

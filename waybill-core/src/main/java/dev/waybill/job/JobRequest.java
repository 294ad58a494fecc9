package dev.waybill.job;

import dev.waybill.job.JobException.InvalidRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A wish that a job be run. What is left open comes from the type's definition.
 *
 * @param type which handler
 * @param scope whose job it is: global or a tenant's
 * @param payload JSON for the handler
 * @param priority larger is claimed earlier
 * @param maxAttempts how often a run is tried
 * @param timeout how long an attempt may take
 * @param dueAt not before this time; an exact moment is part of what an idempotency key stands for
 * @param delay not before this long after the database stores it
 * @param stage a word for people
 * @param resourceKey jobs with the same key share a resource, in whichever process they run
 * @param permits the job begins only while fewer than so many others use its resource; all who use
 *     one should agree about it
 * @param idempotencyKey stands for this request for good: a repetition finds the first job
 * @param uniqueKey at most one job with this key waits or runs at a time
 * @param replacePending with a unique key: a job that still waits takes over payload and time
 */
public record JobRequest(
    String type,
    Scope scope,
    String payload,
    @Nullable Integer priority,
    @Nullable Integer maxAttempts,
    @Nullable Duration timeout,
    @Nullable Instant dueAt,
    @Nullable Duration delay,
    String stage,
    @Nullable String resourceKey,
    int permits,
    @Nullable String idempotencyKey,
    @Nullable String uniqueKey,
    boolean replacePending) {
  private static final int LONGEST_KEY = 512;
  private static final int LONGEST_STAGE = 128;
  private static final int MOST_PERMITS = 10_000;
  private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");
  private static final Duration LONGEST = Duration.ofDays(36_500);

  public JobRequest {
    require(JobNames.isType(type), "type", JobNames.TYPE_RULE);
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(payload, "payload");
    Objects.requireNonNull(stage, "stage");
    require(!(scope instanceof Scope.Admin), "scope", "must be global or a tenant's");
    require(
        priority == null || Math.abs((long) priority) <= JobDefinition.MAX_PRIORITY,
        "priority",
        "must be between -1000000 and 1000000, but is " + priority);
    require(
        maxAttempts == null || maxAttempts > 0,
        "max_attempts",
        "must be at least 1, but is " + maxAttempts);
    require(
        timeout == null || (timeout.compareTo(LONGEST) <= 0 && timeout.toMillis() > 0),
        "timeout",
        "must be at least a millisecond and at most 100 years, but is " + timeout);
    require(dueAt == null || delay == null, "due_at", "and delay exclude each other");
    require(
        dueAt == null || (!dueAt.isAfter(LATEST) && !dueAt.isBefore(Instant.EPOCH)),
        "due_at",
        "must be between the years 1970 and 9999, but is " + dueAt);
    require(
        delay == null || (!delay.isNegative() && delay.compareTo(LONGEST) <= 0),
        "delay",
        "must be between zero and 100 years, but is " + delay);
    text("stage", stage, LONGEST_STAGE);
    text("resource_key", resourceKey, LONGEST_KEY);
    require(
        permits >= 1 && permits <= MOST_PERMITS,
        "permits",
        "must be between 1 and 10000, but is " + permits);
    require(permits == 1 || resourceKey != null, "permits", "needs a resource key");
    text("idempotency_key", idempotencyKey, LONGEST_KEY);
    text("unique_key", uniqueKey, LONGEST_KEY);
    require(
        !replacePending || (uniqueKey != null && idempotencyKey == null),
        "replace_pending",
        "needs a unique key and no idempotency key");
    // What a database stores, so that a repetition compares equal.
    dueAt = dueAt == null ? null : dueAt.truncatedTo(ChronoUnit.MICROS);
  }

  private static void text(String field, @Nullable String text, int longest) {
    String complaint = text == null ? null : JobNames.complaintAbout(text, longest);
    require(complaint == null, field, complaint);
  }

  private static void require(boolean valid, String field, @Nullable String complaint) {
    if (!valid) {
      throw new InvalidRequest(field, String.valueOf(complaint));
    }
  }

  /** A global job of this type with an empty object as its payload; say more and build it. */
  public static Builder of(String type) {
    return new Builder(type);
  }

  /** Gathers what a request says. For one thread. */
  public static final class Builder {
    private final String type;
    private Scope scope = Scope.global();
    private String payload = "{}";
    private @Nullable Integer priority;
    private @Nullable Integer maxAttempts;
    private @Nullable Duration timeout;
    private @Nullable Instant dueAt;
    private @Nullable Duration delay;
    private String stage = "queued";
    private @Nullable String resourceKey;
    private int permits = 1;
    private @Nullable String idempotencyKey;
    private @Nullable String uniqueKey;
    private boolean replacePending;

    private Builder(String type) {
      this.type = type;
    }

    /** Whose job it is. */
    public Builder scope(Scope value) {
      scope = value;
      return this;
    }

    /** JSON for the handler. */
    public Builder payload(String json) {
      payload = json;
      return this;
    }

    /** Larger is claimed earlier. */
    public Builder priority(int value) {
      priority = value;
      return this;
    }

    /** How often a run is tried. */
    public Builder maxAttempts(int value) {
      maxAttempts = value;
      return this;
    }

    /** How long an attempt may take. */
    public Builder timeout(Duration value) {
      timeout = value;
      return this;
    }

    /** Not before this time. */
    public Builder dueAt(Instant value) {
      dueAt = value;
      return this;
    }

    /** Not before this long after it is stored. */
    public Builder delay(Duration value) {
      delay = value;
      return this;
    }

    /** A word for people. */
    public Builder stage(String value) {
      stage = value;
      return this;
    }

    /** Jobs with the same key never run at the same time. */
    public Builder resourceKey(String value) {
      return resourceKey(value, 1);
    }

    /** At most so many jobs with the same key run at the same time. */
    public Builder resourceKey(String value, int atMost) {
      resourceKey = value;
      permits = atMost;
      return this;
    }

    /** Stands for this request for good. */
    public Builder idempotencyKey(String value) {
      idempotencyKey = value;
      return this;
    }

    /** At most one job with this key waits or runs at a time; another request finds that one. */
    public Builder uniqueWhileActive(String key) {
      uniqueKey = key;
      return this;
    }

    /** Like {@link #uniqueWhileActive}; a job that still waits takes over payload and time. */
    public Builder replacePending(String key) {
      uniqueKey = key;
      replacePending = true;
      return this;
    }

    /** The request, if it can be stored. */
    public JobRequest build() {
      return new JobRequest(
          type,
          scope,
          payload,
          priority,
          maxAttempts,
          timeout,
          dueAt,
          delay,
          stage,
          resourceKey,
          permits,
          idempotencyKey,
          uniqueKey,
          replacePending);
    }
  }
}

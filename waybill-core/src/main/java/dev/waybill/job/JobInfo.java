package dev.waybill.job;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is stored, without its JSON; see {@link Jobs#body}.
 *
 * @param leaseUntil the end of the lease; of a canceled job, until when its handler may still run
 * @param workflow the run of a workflow whose step it is; null for a job of its own
 */
public record JobInfo(
    UUID id,
    String type,
    Scope scope,
    JobStatus status,
    int run,
    int attempt,
    int maxAttempts,
    Duration timeout,
    int priority,
    String stage,
    Instant createdAt,
    Instant dueAt,
    @Nullable Instant startedAt,
    @Nullable Instant finishedAt,
    @Nullable String worker,
    @Nullable Instant leasedAt,
    @Nullable Instant leaseUntil,
    @Nullable Long progressDone,
    @Nullable Long progressTotal,
    @Nullable String resourceKey,
    @Nullable String idempotencyKey,
    @Nullable String reason,
    @Nullable String errorCode,
    @Nullable String errorMessage,
    @Nullable UUID workflow) {

  /**
   * The JSON of a job.
   *
   * @param payload what the request said
   * @param checkpoint where its handler would go on
   * @param output what came out
   */
  public record Body(String payload, @Nullable String checkpoint, @Nullable String output) {}
}

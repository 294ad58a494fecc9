package dev.waybill.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that has ended.
 *
 * @param policyDelay what the retry policy said, if the attempt was followed by another
 * @param notBefore what the handler demanded besides
 * @param nextDueAt what came of both
 */
public record JobAttempt(
    int run,
    int attempt,
    String worker,
    Instant leasedAt,
    Instant finishedAt,
    AttemptOutcome outcome,
    @Nullable String errorCode,
    @Nullable String errorMessage,
    @Nullable Duration policyDelay,
    @Nullable Instant notBefore,
    @Nullable Instant nextDueAt) {}

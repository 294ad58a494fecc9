package dev.waybill.job;

import java.time.Instant;

/**
 * What a handler had to say.
 *
 * @param number where the next page begins
 */
public record JobLogEntry(
    long number,
    int run,
    int attempt,
    JobContext.Level level,
    String message,
    Instant occurredAt) {}

package dev.waybill.job;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it is stored.
 *
 * @param nextFireAt when it is acted upon next, jitter and back-off included
 * @param scheduledFor the time that is then acted upon
 * @param failures how often in a row it could not be
 */
public record ScheduleInfo(
    Schedule schedule,
    boolean active,
    Instant nextFireAt,
    Instant scheduledFor,
    @Nullable Instant lastFiredAt,
    @Nullable UUID lastJob,
    int failures,
    @Nullable String lastError) {}

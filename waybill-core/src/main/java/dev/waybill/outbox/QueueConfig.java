package dev.waybill.outbox;

import java.time.Duration;

/**
 * How a queue works; {@link QueueBuilder} explains each part.
 *
 * @param name the queue's
 * @param partitions how many
 * @param handler who handles its messages
 * @param lease of leased handlers
 * @param maxAttempts after which a message is given up; 0 for never
 * @param concurrency partitions at the same time; 0 for the outbox's number
 * @param retention how long messages are kept after they were delivered
 * @param dedupWindow how long a de-duplication key is remembered
 */
public record QueueConfig(
    String name,
    Partitions partitions,
    QueueHandler handler,
    LeaseConfig lease,
    int maxAttempts,
    int concurrency,
    Duration retention,
    Duration dedupWindow) {}

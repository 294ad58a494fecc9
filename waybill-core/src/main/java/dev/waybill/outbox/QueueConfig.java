package dev.waybill.outbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a queue works; {@link QueueBuilder} explains each part.
 *
 * @param name the queue's
 * @param partitions how many
 * @param handler who handles its messages
 * @param lease of leased handlers
 * @param onFailure what waits for a message that is to be tried again
 * @param concurrency partitions at the same time; 0 for the outbox's number
 * @param retention how long messages are kept after they were delivered
 * @param dedupWindow how long a de-duplication key is remembered
 * @param admission how much may wait; null for any amount
 */
public record QueueConfig(
    String name,
    Partitions partitions,
    QueueHandler handler,
    LeaseConfig lease,
    HeadFailure onFailure,
    int concurrency,
    Duration retention,
    Duration dedupWindow,
    @Nullable AdmissionLimit admission) {

  /** The same with another number of partitions. */
  public QueueConfig withPartitions(Partitions value) {
    return new QueueConfig(
        name, value, handler, lease, onFailure, concurrency, retention, dedupWindow, admission);
  }
}

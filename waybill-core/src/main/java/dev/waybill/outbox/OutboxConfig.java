package dev.waybill.outbox;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How an outbox works; {@link OutboxBuilder} explains each part.
 *
 * @param profile the tuning of all workers
 * @param processors partitions of a queue at the same time
 * @param guaranteedMaintenance permits of the sequencers alone
 * @param sharedMaintenance permits that the vacuum may use as well
 * @param maxInnerIterations batches in a row
 * @param maxPayload bytes
 * @param statsInterval zero for never
 * @param deadLetterRetention how long resolved and discarded dead letters stay; null for ever
 * @param workers whether this process does more than enqueue
 * @param queues in the order they were named
 */
public record OutboxConfig(
    OutboxProfile profile,
    int processors,
    int guaranteedMaintenance,
    int sharedMaintenance,
    int maxInnerIterations,
    int maxPayload,
    Duration statsInterval,
    @Nullable Duration deadLetterRetention,
    boolean workers,
    List<QueueConfig> queues) {

  /** Refuses handlers in a process that has nobody to call them. */
  public OutboxConfig {
    queues = List.copyOf(queues);
    for (QueueConfig queue : queues) {
      Settings.require(
          workers || queue.handler() instanceof QueueHandler.ProduceOnly,
          "withoutWorkers",
          "does not go with a handler for the queue " + Quoted.name(queue.name()));
    }
  }
}

package dev.waybill.outbox;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How a queue stands.
 *
 * @param name the queue's
 * @param partitions by number
 */
public record QueueStatus(String name, List<PartitionStatus> partitions) {
  /** Copies the list. */
  public QueueStatus {
    partitions = List.copyOf(partitions);
  }

  /** How many messages have a number and are not done, except those that are parked. */
  public long lag() {
    return partitions.stream().mapToLong(PartitionStatus::lag).sum();
  }

  /** How many messages are parked. */
  public long parked() {
    return partitions.stream().mapToLong(PartitionStatus::parked).sum();
  }

  /** How long the message waits that waits longest; empty if none does. */
  public Optional<Duration> waiting() {
    return partitions.stream()
        .map(PartitionStatus::waiting)
        .filter(Objects::nonNull)
        .max(Duration::compareTo);
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.internal.store.QueueStore.QueueRow;
import dev.waybill.outbox.OutboxException.QueueNotRegistered;
import dev.waybill.outbox.Partitions;
import dev.waybill.outbox.QueueConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The queues that this process has registered. Safe for use by many threads. */
final class Queues {
  /** A queue with the rows of its partitions, by number. */
  record Queue(long id, QueueConfig config, List<Long> partitionIds) {
    Queue {
      partitionIds = List.copyOf(partitionIds);
    }

    String name() {
      return config.name();
    }
  }

  /** Which partition of which queue a row is. */
  record Place(Queue queue, int number) {}

  private final Map<String, Queue> byName = new ConcurrentHashMap<>();
  private final Map<Long, Place> byPartition = new ConcurrentHashMap<>();

  static Queues of(List<QueueConfig> configs, List<QueueRow> rows) {
    Map<String, QueueRow> byName = new LinkedHashMap<>();
    rows.forEach(row -> byName.put(row.name(), row));
    var queues = new Queues();
    for (QueueConfig config : configs) {
      QueueRow row = byName.get(config.name());
      if (row == null) {
        throw new IllegalStateException("The queue " + config.name() + " was not registered");
      }
      queues.put(new Queue(row.id(), config, row.partitionIds()));
    }
    return queues;
  }

  private void put(Queue queue) {
    for (int number = 0; number < queue.partitionIds().size(); number++) {
      byPartition.put(queue.partitionIds().get(number), new Place(queue, number));
    }
    byName.put(queue.name(), queue);
  }

  /** The queue has more partitions now. */
  void grown(QueueRow row) {
    Queue before = byName.get(row.name());
    if (before != null) {
      Partitions partitions = Partitions.of(row.partitionIds().size());
      put(new Queue(row.id(), before.config().withPartitions(partitions), row.partitionIds()));
    }
  }

  Queue get(String name) {
    Queue queue = byName.get(name);
    if (queue == null) {
      throw new QueueNotRegistered(name);
    }
    return queue;
  }

  /** How many partitions it has; null if it is not registered. */
  @Nullable Partitions partitions(String name) {
    Queue queue = byName.get(name);
    return queue == null ? null : queue.config().partitions();
  }

  /** Null for a partition of a queue that this process does not know. */
  @Nullable Place place(long partitionId) {
    return byPartition.get(partitionId);
  }

  Iterable<Queue> all() {
    return byName.values();
  }
}

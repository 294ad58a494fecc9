package dev.waybill.internal.outbox;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Retry;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.store.QueueStore;
import dev.waybill.internal.store.QueueStore.QueueRow;
import dev.waybill.outbox.DeadLetters;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.Enqueued;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxException.PartitionCountMismatch;
import dev.waybill.outbox.OutboxException.QueueNotRegistered;
import dev.waybill.outbox.OutboxStatistics;
import dev.waybill.outbox.Partitions;
import dev.waybill.outbox.QueueStatus;
import dev.waybill.outbox.TransactionWork;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The outbox as its users see it. */
final class OutboxDoor implements Outbox {
  private final Database database;
  private final Enqueuer enqueuer;
  private final QueueStore queueStore;
  private final Queues queues;
  private final Statistics statistics;
  private final Runnable lookNow;
  private final Consumer<List<Long>> resumed;
  private final DeadLetters deadLetters;

  /**
   * What was enqueued with the connections of {@code inTransaction}, to be flushed after commit.
   */
  private final Map<Connection, List<Enqueued>> open = new ConcurrentHashMap<>();

  /**
   * The door.
   *
   * @param lookNow has the reconciler look
   * @param resumed is told which partitions are delivered again
   */
  OutboxDoor(
      Database database,
      Enqueuer enqueuer,
      QueueStore queueStore,
      Queues queues,
      Statistics statistics,
      Runnable lookNow,
      Consumer<List<Long>> resumed,
      DeadLetters deadLetters) {
    // The caller's work is not repeated behind its back.
    this.database = database.retrying(Retry.never());
    this.enqueuer = enqueuer;
    this.queueStore = queueStore;
    this.queues = queues;
    this.statistics = statistics;
    this.lookNow = lookNow;
    this.resumed = resumed;
    this.deadLetters = deadLetters;
  }

  @Override
  public Enqueued enqueue(Connection connection, String queue, EnqueueMessage message) {
    return enqueueBatch(connection, queue, List.of(message));
  }

  @Override
  public Enqueued enqueueBatch(Connection connection, String queue, List<EnqueueMessage> messages) {
    Enqueued enqueued = enqueuer.enqueue(connection, queue, messages);
    List<Enqueued> pending = open.get(connection);
    if (pending != null) {
      pending.add(enqueued);
    }
    return enqueued;
  }

  @Override
  public void inTransaction(TransactionWork work) throws Exception {
    List<Enqueued> enqueued = new ArrayList<>();
    try (Session session = database.session()) {
      session.transact(
          tx -> {
            Connection connection = GuardedConnection.of(tx.connection());
            open.put(connection, enqueued);
            try {
              work.run(connection);
              return true;
            } catch (RuntimeException e) {
              throw e;
            } catch (Exception e) {
              throw new Thrown(e);
            } finally {
              open.remove(connection);
            }
          });
    } catch (Thrown e) {
      throw e.exception();
    }
    enqueued.forEach(Enqueued::flush);
  }

  /** Carries a checked exception of the caller's work past those who do not expect one. */
  private static final class Thrown extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final Exception exception;

    Thrown(Exception exception) {
      super(exception);
      this.exception = exception;
    }

    Exception exception() {
      return exception;
    }
  }

  @Override
  public void flush() {
    lookNow.run();
  }

  @Override
  public void pause(String queue) {
    queueStore.pause(queue, 0, existing(queue).partitionIds().size() - 1);
  }

  @Override
  public void pause(String queue, int partition) {
    requirePartition(existing(queue), partition);
    queueStore.pause(queue, partition, partition);
  }

  @Override
  public void resume(String queue) {
    List<Long> partitions = existing(queue).partitionIds();
    queueStore.resume(queue, 0, partitions.size() - 1);
    resumed.accept(partitions);
  }

  @Override
  public void resume(String queue, int partition) {
    QueueRow row = existing(queue);
    requirePartition(row, partition);
    queueStore.resume(queue, partition, partition);
    resumed.accept(List.of(row.partitionIds().get(partition)));
  }

  private QueueRow existing(String queue) {
    return queueStore.all().stream()
        .filter(row -> row.name().equals(queue))
        .findFirst()
        .orElseThrow(() -> new QueueNotRegistered(queue));
  }

  private static void requirePartition(QueueRow row, int partition) {
    int count = row.partitionIds().size();
    if (partition < 0 || partition >= count) {
      throw new IllegalArgumentException(
          "The queue "
              + row.name()
              + " has the partitions 0 to "
              + (count - 1)
              + ", not "
              + partition);
    }
  }

  @Override
  public List<QueueStatus> status() {
    return queueStore.status();
  }

  @Override
  public OutboxStatistics statistics() {
    return statistics.snapshot();
  }

  @Override
  public void grow(String queue, Partitions partitions) {
    QueueRow row =
        queueStore.grow(queue, partitions.count()).orElseThrow(() -> new QueueNotRegistered(queue));
    if (row.partitionIds().size() != partitions.count()) {
      throw new PartitionCountMismatch(queue, partitions.count(), row.partitionIds().size());
    }
    queues.grown(row);
  }

  @Override
  public DeadLetters deadLetters() {
    return deadLetters;
  }
}

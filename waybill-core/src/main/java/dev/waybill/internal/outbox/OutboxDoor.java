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
import dev.waybill.outbox.Partitions;
import dev.waybill.outbox.TransactionWork;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The outbox as its users see it. */
final class OutboxDoor implements Outbox {
  private final Database database;
  private final Enqueuer enqueuer;
  private final QueueStore queueStore;
  private final Queues queues;
  private final Runnable lookNow;
  private final DeadLetters deadLetters;

  /**
   * What was enqueued with the connections of {@code inTransaction}, to be flushed after commit.
   */
  private final Map<Connection, List<Enqueued>> open = new ConcurrentHashMap<>();

  OutboxDoor(
      Database database,
      Enqueuer enqueuer,
      QueueStore queueStore,
      Queues queues,
      Runnable lookNow,
      DeadLetters deadLetters) {
    // The caller's work is not repeated behind its back.
    this.database = database.retrying(Retry.never());
    this.enqueuer = enqueuer;
    this.queueStore = queueStore;
    this.queues = queues;
    this.lookNow = lookNow;
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
    queueStore.pause(queue, 0, last(queue));
  }

  @Override
  public void pause(String queue, int partition) {
    queueStore.pause(queue, required(queue, partition), partition);
  }

  @Override
  public void resume(String queue) {
    queueStore.resume(queue, 0, last(queue));
    lookNow.run();
  }

  @Override
  public void resume(String queue, int partition) {
    queueStore.resume(queue, required(queue, partition), partition);
    lookNow.run();
  }

  private int last(String queue) {
    return queues.get(queue).partitionIds().size() - 1;
  }

  private int required(String queue, int partition) {
    Partitions partitions = queues.get(queue).config().partitions();
    if (!partitions.contains(partition)) {
      throw new IllegalArgumentException(
          "The queue " + queue + " has the partitions 0 to " + last(queue) + ", not " + partition);
    }
    return partition;
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

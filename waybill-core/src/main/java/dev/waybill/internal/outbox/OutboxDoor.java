package dev.waybill.internal.outbox;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.sql.Endings.Ending;
import dev.waybill.internal.sql.GuardedConnection;
import dev.waybill.internal.sql.Retry;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.MessageBody;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.PaceStore;
import dev.waybill.internal.store.QueueStore;
import dev.waybill.internal.store.QueueStore.QueueRow;
import dev.waybill.internal.store.StoredMessage;
import dev.waybill.outbox.DeadLetters;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.Enqueued;
import dev.waybill.outbox.MessageWork;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxException.InvalidSetting;
import dev.waybill.outbox.OutboxException.NoSuchPartition;
import dev.waybill.outbox.OutboxException.PartitionCountMismatch;
import dev.waybill.outbox.OutboxException.QueueNotRegistered;
import dev.waybill.outbox.OutboxMessage;
import dev.waybill.outbox.OutboxStatistics;
import dev.waybill.outbox.Partitions;
import dev.waybill.outbox.QueueStatus;
import dev.waybill.outbox.RecentDeliveries;
import dev.waybill.outbox.TransactionWork;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The outbox as its users see it. */
final class OutboxDoor implements Outbox {
  private static final int MOST_PEEKED = 1_000;

  /** No number is as large, and databases can still add to it. */
  private static final long BEYOND_ALL = Long.MAX_VALUE / 2;

  private final Database database;
  private final Enqueuer enqueuer;
  private final MessageStore messages;
  private final QueueStore queueStore;
  private final PaceStore pace;
  private final Queues queues;
  private final Statistics statistics;
  private final Runnable lookNow;
  private final Consumer<List<Long>> resumed;
  private final DeadLetters deadLetters;
  private final Supplier<Departure> departures;
  private final Endings endings;

  /**
   * The door.
   *
   * @param lookNow has the reconciler look
   * @param resumed is told which partitions are delivered again
   * @param departures for the transactions that are ended here
   * @param endings where others hear of their ends
   */
  OutboxDoor(
      Database database,
      Enqueuer enqueuer,
      MessageStore messages,
      QueueStore queueStore,
      Queues queues,
      Statistics statistics,
      Runnable lookNow,
      Consumer<List<Long>> resumed,
      DeadLetters deadLetters,
      Supplier<Departure> departures,
      Endings endings) {
    // The caller's work is not repeated behind its back.
    this.database = database.retrying(Retry.never());
    this.enqueuer = enqueuer;
    this.messages = messages;
    this.queueStore = queueStore;
    this.pace = new PaceStore(database);
    this.queues = queues;
    this.statistics = statistics;
    this.lookNow = lookNow;
    this.resumed = resumed;
    this.deadLetters = deadLetters;
    this.departures = departures;
    this.endings = endings;
  }

  @Override
  public Enqueued enqueue(Connection connection, String queue, EnqueueMessage message) {
    Objects.requireNonNull(message, "The message must not be null: EnqueueMessage.of makes one.");
    return enqueueBatch(connection, queue, List.of(message));
  }

  @Override
  public Enqueued enqueueBatch(Connection connection, String queue, List<EnqueueMessage> messages) {
    Objects.requireNonNull(
        connection,
        "The connection must not be null: give the one whose transaction the message belongs to.");
    requireName(queue);
    Objects.requireNonNull(
        messages, "The messages must not be null; an empty list enqueues nothing.");
    Receipt receipt = enqueuer.enqueue(connection, queue, messages);
    Ending ending = endings.of(connection);
    if (ending != null) {
      ending.with(Departure.class, departures).add(receipt);
    }
    return receipt;
  }

  @Override
  public void inTransaction(TransactionWork work) throws Exception {
    Objects.requireNonNull(work, "The work must not be null.");
    inTransaction(
        (tx, ending) -> {
          Connection own = GuardedConnection.of(tx.connection());
          run(sendsNothing(work), own, ending);
          ending.beforeCommit(tx);
          return true;
        });
  }

  @Override
  public Enqueued inTransaction(String queue, MessageWork work) throws Exception {
    Objects.requireNonNull(queue, "The queue's name must not be null.");
    Objects.requireNonNull(work, "The work must not be null.");
    queues.get(queue);
    return inTransaction(
        (tx, ending) -> {
          Connection own = GuardedConnection.of(tx.connection());
          List<EnqueueMessage> all = run(work, own, ending);
          Departure departure = ending.with(Departure.class, departures);
          return enqueuer.enqueueLast(tx, queue, all, departure, () -> ending.beforeCommit(tx));
        });
  }

  private interface Work<T> {
    T in(Tx tx, Ending ending);
  }

  private <T> T inTransaction(Work<T> work) throws Exception {
    Ending ending = new Ending();
    T result;
    try (Session session = database.session()) {
      result = session.transact(tx -> work.in(tx, ending));
    } catch (Thrown e) {
      ending.failed(true);
      throw e.exception();
    } catch (RuntimeException | Error e) {
      ending.failed(Express.isKnown(e));
      throw e;
    }
    ending.committed();
    return result;
  }

  private static MessageWork sendsNothing(TransactionWork work) {
    return connection -> {
      work.run(connection);
      return List.of();
    };
  }

  private List<EnqueueMessage> run(MessageWork work, Connection connection, Ending ending) {
    endings.begin(connection, ending);
    try {
      return Objects.requireNonNull(
          work.run(connection), "The work must not return null; an empty list enqueues nothing.");
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new Thrown(e);
    } finally {
      endings.workDone(connection);
    }
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
    requireName(queue);
    return queueStore.all().stream()
        .filter(row -> row.name().equals(queue))
        .findFirst()
        .orElseThrow(() -> new QueueNotRegistered(queue));
  }

  private static void requireName(String queue) {
    Objects.requireNonNull(queue, "The queue's name must not be null.");
  }

  private static void requirePartition(QueueRow row, int partition) {
    int count = row.partitionIds().size();
    if (partition < 0 || partition >= count) {
      throw new NoSuchPartition(row.name(), partition, count);
    }
  }

  @Override
  public List<QueueStatus> status() {
    return queueStore.status();
  }

  @Override
  public List<OutboxMessage> peek(String queue, int partition, long afterSeq, int atMost) {
    if (atMost < 1 || atMost > MOST_PEEKED) {
      throw new InvalidSetting(
          "atMost", "must be between 1 and " + MOST_PEEKED + ", but is " + atMost);
    }
    QueueRow row = existing(queue);
    requirePartition(row, partition);
    Delivery found =
        messages.peek(row.partitionIds().get(partition), Math.min(afterSeq, BEYOND_ALL), atMost);
    List<OutboxMessage> peeked = new ArrayList<>();
    for (StoredMessage message : found.messages()) {
      MessageBody body = message.body();
      // One without a body was delivered and cleaned up while this looked.
      if (body != null) {
        boolean first = message.seq() == found.processedSeq() + 1;
        int attempts = first ? found.attempts() : 0;
        peeked.add(
            new DeliveredMessage(queue, partition, message.seq(), message.id(), body, attempts));
      }
    }
    return peeked;
  }

  @Override
  public List<RecentDeliveries> recentDeliveries() {
    return pace.recent();
  }

  @Override
  public OutboxStatistics statistics() {
    return statistics.snapshot();
  }

  @Override
  public void grow(String queue, Partitions partitions) {
    requireName(queue);
    Objects.requireNonNull(
        partitions, "The partitions must not be null: Partitions.of makes them.");
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

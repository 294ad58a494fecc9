package dev.waybill.outbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One queue of an outbox: first what is special about it, last who handles its messages. */
public final class QueueBuilder {
  private static final Duration DEDUP_WINDOW = Duration.ofDays(1);

  private final OutboxBuilder outbox;
  private final String name;
  private final Partitions partitions;
  private @Nullable LeaseConfig lease;
  private @Nullable HeadFailure onFailure;
  private int concurrency;
  private Duration retention = Duration.ZERO;
  private Duration dedupWindow = DEDUP_WINDOW;
  private @Nullable AdmissionLimit admission;

  QueueBuilder(OutboxBuilder outbox, String name, Partitions partitions) {
    this.outbox = outbox;
    this.name = name;
    this.partitions = partitions;
  }

  String name() {
    return name;
  }

  /** The lease of a leased handler. Default: {@link LeaseConfig#defaults}. */
  public QueueBuilder lease(LeaseConfig value) {
    lease = value;
    return this;
  }

  /**
   * What waits for a message that is to be tried again: its partition, for ever or for so many
   * tries, or only its key. Default: {@link HeadFailure#block}.
   */
  public QueueBuilder onFailure(HeadFailure value) {
    onFailure = value;
    return this;
  }

  /**
   * How many partitions of this queue are served at the same time by this process. Default: the
   * outbox's {@code processors}.
   */
  public QueueBuilder concurrency(int value) {
    Settings.atLeastOne("concurrency", value);
    concurrency = value;
    return this;
  }

  /**
   * How long messages stay in the database after they were numbered and delivered. Default: zero.
   */
  public QueueBuilder retention(Duration value) {
    Settings.notNegative("retention", value);
    retention = value;
    return this;
  }

  /** How long a de-duplication key is remembered. Default: a day. */
  public QueueBuilder dedupWindow(Duration value) {
    Settings.positive("dedupWindow", value);
    dedupWindow = value;
    return this;
  }

  /** Refuse to enqueue while so much waits. Default: no limit. */
  public QueueBuilder admission(AdmissionLimit value) {
    admission = value;
    return this;
  }

  /** Each message in the transaction that moves the cursor: exactly once in the database. */
  public OutboxBuilder transactional(TransactionalHandler handler) {
    return end(new QueueHandler.Transactional(handler));
  }

  /** Several messages at once in the transaction that moves the cursor. */
  public OutboxBuilder batchTransactional(BatchTransactionalHandler handler) {
    return end(new QueueHandler.BatchTransactional(handler));
  }

  /** Each message under a lease, outside any transaction: at least once, fenced. */
  public OutboxBuilder leased(LeasedHandler handler) {
    return end(new QueueHandler.Leased(handler));
  }

  /** Batches under a lease, which the handler settles piece by piece. */
  public OutboxBuilder batchLeased(LeasedBatchHandler handler) {
    return end(new QueueHandler.BatchLeased(handler));
  }

  /** This process only enqueues; another one handles. */
  public OutboxBuilder produceOnly() {
    return end(new QueueHandler.ProduceOnly());
  }

  private OutboxBuilder end(QueueHandler handler) {
    boolean leased =
        handler instanceof QueueHandler.Leased || handler instanceof QueueHandler.BatchLeased;
    Settings.require(
        lease == null || leased, "lease", "is only for leased handlers, not for the queue " + name);
    boolean handled = !(handler instanceof QueueHandler.ProduceOnly);
    Settings.require(
        handled || (onFailure == null && concurrency == 0),
        "onFailure or concurrency",
        "is for queues with a handler, not for the queue " + name);
    Settings.require(
        !(onFailure instanceof HeadFailure.ParkKey)
            || handler instanceof QueueHandler.Leased
            || handler instanceof QueueHandler.Transactional,
        "onFailure",
        "parks keys, which a handler of batches cannot have: a batch that is to be retried does"
            + " not say which key failed; use leased or transactional for the queue "
            + name);
    return outbox.add(
        new QueueConfig(
            name,
            partitions,
            handler,
            lease == null ? LeaseConfig.defaults() : lease,
            onFailure == null ? HeadFailure.block() : onFailure,
            concurrency,
            retention,
            dedupWindow,
            admission));
  }
}

package dev.waybill.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says which queues an outbox has and how it works. {@code Waybill.builder} gives you one.
 *
 * <p>Every call but {@link #queue} is optional. Several calls of the same kind: the last one holds.
 */
public final class OutboxBuilder {
  private OutboxProfile profile = OutboxProfile.defaults();
  private int processors = 4;
  private int guaranteed = 2;
  private int shared = 1;
  private int maxInnerIterations = 8;
  private int maxPayload = 64 * 1024;
  private Duration statsInterval = Duration.ofSeconds(60);
  private @Nullable Duration deadLetterRetention;
  private boolean workers = true;
  private final List<QueueConfig> queues = new ArrayList<>();
  private @Nullable QueueBuilder unfinished;

  /** An outbox without queues. */
  public OutboxBuilder() {}

  /** The tuning of all workers. Default: {@link OutboxProfile#defaults}. */
  public OutboxBuilder profile(OutboxProfile value) {
    profile = value;
    return this;
  }

  /**
   * How many partitions of each queue are served at the same time, unless the queue says otherwise.
   * Default: 4.
   */
  public OutboxBuilder processors(int value) {
    Settings.atLeastOne("processors", value);
    processors = value;
    return this;
  }

  /**
   * How many maintenance workers may be busy at the same time: so many that only sequencers use,
   * and so many that they share with the vacuum. Default: 2 and 1. On SQLite, which has one writer,
   * there is one sequencer.
   */
  public OutboxBuilder maintenance(int onlySequencers, int withVacuum) {
    Settings.atLeastOne("maintenance.guaranteed", onlySequencers);
    Settings.atLeastOne("maintenance.shared", withVacuum);
    guaranteed = onlySequencers;
    shared = withVacuum;
    return this;
  }

  /**
   * How many batches of a partition are sequenced or delivered in a row before the others have
   * their turn. Default: 8.
   */
  public OutboxBuilder maxInnerIterations(int value) {
    Settings.atLeastOne("maxInnerIterations", value);
    maxInnerIterations = value;
    return this;
  }

  /** The largest payload, in bytes. Default: 65,536. */
  public OutboxBuilder maxPayload(int bytes) {
    Settings.atLeastOne("maxPayload", bytes);
    maxPayload = bytes;
    return this;
  }

  /** How often statistics are logged while there is something to say; zero for never. */
  public OutboxBuilder statsInterval(Duration value) {
    Settings.notNegative("statsInterval", value);
    statsInterval = value;
    return this;
  }

  /**
   * How long dead letters stay after they were resolved or discarded. Default: for ever. Those that
   * nobody has dealt with always stay.
   */
  public OutboxBuilder deadLetterRetention(Duration value) {
    Settings.notNegative("deadLetterRetention", value);
    deadLetterRetention = value;
    return this;
  }

  /**
   * For a process that only enqueues: others sequence and deliver. On PostgreSQL it keeps one
   * thread that tells them; elsewhere it has none.
   */
  public OutboxBuilder withoutWorkers() {
    workers = false;
    return this;
  }

  /** Begins a queue; its builder's last call leads back here. */
  public QueueBuilder queue(String name, Partitions partitions) {
    requireFinished();
    if (queues.stream().anyMatch(queue -> queue.name().equals(name))) {
      throw new OutboxException.QueueRegisteredTwice(name);
    }
    unfinished = new QueueBuilder(this, name, partitions);
    return unfinished;
  }

  OutboxBuilder add(QueueConfig queue) {
    queues.add(queue);
    unfinished = null;
    return this;
  }

  private void requireFinished() {
    if (unfinished != null) {
      throw new OutboxException.InvalidSetting(
          "queue " + Quoted.name(unfinished.name()),
          "has no handler: end it with leased, batchLeased, transactional, batchTransactional or"
              + " produceOnly");
    }
  }

  /** What was said, checked. */
  public OutboxConfig build() {
    requireFinished();
    return new OutboxConfig(
        profile,
        processors,
        guaranteed,
        shared,
        maxInnerIterations,
        maxPayload,
        statsInterval,
        deadLetterRetention,
        workers,
        queues);
  }
}

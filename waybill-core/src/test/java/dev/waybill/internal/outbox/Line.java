package dev.waybill.internal.outbox;

import dev.waybill.DatabaseException;
import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.TimeLimit;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.outbox.Queues.Queue;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.store.DeadLetterStore;
import dev.waybill.internal.store.DedupStore;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.QueueStore;
import dev.waybill.internal.store.QueueStore.Backlog;
import dev.waybill.internal.store.QueueStore.Wanted;
import dev.waybill.internal.store.Rotation;
import dev.waybill.internal.store.Stores;
import dev.waybill.outbox.LeaseConfig;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxProfile;
import dev.waybill.outbox.QueueConfig;
import dev.waybill.outbox.QueueHandler;
import dev.waybill.outbox.RetryTuning;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * The real stages of a process, but on the thread of the test, one after the other: so the n-th
 * statement is the same one in every run. Its own time stands still unless there is nothing to do.
 */
final class Line {
  static final LeaseConfig LEASE = new LeaseConfig(Duration.ofMillis(30), Duration.ZERO);

  private static final OutboxProfile PROFILE =
      OutboxProfile.lowLatency()
          .withRetry(new RetryTuning(Duration.ofMillis(1), Duration.ofMillis(1), 3));

  private final TestTime time = new TestTime();
  private final Crew crew = new Crew(time);
  private final MessageStore messages;
  private final QueueStore store;
  private final Queues queues;
  private final DirtyPartitions dirty = new DirtyPartitions(time, new Bell());
  private final ReadyPartitions ready = new ReadyPartitions(time, new Bell());
  private final Outbox door;
  private final Promoter promoter;
  private final Sequencer sequencer;
  private final Vacuum vacuum;
  private final Optional<Rotation> rotation;
  private final Map<String, Processor.Delivery> deliveries = new HashMap<>();

  Line(DataSource source, String owner, List<QueueConfig> configs) {
    Database database = Stores.open(source);
    Events events = new Events(List.of());
    messages = MessageStore.of(database);
    store = new QueueStore(database);
    queues =
        Queues.of(
            configs,
            store.register(
                configs.stream()
                    .map(each -> new Wanted(each.name(), each.partitions().count(), null))
                    .toList()));
    Enqueuer.Wake wake = (partitions, delayed) -> dirty.mark(partitions);
    Enqueuer enqueuer =
        new Enqueuer(
            database,
            messages,
            new DedupStore(),
            queues,
            new Validation(1 << 16),
            new Admission(store, queues),
            wake,
            events);
    Statistics statistics = new Statistics(Duration.ZERO);
    door =
        new OutboxDoor(
            database,
            enqueuer,
            store,
            queues,
            statistics,
            () -> {},
            partitions -> {},
            new DeadLetterDesk(database, new DeadLetterStore(database, messages), wake, events));
    promoter = new Promoter(messages, store, dirty, Duration.ofMinutes(1));
    sequencer =
        new Sequencer(
            1,
            dirty,
            messages,
            partitions ->
                partitions.forEach(id -> ready.mark(place(id).queue().name(), List.of(id))),
            events,
            time,
            100,
            8);
    Bell bell = new Bell();
    vacuum =
        new Vacuum(messages, events, time, crew.stopSignal(), 100, Duration.ofMinutes(1), bell);
    rotation = Rotation.of(database, new Rotation.Limits(1, 1, Duration.ZERO));
    DeliveryContext context =
        new DeliveryContext(
            new Modes(PROFILE), events, time, crew.stopSignal(), 8, done -> {}, partition -> {});
    for (Queue queue : queues.all()) {
      deliveries.put(queue.name(), delivery(database, owner, queue.config(), context));
    }
  }

  private Processor.Delivery delivery(
      Database database, String owner, QueueConfig queue, DeliveryContext context) {
    return queue.handler() instanceof QueueHandler.Transactional each
        ? new TransactionalDelivery(
            database,
            messages,
            TransactionalCalls.oneByOne(each.handler(), queue.maxAttempts()),
            queue.maxAttempts(),
            context)
        : new LeasedDelivery(
            messages,
            owner,
            queue.lease(),
            new OneByOne(((QueueHandler.Leased) queue.handler()).handler()),
            queue.maxAttempts(),
            context,
            new TimeLimit(time));
  }

  private Place place(long partition) {
    return Objects.requireNonNull(queues.place(partition));
  }

  Outbox door() {
    return door;
  }

  /** Each stage once, as far as it has something to do; an error ends a stage, not the others. */
  void pass() {
    stage(promoter::runOnce);
    stage(() -> dirty.mark(store.dirty()));
    stage(sequencer::runOnce);
    stage(this::findUndelivered);
    for (Turn<String> turn = ready.take(); turn != null; turn = ready.take()) {
      try (Turn<String> mine = turn) {
        stage(
            () ->
                Objects.requireNonNull(deliveries.get(mine.queue()))
                    .serve(place(mine.partition()), mine));
      }
    }
    stage(vacuum::runOnce);
    rotation.ifPresent(slots -> stage(slots::turn));
  }

  private void findUndelivered() {
    for (Backlog each : store.backlog()) {
      ready.mark(place(each.partitionId()).queue().name(), each.partitionId(), each.dueIn());
    }
  }

  /** Passes until everything is delivered and cleaned up. */
  void finish() {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!isDone()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError(
            "Not finished: " + store.dirty() + store.backlog() + messages.vacuumDue());
      }
      pass();
      // The leases and delays of the database end by its clock, those of this process by its own.
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      time.advance(Duration.ofSeconds(60));
    }
  }

  private boolean isDone() {
    boolean[] done = {false};
    stage(
        () ->
            done[0] =
                store.dirty().isEmpty()
                    && store.untilNextDue().isEmpty()
                    && store.backlog().isEmpty()
                    && messages.vacuumDue().isEmpty()
                    && rotation.map(Rotation::isEmpty).orElse(true));
    return done[0];
  }

  private interface Stage {
    void run() throws InterruptedException;
  }

  private static void stage(Stage stage) {
    try {
      stage.run();
    } catch (DatabaseException disturbed) {
      // As the loops do: the stage is run again later.
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.DatabaseException;
import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.TimeLimit;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.outbox.Queues.Queue;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.store.DeadLetterStore;
import dev.waybill.internal.store.DedupStore;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.ParkedStore;
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
import org.jspecify.annotations.Nullable;

/**
 * The real stages of a process, but on the thread of the test, one after the other: so the n-th
 * statement is the same one in every run. Its own time stands still unless there is nothing to do.
 */
final class Line {
  static final LeaseConfig LEASE = new LeaseConfig(Duration.ofMillis(30), Duration.ZERO);

  private static final OutboxProfile PROFILE =
      OutboxProfile.lowLatency()
          .withRetry(new RetryTuning(Duration.ofMillis(1), Duration.ofMillis(1), 3));

  private final TestTime time;
  private final Crew crew;
  private final MessageStore messages;
  private final ParkedStore parked;
  private final QueueStore store;
  private final Queues queues;
  private final DirtyPartitions dirty;
  private final ReadyPartitions ready;
  private final Outbox door;
  private final Promoter promoter;
  private final Sequencer sequencer;
  private final Vacuum vacuum;
  private final Optional<Rotation> rotation;
  private @Nullable Express express;
  private boolean departing;
  private final Map<String, Processor.Delivery> deliveries = new HashMap<>();

  Line(DataSource source, String owner, List<QueueConfig> configs) {
    this(source, owner, configs, PROFILE, new TestTime());
  }

  /** The same with a time that others may share, and without chance: nothing is spread. */
  Line(
      DataSource source,
      String owner,
      List<QueueConfig> configs,
      OutboxProfile profile,
      TestTime time) {
    this(Stores.open(source), owner, configs, profile, time);
  }

  Line(
      Database database,
      String owner,
      List<QueueConfig> configs,
      OutboxProfile profile,
      TestTime time) {
    this.time = time;
    this.crew = new Crew(time);
    this.dirty = new DirtyPartitions(time, () -> {}, () -> 0.5, Gathering.of(10));
    this.ready = new ReadyPartitions(time, () -> {}, () -> 0.5);
    Events events = new Events(List.of());
    messages = MessageStore.of(database);
    parked = new ParkedStore(database);
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
    Endings endings = new Endings();
    door =
        new OutboxDoor(
            database,
            enqueuer,
            messages,
            store,
            queues,
            statistics,
            () -> {},
            partitions -> {},
            new DeadLetterDesk(database, new DeadLetterStore(database, messages), wake, events),
            () -> new Departure(departing ? express : null, events),
            endings);
    promoter = new Promoter(messages, store, dirty, Duration.ofMinutes(1));
    Bell bell = new Bell();
    vacuum =
        new Vacuum(messages, events, time, crew.stopSignal(), 100, Duration.ofMinutes(1), bell);
    rotation = Rotation.of(database, new Rotation.Limits(1, 1, 1, Duration.ZERO));
    DeliveryContext context =
        new DeliveryContext(
            new Modes(profile, () -> 0.5),
            events,
            time,
            crew.stopSignal(),
            8,
            done -> {},
            partition -> {},
            endings);
    for (Queue queue : queues.all()) {
      deliveries.put(queue.name(), delivery(database, owner, queue.config(), context));
    }
    express = express(owner);
    sequencer =
        new Sequencer(
            1,
            dirty,
            messages,
            express,
            new HeadStart(time),
            partitions ->
                partitions.forEach(id -> ready.mark(place(id).queue().name(), List.of(id))),
            events,
            time,
            100,
            8);
  }

  private Express express(String owner) {
    Map<String, LeasedDelivery> leased = new HashMap<>();
    deliveries.forEach(
        (queue, delivery) -> {
          if (delivery instanceof LeasedDelivery each) {
            leased.put(queue, each);
          }
        });
    return new Express(messages, owner, dirty, ready, queues, leased, Line::carry, time);
  }

  private static boolean carry(Place place, Turn<String> turn, Runnable work) {
    try (turn) {
      stage(work::run);
    }
    return true;
  }

  private Processor.Delivery delivery(
      Database database, String owner, QueueConfig queue, DeliveryContext context) {
    return queue.handler() instanceof QueueHandler.Transactional each
        ? new TransactionalDelivery(
            database,
            messages,
            parked,
            TransactionalCalls.oneByOne(
                each.handler(), queue.onFailure().maxAttempts(), context.stop()),
            queue.onFailure(),
            context)
        : new LeasedDelivery(
            messages,
            new Rounds(requests -> messages.round(owner, requests), Time.system(), 2),
            parked,
            owner,
            queue.lease(),
            new LeasedCalls(
                messages,
                queue.lease(),
                queue.handler() instanceof QueueHandler.Leased one
                    ? new OneByOne(one.handler())
                    : ((QueueHandler.BatchLeased) queue.handler()).handler(),
                queue.onFailure().maxAttempts(),
                context,
                new TimeLimit(time)),
            queue.onFailure(),
            context);
  }

  private Place place(long partition) {
    return Objects.requireNonNull(queues.place(partition));
  }

  /** From now on producers take along what they can. */
  Line departing() {
    departing = true;
    return this;
  }

  Outbox door() {
    return door;
  }

  /** Each stage once, as far as it has something to do; an error ends a stage, not the others. */
  void pass() {
    promote();
    look();
    sequence();
    while (deliver()) {
      // the next one
    }
    vacuum();
  }

  void promote() {
    stage(promoter::runOnce);
  }

  /** What the reconciler does. */
  void look() {
    stage(() -> dirty.mark(store.dirty()));
    stage(this::findUndelivered);
  }

  void sequence() {
    stage(sequencer::runOnce);
  }

  /** Serves the next partition that is ready; false if none is. */
  boolean deliver() {
    Turn<String> turn = ready.take();
    if (turn == null) {
      return false;
    }
    try (Turn<String> mine = turn) {
      stage(
          () ->
              Objects.requireNonNull(deliveries.get(mine.queue()))
                  .serve(place(mine.partition()), mine));
    }
    return true;
  }

  void vacuum() {
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

  /** Whether everything is delivered and cleaned up. */
  boolean isDone() {
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

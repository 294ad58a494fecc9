package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Backoff;
import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.LoopOptions;
import dev.waybill.internal.loop.Pace;
import dev.waybill.internal.loop.Permits;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.TimeLimit;
import dev.waybill.internal.notice.Notices;
import dev.waybill.internal.outbox.Queues.Queue;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.store.DeadLetterStore;
import dev.waybill.internal.store.DedupStore;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.PaceStore;
import dev.waybill.internal.store.ParkedStore;
import dev.waybill.internal.store.QueueStore;
import dev.waybill.internal.store.QueueStore.Wanted;
import dev.waybill.internal.store.Rotation;
import dev.waybill.outbox.DeadLetters;
import dev.waybill.outbox.HeadFailure;
import dev.waybill.outbox.LeasedBatchHandler;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxConfig;
import dev.waybill.outbox.OutboxProfile;
import dev.waybill.outbox.QueueConfig;
import dev.waybill.outbox.QueueHandler;
import dev.waybill.outbox.WorkerTuning;
import dev.waybill.spi.OutboxListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Puts the outbox's stages together, in the order in which a message meets them. */
public final class OutboxPipeline {
  /** The error backoff of those for whom nobody waits. */
  private static final Backoff PATIENT =
      Backoff.standard().withInitial(Duration.ofMillis(500)).withMax(Duration.ofSeconds(60));

  private final Database database;
  private final OutboxConfig config;
  private final Time time;
  private final Crew crew;
  private final Events events;
  private final MessageStore messages;
  private final Rounds rounds;
  private final ParkedStore parked;
  private final QueueStore queueStore;
  private final Queues queues;
  private final String owner;
  private final Bell dirtyBell = new Bell();
  private final Bell readyBell = new Bell();
  private final Bell delayedBell = new Bell();
  private final Bell lookBell = new Bell();
  private final Bell rotationBell = new Bell();
  private final Bell paceBell = new Bell();
  private final DirtyPartitions dirty;
  private final HeadStart headStart;
  private final ReadyPartitions ready;
  private final Wakeups wakeups;
  private final Statistics statistics;
  private final PaceKeeper paceKeeper;
  private final Admission admission;
  private final Endings endings;
  private final Outbox door;

  /**
   * Registers the queues and, if this process does more than enqueue, adds the workers to the crew.
   *
   * @param owner names this process in leases
   * @param notices between processes
   * @param endings of transactions that are ended here
   */
  public OutboxPipeline(
      Database database,
      OutboxConfig config,
      List<OutboxListener> listeners,
      Time time,
      Crew crew,
      String owner,
      Notices notices,
      Endings endings) {
    this.database = database;
    this.config = config;
    this.time = time;
    this.crew = crew;
    this.owner = owner;
    this.endings = endings;
    this.queueStore = new QueueStore(database);
    config.queues().forEach(queue -> Validation.queueName(queue.name()));
    this.messages = MessageStore.of(database);
    Validation.idsAtATime(messages.idsAtATime());
    this.queues = Queues.of(config.queues(), queueStore.register(wanted(config)));
    this.statistics = new Statistics(config.statsInterval());
    this.paceKeeper =
        new PaceKeeper(
            new PaceStore(database), owner, name -> queues.get(name).id(), time, paceBell);
    List<OutboxListener> all = new ArrayList<>();
    all.add(statistics);
    all.add(new Volume(config.profile().vacuum().batchSize(), rotationBell::ring));
    all.add(paceKeeper);
    all.addAll(listeners);
    this.events = new Events(all);
    this.rounds =
        new Rounds(
            requests -> messages.round(owner, requests), time, database.hasOneWriter() ? 1 : 2);
    this.parked = new ParkedStore(database);
    this.dirty =
        new DirtyPartitions(
            time, dirtyBell, Gathering.of(config.profile().processor().batchSize()));
    this.headStart = new HeadStart(time);
    this.ready = new ReadyPartitions(time, readyBell);
    this.wakeups =
        new Wakeups(
            queues, served(config), dirty, ready, delayedBell, lookBell, notices, config.workers());
    this.admission = new Admission(queueStore, queues);
    var deadLetters =
        new DeadLetterDesk(
            database, new DeadLetterStore(database, messages), wakeups::committed, events);
    Express express = config.workers() ? addWorkers(deadLetters) : null;
    this.door =
        new OutboxDoor(
            database,
            enqueuer(),
            messages,
            queueStore,
            queues,
            statistics,
            wakeups::lookNow,
            wakeups::resumed,
            deadLetters,
            () -> new Departure(express, events),
            endings);
    if (admission.isNeeded()) {
      crew.add(admission, admission.options());
    }
  }

  private static Set<String> served(OutboxConfig config) {
    return config.queues().stream()
        .filter(queue -> !(queue.handler() instanceof QueueHandler.ProduceOnly))
        .map(QueueConfig::name)
        .collect(Collectors.toSet());
  }

  private static List<Wanted> wanted(OutboxConfig config) {
    return config.queues().stream()
        .map(
            queue ->
                new Wanted(
                    queue.name(),
                    queue.partitions().count(),
                    queue.handler() instanceof QueueHandler.ProduceOnly ? null : queue.retention()))
        .toList();
  }

  /** The door for producers and operators. */
  public Outbox door() {
    return door;
  }

  /** Hands back what this process still holds; after its workers have stopped. */
  public void release() {
    if (config.workers()) {
      messages.releaseAll(owner);
    }
  }

  private Enqueuer enqueuer() {
    return new Enqueuer(
        database,
        messages,
        new DedupStore(),
        queues,
        new Validation(config.maxPayload()),
        admission,
        wakeups::committed,
        events);
  }

  /** Adds them to the crew. Gives the short way, which producers take as well. */
  private Express addWorkers(DeadLetters deadLetters) {
    OutboxProfile profile = config.profile();
    var timeLimit = new TimeLimit(time);
    var vacuumBell = new Bell();
    var vacuum =
        new Vacuum(
            messages,
            events,
            time,
            crew.stopSignal(),
            profile.vacuum().batchSize(),
            profile.vacuumPoll(),
            vacuumBell);
    Permits shared = Permits.fixed(config.sharedMaintenance(), time);
    Permits sequencing =
        Permits.tiered(shared, Permits.fixed(config.guaranteedMaintenance(), time));
    Map<String, Processor.Delivery> deliveries = deliveries(timeLimit, vacuum);
    var processor = new Processor(ready, queues, deliveries, crew);
    Express express = express(deliveries, processor);

    crew.add(
        new Promoter(messages, queueStore, dirty, profile.reconcileInterval()),
        LoopOptions.defaults().withBells(delayedBell));
    // Where there is one writer, two would only share the partitions out and commit twice.
    int sequencers =
        database.hasOneWriter() ? 1 : config.guaranteedMaintenance() + config.sharedMaintenance();
    for (int i = 1; i <= sequencers; i++) {
      crew.add(
          sequencer(i, express),
          LoopOptions.defaults()
              .withBells(dirtyBell)
              .withPermits(sequencing)
              .withPace(pace(profile.sequencer())));
    }
    crew.add(processor, LoopOptions.defaults().withBells(readyBell));
    crew.add(timeLimit, timeLimit.options());
    crew.add(
        vacuum,
        LoopOptions.defaults()
            .withBells(vacuumBell)
            .withPermits(shared)
            .withPace(pace(profile.vacuum()))
            .withBackoff(PATIENT));
    Rotation.of(database, Rotation.Limits.standard(profile.vacuumPoll()))
        .ifPresent(
            rotation ->
                crew.add(
                    new Rotator(rotation, events, time, profile.vacuumPoll()),
                    LoopOptions.defaults()
                        .withBells(rotationBell)
                        .withPermits(shared)
                        .withPace(pace(profile.vacuum()))
                        .withBackoff(PATIENT)));
    Duration deadLetterRetention = config.deadLetterRetention();
    if (deadLetterRetention != null) {
      crew.add(
          new DeadLetterVacuum(deadLetters, deadLetterRetention, profile.vacuumPoll()),
          LoopOptions.defaults()
              .withPermits(shared)
              .withPace(pace(profile.vacuum()))
              .withBackoff(PATIENT));
    }
    var reconciler =
        new Reconciler(
            queueStore,
            queues,
            dirty,
            ready,
            processor,
            profile.reconcileInterval(),
            queueStore.isShared());
    crew.add(reconciler, LoopOptions.defaults().withBells(lookBell));
    crew.add(paceKeeper, LoopOptions.defaults().withBells(paceBell).withBackoff(PATIENT));
    if (!config.statsInterval().isZero()) {
      crew.add(statistics, LoopOptions.defaults());
    }
    wakeups.listen(hearing -> reconciler.polling(!hearing));
    return express;
  }

  private Sequencer sequencer(int number, Express express) {
    return new Sequencer(
        number,
        dirty,
        messages,
        express,
        headStart,
        wakeups::numbered,
        events,
        time,
        config.profile().sequencer().batchSize(),
        config.maxInnerIterations());
  }

  private Express express(Map<String, Processor.Delivery> deliveries, Processor processor) {
    Map<String, LeasedDelivery> leased = new HashMap<>();
    deliveries.forEach(
        (queue, delivery) -> {
          if (delivery instanceof LeasedDelivery each) {
            leased.put(queue, each);
          }
        });
    return new Express(messages, owner, dirty, ready, queues, leased, processor::begin, time);
  }

  private Map<String, Processor.Delivery> deliveries(TimeLimit timeLimit, Vacuum vacuum) {
    var context =
        new DeliveryContext(
            new Modes(config.profile()),
            events,
            time,
            crew.stopSignal(),
            config.maxInnerIterations(),
            vacuum::delivered,
            wakeups::elsewhere,
            endings);
    Map<String, Processor.Delivery> deliveries = new HashMap<>();
    for (Queue queue : queues.all()) {
      QueueConfig each = queue.config();
      if (!(each.handler() instanceof QueueHandler.ProduceOnly)) {
        deliveries.put(each.name(), delivery(each, context, timeLimit));
        ready.limit(each.name(), each.concurrency() > 0 ? each.concurrency() : config.processors());
      }
    }
    return deliveries;
  }

  private Processor.Delivery delivery(
      QueueConfig queue, DeliveryContext context, TimeLimit timeLimit) {
    HeadFailure policy = queue.onFailure();
    int maxAttempts = policy.maxAttempts();
    QueueHandler handler = queue.handler();
    if (handler instanceof QueueHandler.Transactional each) {
      return new TransactionalDelivery(
          database,
          messages,
          parked,
          TransactionalCalls.oneByOne(each.handler(), maxAttempts, context.stop()),
          policy,
          context);
    }
    if (handler instanceof QueueHandler.BatchTransactional each) {
      return new TransactionalDelivery(
          database,
          messages,
          parked,
          TransactionalCalls.together(each.handler(), maxAttempts, context.stop()),
          policy,
          context);
    }
    LeasedBatchHandler batches =
        handler instanceof QueueHandler.Leased each
            ? new OneByOne(each.handler())
            : ((QueueHandler.BatchLeased) handler).handler();
    var calls = new LeasedCalls(messages, queue.lease(), batches, maxAttempts, context, timeLimit);
    return new LeasedDelivery(
        messages, rounds, parked, owner, queue.lease(), calls, policy, context);
  }

  private static Pace pace(WorkerTuning tuning) {
    return new Pace(tuning.activeInterval(), tuning.minInterval(), tuning.rampStep());
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.LeaseRequest;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.MessageStore.Numbered;
import dev.waybill.internal.store.NewMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The short way for messages that find their partition idle. They need not be numbered, announced,
 * and then fetched under a lease: whoever numbers them takes the lease in the same transaction, and
 * gets them. So a message that comes alone waits for one commit instead of two, and beside busy
 * producers all partitions of a visit cost one transaction.
 *
 * <p>While messages come one by one, not even that transaction is needed: a producer whose commit
 * is in our hands numbers and takes what it has enqueued right before it, so its messages wait for
 * no other commit than its own.
 *
 * <p>A partition's turn is claimed before the lease can be taken, so nobody else in this process
 * delivers it meanwhile. Where something stands in the way, the messages are numbered and go the
 * ordinary way.
 */
final class Express {
  /** More are a batch, which costs its producer less if others number it. */
  static final int MOST_DEPARTING = Gathering.ENOUGH;

  private static final Logger log = LoggerFactory.getLogger(Express.class);

  /** Lets somebody deliver; says whether there is anybody. */
  interface Carriage {
    boolean go(Place place, Turn<String> turn, Runnable work);
  }

  private final MessageStore store;
  private final String owner;
  private final DirtyPartitions dirty;
  private final ReadyPartitions ready;
  private final Queues queues;
  private final Map<String, LeasedDelivery> deliveries;
  private final Carriage carriage;
  private final Time time;

  /** Whether a producer is on its way to its commit. */
  private final AtomicBoolean departing = new AtomicBoolean();

  /**
   * The short way of one process.
   *
   * @param owner names it in leases
   * @param deliveries the queues that have one, by name
   */
  Express(
      MessageStore store,
      String owner,
      DirtyPartitions dirty,
      ReadyPartitions ready,
      Queues queues,
      Map<String, LeasedDelivery> deliveries,
      Carriage carriage,
      Time time) {
    this.store = store;
    this.owner = owner;
    this.dirty = dirty;
    this.ready = ready;
    this.queues = queues;
    this.deliveries = Map.copyOf(deliveries);
    this.carriage = carriage;
    this.time = time;
  }

  /** Numbers at most so many messages of each of these, and takes what it can. */
  Load number(long[] partitions, int messages) {
    Load load = new Load();
    List<LeaseRequest.Take> wanted = load.claim(partitions);
    try {
      load.numbered =
          wanted.isEmpty()
              ? new Numbered(store.sequence(partitions, messages), Map.of())
              : store.sequence(partitions, messages, owner, wanted);
      return load;
    } catch (RuntimeException | Error e) {
      load.close();
      throw e;
    }
  }

  /**
   * Numbers and takes what a transaction has enqueued, right before its commit; null if it is not
   * to be had that way. One producer at a time: where several meet, there is enough to number for a
   * visit to be worth it.
   */
  @Nullable Load depart(Tx tx, List<Receipt> receipts) {
    long[] ids =
        receipts.stream().flatMap(each -> each.ids().stream()).mapToLong(id -> id).toArray();
    Long partition = onlyPartition(receipts);
    if (partition == null
        || ids.length > MOST_DEPARTING
        || !dirty.isCalm()
        || !departing.compareAndSet(false, true)) {
      return null;
    }
    Load load = new Load();
    load.departs = true;
    try {
      List<LeaseRequest.Take> wanted = load.claim(new long[] {partition});
      Optional<Delivery> taken =
          wanted.isEmpty() ? Optional.empty() : store.depart(tx, ids, owner, wanted.get(0));
      taken.ifPresent(
          delivery ->
              load.numbered =
                  new Numbered(Map.of(partition, ids.length), Map.of(partition, delivery)));
    } finally {
      if (load.taken().isEmpty()) {
        load.close();
      }
    }
    return load.taken().isEmpty() ? null : load;
  }

  /**
   * A message that was stored as the last thing of its transaction.
   *
   * @param load null if it was not taken along
   */
  record Departed(long id, @Nullable Load load) {}

  /**
   * Stores a message, with the commit of its transaction, and numbers and takes it if it finds its
   * partition idle. Null if it is not to be had that way; then nothing was done.
   */
  @Nullable Departed departLast(Tx tx, NewMessage message) {
    if (!dirty.isCalm() || !departing.compareAndSet(false, true)) {
      return null;
    }
    Load load = new Load();
    load.departs = true;
    long partition = message.partitionId();
    List<LeaseRequest.Take> wanted = load.claim(new long[] {partition});
    if (wanted.isEmpty()) {
      load.close();
      return null;
    }
    MessageStore.Departed departed;
    try {
      departed = store.departLast(tx, message, owner, wanted.get(0));
    } catch (RuntimeException | Error e) {
      load.lost(isKnown(e));
      throw e;
    }
    Optional<Delivery> taken = departed.taken();
    if (taken.isEmpty()) {
      load.close();
      return new Departed(departed.id(), null);
    }
    load.numbered = new Numbered(Map.of(partition, 1), Map.of(partition, taken.get()));
    return new Departed(departed.id(), load);
  }

  /** Whether a commit that failed like that has certainly not gone through. */
  static boolean isKnown(Throwable failure) {
    return !(failure instanceof DatabaseException e) || e.kind() != Kind.DISCONNECTED;
  }

  /** Null if it is not one, or not all of them are to be delivered at once. */
  private static @Nullable Long onlyPartition(List<Receipt> receipts) {
    Set<Long> partitions = new HashSet<>();
    for (Receipt receipt : receipts) {
      // Those of a batch have one row of incoming in common.
      if (receipt.delayed() || !receipt.duplicates().isEmpty() || receipt.ids().size() > 1) {
        return null;
      }
      partitions.addAll(receipt.partitions());
    }
    return partitions.size() == 1 ? partitions.iterator().next() : null;
  }

  /** What a visit brought. Closed when others know what was numbered and not taken. */
  final class Load implements AutoCloseable {
    private final long began = time.nanos();
    private final Map<Long, Claimed> turns = new LinkedHashMap<>();
    private Numbered numbered = new Numbered(Map.of(), Map.of());
    private boolean departs;

    private List<LeaseRequest.Take> claim(long[] partitions) {
      List<LeaseRequest.Take> wanted = new ArrayList<>();
      for (long id : partitions) {
        Place place = queues.place(id);
        LeasedDelivery delivery = place == null ? null : deliveries.get(place.queue().name());
        if (place == null || delivery == null) {
          continue;
        }
        Turn<String> turn = ready.takeIdle(place.queue().name(), id);
        if (turn != null) {
          turns.put(id, new Claimed(place, delivery, turn));
          wanted.add(delivery.request(turn));
        }
      }
      return wanted;
    }

    /** How many messages each partition got; those that are missing are in other hands. */
    Map<Long, Integer> counts() {
      return numbered.counts();
    }

    /** How long ago it began. */
    Duration age() {
      return Duration.ofNanos(time.nanos() - began);
    }

    /** The partitions whose messages are on their way. */
    Set<Long> taken() {
      return numbered.taken().keySet();
    }

    private void arrived() {
      if (departs) {
        departing.set(false);
      }
    }

    /**
     * It was not committed, or nobody knows: if it was after all, its leases are ours and are taken
     * anew. Others are not to wait because a producer failed, so who knows looks at once.
     */
    void lost(boolean known) {
      arrived();
      for (Claimed claimed : turns.values()) {
        if (known) {
          claimed.turn.done(true);
        } else {
          claimed.turn.failed();
        }
      }
    }

    /** Delivers what was taken, and lets go of the rest. */
    @Override
    public void close() {
      arrived();
      turns.forEach(
          (id, claimed) -> {
            Delivery taken = numbered.taken().get(id);
            if (taken == null) {
              claimed.turn.done(false);
            } else if (!carriage.go(
                claimed.place, claimed.turn, () -> claimed.deliver(taken, began))) {
              claimed.giveBack(taken);
            }
          });
    }
  }

  /** A partition that was idle. */
  private record Claimed(Place place, LeasedDelivery delivery, Turn<String> turn) {
    void deliver(Delivery taken, long began) {
      delivery.serve(place, turn, taken, began);
    }

    /** This process stops. Those who wait for the lease would else wait for its end. */
    void giveBack(Delivery taken) {
      try {
        delivery.giveBack(turn.partition(), taken);
      } catch (DatabaseException e) {
        log.debug("{}/{}: its lease runs out by itself", place.queue().name(), place.number(), e);
      }
    }
  }
}

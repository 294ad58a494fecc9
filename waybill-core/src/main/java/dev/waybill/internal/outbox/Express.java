package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Time;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.LeaseRequest;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.MessageStore.Numbered;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The short way for messages that find their partition idle. They need not be numbered, announced,
 * and then fetched under a lease: whoever numbers them takes the lease in the same transaction, and
 * gets them. So a message that comes alone waits for one commit instead of two, and beside busy
 * producers all partitions of a visit cost one transaction.
 *
 * <p>A partition's turn is claimed before the lease can be taken, so nobody else in this process
 * delivers it meanwhile. Where something stands in the way, the messages are numbered and go the
 * ordinary way.
 */
final class Express {
  /** Lets somebody deliver. */
  interface Carriage {
    void go(Place place, Turn<String> turn, Runnable work);
  }

  private final MessageStore store;
  private final String owner;
  private final ReadyPartitions ready;
  private final Queues queues;
  private final Map<String, LeasedDelivery> deliveries;
  private final Carriage carriage;
  private final Time time;

  /**
   * The short way of one process.
   *
   * @param owner names it in leases
   * @param deliveries the queues that have one, by name
   */
  Express(
      MessageStore store,
      String owner,
      ReadyPartitions ready,
      Queues queues,
      Map<String, LeasedDelivery> deliveries,
      Carriage carriage,
      Time time) {
    this.store = store;
    this.owner = owner;
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

  /** What a visit brought. Closed when others know what was numbered and not taken. */
  final class Load implements AutoCloseable {
    private final long began = time.nanos();
    private final Map<Long, Claimed> turns = new LinkedHashMap<>();
    private Numbered numbered = new Numbered(Map.of(), Map.of());

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

    /** The partitions whose messages are on their way. */
    Set<Long> taken() {
      return numbered.taken().keySet();
    }

    /** Delivers what was taken, and lets go of the rest. */
    @Override
    public void close() {
      turns.forEach(
          (id, claimed) -> {
            Delivery taken = numbered.taken().get(id);
            if (taken == null) {
              claimed.turn.done(false);
            } else {
              carriage.go(claimed.place, claimed.turn, () -> claimed.deliver(taken, began));
            }
          });
    }
  }

  /** A partition that was idle. */
  private record Claimed(Place place, LeasedDelivery delivery, Turn<String> turn) {
    void deliver(Delivery taken, long began) {
      delivery.serve(place, turn, taken, began);
    }
  }
}

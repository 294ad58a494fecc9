package dev.waybill.internal.outbox;

import dev.waybill.DatabaseException;
import dev.waybill.internal.loop.Handover;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.LeaseRequest;
import dev.waybill.internal.store.MessageStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts what several deliveries ask of their leases into one transaction, because a commit costs the
 * database more than the few rows it is for. Who comes while a round is under way goes with the
 * next one, together with all who came meanwhile. Should the round take its time, because it waits
 * for a lock, say, those who wait set out on a second one: one partition cannot hold up all.
 *
 * <p>Nobody is kept waiting by an outcome that is stored a little later. So while others are still
 * with their handlers, who only wants to end a lease waits a moment for them to come along.
 *
 * <p>Safe for use by many threads.
 */
final class Rounds {
  /** Longer than a round takes unless something is in its way. */
  static final Duration PATIENCE = Duration.ofMillis(5);

  /** How long the end of a lease waits for company. */
  static final Duration LINGER = Duration.ofMillis(2);

  /** Bounds how much one answer brings. */
  private static final int LARGEST = 32;

  /** One transaction for all who are aboard when it begins, as in {@link MessageStore#round}. */
  interface Trip {
    Map<Long, Delivery> run(Supplier<List<LeaseRequest>> requests);
  }

  private final Trip trip;
  private final Time time;
  private final int mostUnderWay;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final Deque<Passenger> waiting = new ArrayDeque<>();
  private int underWay;
  private int out;

  /**
   * Nobody is under way.
   *
   * @param mostUnderWay more than one only where one can be held up by something that does not hold
   *     up all
   */
  Rounds(Trip trip, Time time, int mostUnderWay) {
    this.trip = trip;
    this.time = time;
    this.mostUnderWay = mostUnderWay;
  }

  /** Lets a handler work: until it is done, others may wait a moment for who called it. */
  <T> T whileOut(Supplier<T> handler) {
    count(1);
    try {
      return handler.get();
    } finally {
      count(-1);
    }
  }

  private void count(int more) {
    lock.lock();
    try {
      out += more;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Empty if the lease is not to be had, or no longer ours; then nothing was changed, unless it was
   * lost after its cursor had moved.
   */
  Optional<Delivery> ask(LeaseRequest request) {
    var passenger = new Passenger(request, time);
    List<Passenger> party = boarded(passenger);
    if (party.isEmpty()) {
      party = called(passenger);
    }
    if (!party.isEmpty()) {
      lead(party);
    }
    if (passenger.failure != null) {
      throw passenger.failure;
    }
    return Optional.ofNullable(passenger.goesAlone ? alone(request) : passenger.answer);
  }

  /** The party that departs at once, led by this one; nobody if it has to wait, or may. */
  private List<Passenger> boarded(Passenger passenger) {
    lock.lock();
    try {
      if (underWay > 0 || (out > 0 && passenger.canWait())) {
        waiting.add(passenger);
        return List.of();
      }
      underWay++;
      List<Passenger> party = party(LARGEST - 1);
      party.add(passenger);
      return party;
    } finally {
      lock.unlock();
    }
  }

  /** The party to lead; nobody if another led and the answer is there. */
  private List<Passenger> called(Passenger passenger) {
    if (passenger.canWait()) {
      Optional<List<Passenger>> party = passenger.called.take(LINGER);
      if (party.isPresent()) {
        return party.get();
      }
      setOut(passenger, 0);
    }
    return passenger
        .called
        .take(PATIENCE)
        .orElseGet(
            () -> {
              setOut(passenger, mostUnderWay - 1);
              return passenger.called.take();
            });
  }

  /**
   * Whoever still waits sets out if no more than so many are under way, else goes when one of them
   * has come back.
   */
  private void setOut(Passenger passenger, int others) {
    lock.lock();
    try {
      if (underWay <= others && waiting.contains(passenger)) {
        underWay++;
        sendNext();
      }
    } finally {
      lock.unlock();
    }
  }

  private void lead(List<Passenger> party) {
    boolean settled = false;
    try {
      Map<Long, Delivery> answers = trip.run(() -> aboard(party));
      party.forEach(each -> each.answer = answers.get(each.request.partitionId()));
      settled = true;
    } catch (DatabaseException e) {
      // Unless the connection broke, one may be to blame for what befell all.
      settled = party.size() == 1 || e.kind() == DatabaseException.Kind.DISCONNECTED;
      if (settled) {
        party.forEach(each -> each.failure = e);
      }
    } finally {
      boolean goAlone = !settled;
      party.forEach(each -> each.goesAlone = goAlone);
      party.forEach(each -> each.called.give(List.of()));
      lock.lock();
      try {
        sendNext();
      } finally {
        lock.unlock();
      }
    }
  }

  /** What all of the party want; who came while it waited for its transaction is one of them. */
  private List<LeaseRequest> aboard(List<Passenger> party) {
    lock.lock();
    try {
      party.addAll(party(LARGEST - party.size()));
    } finally {
      lock.unlock();
    }
    return party.stream()
        .map(each -> each.request)
        .sorted(Comparator.comparingLong(LeaseRequest::partitionId))
        .toList();
  }

  /** Sends those who wait on their way, led by the first of them. */
  private void sendNext() {
    List<Passenger> next = party(LARGEST);
    if (next.isEmpty()) {
      underWay--;
    } else {
      next.get(0).called.give(next);
    }
  }

  private List<Passenger> party(int most) {
    List<Passenger> party = new ArrayList<>();
    while (!waiting.isEmpty() && party.size() < most) {
      party.add(waiting.remove());
    }
    return party;
  }

  /** How many wait for the next round. */
  int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Delivery alone(LeaseRequest request) {
    return trip.run(() -> List.of(request)).get(request.partitionId());
  }

  /** One who asks. What the leader writes here is read after the call. */
  private static final class Passenger {
    private final LeaseRequest request;

    /** With the party to lead, or with none when the answer is there. */
    private final Handover<List<Passenger>> called;

    private @Nullable Delivery answer;
    private @Nullable DatabaseException failure;
    private boolean goesAlone;

    Passenger(LeaseRequest request, Time time) {
      this.request = request;
      this.called = new Handover<>(time);
    }

    boolean canWait() {
      return request instanceof LeaseRequest.End;
    }
  }
}

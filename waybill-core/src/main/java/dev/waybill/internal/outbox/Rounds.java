package dev.waybill.internal.outbox;

import dev.waybill.DatabaseException;
import dev.waybill.internal.loop.Handover;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.LeaseRequest;
import dev.waybill.internal.store.MessageStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Puts what several deliveries ask of their leases into one transaction, because a commit costs the
 * database more than the few rows it is for. Nobody waits for company: who comes while enough
 * rounds are under way goes with the next one, together with all who came meanwhile.
 *
 * <p>Safe for use by many threads.
 */
final class Rounds {
  /** Two, so that the database works on one while the answers of the other are read. */
  private static final int UNDER_WAY = 2;

  /** Bounds how much one answer brings. */
  private static final int LARGEST = 32;

  /** One transaction for all of these, as in {@link MessageStore#round}. */
  interface Trip {
    Map<Long, Delivery> run(List<LeaseRequest> requests);
  }

  private final Trip trip;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Passenger> waiting = new ArrayDeque<>();
  private int underWay;

  Rounds(Trip trip) {
    this.trip = trip;
  }

  /** Empty if the lease is not to be had, or no longer ours; then nothing was changed. */
  Optional<Delivery> ask(LeaseRequest request) {
    var passenger = new Passenger(request);
    List<Passenger> party = departsAtOnce(passenger) ? List.of(passenger) : passenger.called.take();
    if (!party.isEmpty()) {
      lead(party);
    }
    if (passenger.failure != null) {
      throw passenger.failure;
    }
    return Optional.ofNullable(passenger.goesAlone ? alone(request) : passenger.answer);
  }

  private boolean departsAtOnce(Passenger passenger) {
    lock.lock();
    try {
      if (underWay < UNDER_WAY) {
        underWay++;
        return true;
      }
      waiting.add(passenger);
      return false;
    } finally {
      lock.unlock();
    }
  }

  private void lead(List<Passenger> party) {
    boolean settled = false;
    try {
      List<LeaseRequest> requests =
          party.stream()
              .map(each -> each.request)
              .sorted(Comparator.comparingLong(LeaseRequest::partitionId))
              .toList();
      Map<Long, Delivery> answers = trip.run(requests);
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
      handOver();
    }
  }

  /** Sends those who came meanwhile on their way, led by the first of them. */
  private void handOver() {
    List<Passenger> next = new ArrayList<>();
    lock.lock();
    try {
      while (!waiting.isEmpty() && next.size() < LARGEST) {
        next.add(waiting.remove());
      }
      if (next.isEmpty()) {
        underWay--;
      }
    } finally {
      lock.unlock();
    }
    if (!next.isEmpty()) {
      next.get(0).called.give(next);
    }
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
    return trip.run(List.of(request)).get(request.partitionId());
  }

  /** One who asks. What the leader writes here is read after the call. */
  private static final class Passenger {
    private final LeaseRequest request;

    /** With the party to lead, or with none when the answer is there. */
    private final Handover<List<Passenger>> called = new Handover<>();

    private @Nullable Delivery answer;
    private @Nullable DatabaseException failure;
    private boolean goesAlone;

    Passenger(LeaseRequest request) {
      this.request = request;
    }
  }
}

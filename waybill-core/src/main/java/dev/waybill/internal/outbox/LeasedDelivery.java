package dev.waybill.internal.outbox;

import dev.waybill.internal.outbox.LeasedCalls.Answer;
import dev.waybill.internal.outbox.Parking.Sorted;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.store.CursorMove;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.Lease;
import dev.waybill.internal.store.LeaseRequest;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.NewDeadLetter;
import dev.waybill.internal.store.NewParked;
import dev.waybill.internal.store.ParkedLane;
import dev.waybill.internal.store.ParkedStore;
import dev.waybill.internal.store.StoredMessage;
import dev.waybill.outbox.HeadFailure;
import dev.waybill.outbox.LeaseConfig;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Delivers under a lease: take it and read, call the handler outside any transaction, store the
 * outcome on condition that the lease is still ours. While there is more, storing and reading on
 * are one step and the lease is kept. Parked keys that are due come after that, each under a lease
 * of its own.
 *
 * <p>If storing fails, the lease stays ours by name, so this process can take it again without
 * waiting for its end; its number grows all the same.
 */
final class LeasedDelivery implements Processor.Delivery {
  private final MessageStore store;
  private final Rounds rounds;
  private final ParkedStore parked;
  private final String owner;
  private final LeaseConfig lease;
  private final LeasedCalls calls;
  private final HeadFailure policy;
  private final DeliveryContext context;

  /**
   * The delivery of one queue.
   *
   * @param owner names this process in leases
   */
  LeasedDelivery(
      MessageStore store,
      Rounds rounds,
      ParkedStore parked,
      String owner,
      LeaseConfig lease,
      LeasedCalls calls,
      HeadFailure policy,
      DeliveryContext context) {
    this.store = store;
    this.rounds = rounds;
    this.parked = parked;
    this.owner = owner;
    this.lease = lease;
    this.calls = calls;
    this.policy = policy;
    this.context = context;
  }

  @Override
  public void serve(Place place, Turn<String> turn) {
    serve(place, turn, Visit::run);
  }

  /** What to ask for if the lease can be taken along with something else. */
  LeaseRequest.Take request(Turn<String> turn) {
    PartitionMode mode = context.modes().of(turn.partition());
    context.modes().forgetIfNormal(turn.partition());
    return new LeaseRequest.Take(turn.partition(), lease.duration(), mode.size());
  }

  /** Goes on where somebody else has taken the lease and read, which began at that time. */
  void serve(Place place, Turn<String> turn, Delivery taken, long began) {
    serve(place, turn, visit -> visit.deliver(taken, began));
  }

  /** Ends a lease that somebody else has taken, as if it had never been. */
  void giveBack(long partition, Delivery taken) {
    Lease held = new Lease(partition, owner, taken.epoch(), lease.duration());
    store.end(held, CursorMove.doneUpTo(taken.processedSeq()), List.of());
  }

  private void serve(Place place, Turn<String> turn, Function<Visit, Ending> work) {
    PartitionMode mode = context.modes().of(turn.partition());
    try {
      Visit visit = new Visit(place, turn, mode);
      Ending ending = work.apply(visit);
      (ending.parked() ? visit.parkedLanes(ending) : ending).settle(turn);
    } finally {
      context.modes().forgetIfNormal(turn.partition());
    }
  }

  /** One turn of a partition. */
  private final class Visit {
    private final Place place;
    private final Turn<String> turn;
    private final PartitionMode mode;

    Visit(Place place, Turn<String> turn, PartitionMode mode) {
      this.place = place;
      this.turn = turn;
      this.mode = mode;
    }

    Ending run() {
      long began = context.time().nanos();
      Optional<Delivery> taken =
          rounds.ask(new LeaseRequest.Take(turn.partition(), lease.duration(), mode.size()));
      return taken.isEmpty()
          ? context.standAside(turn, store.state(turn.partition()))
          : deliver(taken.get(), began);
    }

    private Ending deliver(Delivery first, long firstBegan) {
      Delivery delivery = first;
      long began = firstBegan;
      for (int batch = 1; ; batch++) {
        Lease held = held(delivery);
        if (delivery.messages().isEmpty()) {
          return nothingThere(held, delivery);
        }
        Sorted sorted = sort(delivery);
        var outcome = new Outcome(turn.partition(), sorted, delivery.attempts() - 1);
        Answer answer = handle(held, sorted.delivery(), outcome, began);
        boolean goOn =
            answer.settlement().verdict() == Settlement.Verdict.SUCCESS
                && outcome.deadLetters().isEmpty()
                && outcome.parked().isEmpty()
                && !sorted.blocked()
                && outcome.hasMore()
                && batch < context.maxBatches()
                && mode.isUnpaced()
                && !context.stop().requested();
        if (!goOn) {
          return end(held, answer, outcome, began).withParked(outcome.hasParked());
        }
        mode.succeeded();
        long next = context.time().nanos();
        Optional<Delivery> more =
            rounds.ask(new LeaseRequest.Next(held, outcome.processedSeq(), mode.size()));
        if (more.isEmpty()) {
          return lost(held);
        }
        context.delivered(place, outcome.done(), began);
        delivery = more.get();
        began = next;
      }
    }

    private Lease held(Delivery delivery) {
      return new Lease(turn.partition(), owner, delivery.epoch(), lease.duration());
    }

    /** The numbers promise messages that are not there, or the last one was just read. */
    private Ending nothingThere(Lease held, Delivery delivery) {
      return end(held, CursorMove.doneUpTo(delivery.processedSeq()), List.of(), List.of())
          ? Ending.of(Ending.Kind.IDLE).withParked(delivery.parked() > 0)
          : lost(held);
    }

    /** A first message without a body is left for the outcome to reject. */
    private Sorted sort(Delivery delivery) {
      List<StoredMessage> readable = Outcome.readable(delivery);
      return readable.isEmpty()
          ? Sorted.all(delivery)
          : Parking.of(policy, delivery, mode, () -> parked.lanes(turn.partition()))
              .sort(delivery, readable);
    }

    private Answer handle(Lease held, Delivery delivery, Outcome outcome, long began) {
      List<StoredMessage> messages = delivery.messages();
      if (messages.isEmpty()) {
        // All of them wait for a parked one.
        return new Answer(
            new Settlement(Settlement.Verdict.SUCCESS, 0, 0, 0, List.of(), null), false);
      }
      if (messages.get(0).body() == null) {
        outcome.reject(0, "its body is missing in the database");
        outcome.doneUpTo(1);
        return new Answer(
            new Settlement(Settlement.Verdict.REJECT, 1, 0, 1, List.of(), null), false);
      }
      return rounds.whileOut(() -> calls.run(place, held, delivery, outcome, began));
    }

    private Ending end(Lease held, Answer answer, Outcome outcome, long began) {
      Settlement settlement = answer.settlement();
      Duration delay = Duration.ZERO;
      if (outcome.retryReason() != null) {
        delay = mode.retried(outcome.done(), settlement.fetched());
      } else if (settlement.verdict() == Settlement.Verdict.SUCCESS) {
        mode.succeeded();
      } else if (!answer.stopped() && outcome.parkedHead() == null) {
        mode.rejected(settlement.handled(), settlement.fetched());
      }
      if (!end(held, outcome.move(delay), outcome.deadLetters(), outcome.parked())) {
        return lost(held);
      }
      context.delivered(place, outcome.done(), began);
      context.settled(place, outcome, delay);
      return outcome.retryReason() != null
          ? Ending.of(Ending.Kind.LATER, delay)
          : DeliveryContext.leave(mode, outcome.hasMore());
    }

    private boolean end(
        Lease held, CursorMove move, List<NewDeadLetter> deadLetters, List<NewParked> parking) {
      return (deadLetters.isEmpty() && parking.isEmpty())
          ? rounds.ask(new LeaseRequest.End(held, move)).isPresent()
          : store.end(held, move, deadLetters, parking);
    }

    private Ending lost(Lease held) {
      context.events().leaseLost(place, held.epoch());
      return Ending.of(Ending.Kind.SKIPPED);
    }

    /** The keys that are parked and due, one after the other. */
    Ending parkedLanes(Ending ending) {
      boolean tired = false;
      for (int lanes = 0; !tired; lanes++) {
        tired = lanes == context.maxBatches() || context.stop().requested();
        long began = context.time().nanos();
        Optional<ParkedLane> due =
            tired
                ? Optional.empty()
                : parked.lease(turn.partition(), owner, lease.duration(), mode.size());
        if (due.isEmpty()) {
          break;
        }
        if (!parkedLane(due.get(), began)) {
          return Ending.of(Ending.Kind.SKIPPED);
        }
      }
      return ending.after(store.state(turn.partition()), tired);
    }

    /** Whether its outcome could be stored. */
    private boolean parkedLane(ParkedLane lane, long began) {
      Delivery delivery = lane.delivery();
      Lease held = held(delivery);
      var outcome = new Outcome(turn.partition(), delivery, delivery.attempts() - 1);
      calls.run(place, held, delivery, outcome, began);
      Duration delay =
          outcome.retryReason() == null ? Duration.ZERO : mode.delayAfter(outcome.attempts());
      if (!parked.end(held, outcome.parkedMove(lane.lane(), delay), outcome.deadLetters())) {
        lost(held);
        return false;
      }
      context.deliveredParked(place, outcome.done(), began);
      context.settled(place, outcome, delay);
      return true;
    }
  }
}

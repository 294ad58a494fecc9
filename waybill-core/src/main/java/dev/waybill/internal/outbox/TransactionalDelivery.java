package dev.waybill.internal.outbox;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.outbox.Parking.Sorted;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.sql.GuardedConnection;
import dev.waybill.internal.sql.Retry;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.ParkedLane;
import dev.waybill.internal.store.ParkedStore;
import dev.waybill.internal.store.StoredMessage;
import dev.waybill.outbox.HeadFailure;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Delivers in the transaction that moves the cursor: lock the cursor and read, call the handler,
 * move the cursor, commit. Nothing is stored unless all of it is, so nothing happens twice. Parked
 * keys that are due come after that, each in a transaction of its own.
 */
final class TransactionalDelivery implements Processor.Delivery {
  /**
   * Calls the handler for messages of one delivery, and writes into the outcome what became of
   * them.
   */
  interface Calls {
    /** With the transaction's connection as the handler gets it. */
    void run(Tx tx, Connection own, List<DeliveredMessage> messages, Outcome outcome);
  }

  private final Database database;
  private final MessageStore store;
  private final ParkedStore parked;
  private final Calls calls;
  private final HeadFailure policy;
  private final DeliveryContext context;

  TransactionalDelivery(
      Database database,
      MessageStore store,
      ParkedStore parked,
      Calls calls,
      HeadFailure policy,
      DeliveryContext context) {
    // A handler is not repeated behind its back: its partition comes again by itself.
    this.database = database.retrying(Retry.never());
    this.store = store;
    this.parked = parked;
    this.calls = calls;
    this.policy = policy;
    this.context = context;
  }

  @Override
  public void serve(Place place, Turn<String> turn) {
    PartitionMode mode = context.modes().of(turn.partition());
    try (Session session = database.session()) {
      Visit visit = new Visit(session, place, turn.partition(), mode);
      Ending ending = visit.run(turn);
      (ending.parked() ? visit.parkedLanes(ending) : ending).settle(turn);
    } finally {
      context.modes().forgetIfNormal(turn.partition());
    }
  }

  /** What one transaction did; the delay is that of a retry. */
  private record Done(Outcome outcome, Duration delay) {}

  /** One turn of a partition. */
  private final class Visit {
    private final Session session;
    private final Place place;
    private final long partition;
    private final PartitionMode mode;

    /** What was locked though there was nothing to deliver. */
    private @Nullable Delivery empty;

    Visit(Session session, Place place, long partition, PartitionMode mode) {
      this.session = session;
      this.place = place;
      this.partition = partition;
      this.mode = mode;
    }

    Ending run(Turn<String> turn) {
      for (int batch = 1; ; batch++) {
        long began = context.time().nanos();
        Optional<Done> done = unlessRefused(this::deliver, this::spoiled);
        if (done.isEmpty()) {
          return empty == null
              ? context.standAside(turn, store.state(partition))
              : Ending.of(Ending.Kind.IDLE).withParked(empty.parked() > 0);
        }
        Outcome outcome = done.get().outcome();
        context.delivered(place, outcome.done(), began);
        context.settled(place, outcome, done.get().delay());
        if (outcome.retryReason() != null) {
          return Ending.of(Ending.Kind.LATER, done.get().delay()).withParked(outcome.hasParked());
        }
        adapt(outcome);
        boolean more = outcome.hasMore();
        if (!more
            || outcome.isBlocked()
            || batch == context.maxBatches()
            || !mode.isUnpaced()
            || context.stop().requested()) {
          return DeliveryContext.leave(mode, more).withParked(outcome.hasParked());
        }
      }
    }

    /**
     * A transaction may be refused as a whole: at its commit, by a deferred constraint, or because
     * a handler kept an error of the database to itself. That is a failed try like any other, and
     * must count as one, or the batch would never get smaller and the message never be given up;
     * unless this process stops, which may be the reason.
     */
    private Optional<Done> unlessRefused(
        Work<Optional<Done>> work, Refusal<Optional<Done>> otherwise) {
      var end = new Endings.Ending();
      Optional<Done> done;
      try {
        done = session.transact(tx -> work.in(tx, end));
      } catch (RuntimeException | Error e) {
        end.failed(Express.isKnown(e));
        if (!(e instanceof DatabaseException refused)
            || refused.kind() == Kind.CONTENTION
            || refused.kind() == Kind.DISCONNECTED
            || !session.isOpen()
            || context.stop().requested()) {
          throw e;
        }
        return session.transact(tx -> otherwise.counted(tx, refused));
      }
      // Whoever enqueued something there has no moment after the commit to say so.
      end.committed();
      return done;
    }

    private Optional<Done> deliver(Tx tx, Endings.Ending end) {
      Optional<Delivery> locked = locked(tx, mode.size());
      if (locked.isEmpty()) {
        return Optional.empty();
      }
      Sorted sorted = sort(tx, locked.get());
      List<StoredMessage> messages = sorted.delivery().messages();
      var outcome = new Outcome(partition, sorted, locked.get().attempts());
      if (!messages.isEmpty() && messages.get(0).body() == null) {
        outcome.reject(0, "its body is missing in the database");
        outcome.doneUpTo(1);
      } else if (!messages.isEmpty()) {
        call(tx, end, messages, outcome);
      }
      Duration delay =
          outcome.retryReason() == null
              ? Duration.ZERO
              : mode.retried(outcome.done(), messages.size());
      return Optional.of(stored(tx, outcome, delay));
    }

    private void call(Tx tx, Endings.Ending end, List<StoredMessage> messages, Outcome outcome) {
      Connection own = GuardedConnection.of(tx.connection());
      context.endings().begin(own, end);
      try {
        calls.run(tx, own, delivered(messages, outcome), outcome);
      } finally {
        context.endings().workDone(own);
      }
    }

    private Optional<Done> spoiled(Tx tx, DatabaseException refused) {
      Optional<Delivery> locked = locked(tx, 1);
      if (locked.isEmpty()) {
        return Optional.empty();
      }
      Sorted sorted = sort(tx, locked.get());
      var outcome = new Outcome(partition, sorted, locked.get().attempts());
      if (sorted.delivery().messages().isEmpty()) {
        return Optional.of(stored(tx, outcome, Duration.ZERO));
      }
      if (mode.size() == 1) {
        outcome.retry(Reason.of(refused), policy.maxAttempts());
      } else {
        outcome.retryInPlace(Reason.of(refused));
      }
      Duration delay =
          outcome.retryReason() == null ? Duration.ZERO : mode.retried(0, Math.max(1, mode.size()));
      return Optional.of(stored(tx, outcome, delay));
    }

    private Optional<Delivery> locked(Tx tx, int messages) {
      Optional<Delivery> locked = store.lock(tx, partition, messages);
      empty = locked.filter(each -> each.messages().isEmpty()).orElse(null);
      return empty == null ? locked : Optional.empty();
    }

    /** A first message without a body is left for the outcome to reject. */
    private Sorted sort(Tx tx, Delivery delivery) {
      List<StoredMessage> readable = Outcome.readable(delivery);
      return readable.isEmpty()
          ? Sorted.all(delivery)
          : Parking.of(policy, delivery, mode, () -> parked.lanes(tx, partition))
              .sort(delivery, readable);
    }

    private List<DeliveredMessage> delivered(List<StoredMessage> messages, Outcome outcome) {
      List<DeliveredMessage> delivered = new ArrayList<>(messages.size());
      for (int i = 0; i < messages.size(); i++) {
        delivered.add(DeliveredMessage.of(place, messages.get(i), outcome.triedBefore(i)));
      }
      return delivered;
    }

    private Done stored(Tx tx, Outcome outcome, Duration delay) {
      store.move(tx, partition, outcome.move(delay), outcome.deadLetters(), outcome.parked());
      return new Done(outcome, delay);
    }

    /** After the commit: what was refused then was no success. */
    private void adapt(Outcome outcome) {
      if (outcome.done() > 0) {
        mode.succeeded();
      } else if (outcome.parked().isEmpty() && !outcome.isBlocked()) {
        // Rejected as a whole: one by one the bad ones show.
        mode.rejected(0, 1);
      }
    }

    /** The keys that are parked and due, one after the other. */
    Ending parkedLanes(Ending ending) {
      boolean tired = false;
      for (int lanes = 0; !tired; lanes++) {
        tired = lanes == context.maxBatches() || context.stop().requested();
        long began = context.time().nanos();
        Optional<Done> done =
            tired ? Optional.empty() : unlessRefused(this::parkedLane, this::spoiledLane);
        if (done.isEmpty()) {
          break;
        }
        context.deliveredParked(place, done.get().outcome().done(), began);
        context.settled(place, done.get().outcome(), done.get().delay());
      }
      return ending.after(store.state(partition), tired);
    }

    private Optional<Done> parkedLane(Tx tx, Endings.Ending end) {
      return parked
          .lock(tx, partition, mode.size())
          .map(
              lane -> {
                Delivery delivery = lane.delivery();
                var outcome = new Outcome(partition, delivery, delivery.attempts());
                call(tx, end, delivery.messages(), outcome);
                return stored(tx, lane, outcome);
              });
    }

    /** Those behind the first come alone from now on, as it was tried: so the bad one shows. */
    private Optional<Done> spoiledLane(Tx tx, DatabaseException refused) {
      return parked
          .lock(tx, partition, 1)
          .map(
              lane -> {
                int tries = lane.delivery().attempts();
                var outcome = new Outcome(partition, lane.delivery(), tries);
                if (tries == 0) {
                  outcome.retryInPlace(Reason.of(refused));
                } else {
                  outcome.retry(Reason.of(refused), policy.maxAttempts());
                }
                return stored(tx, lane, outcome);
              });
    }

    private Done stored(Tx tx, ParkedLane lane, Outcome outcome) {
      Duration delay =
          outcome.retryReason() == null ? Duration.ZERO : mode.delayAfter(outcome.attempts());
      parked.move(tx, partition, outcome.parkedMove(lane.lane(), delay), outcome.deadLetters());
      return new Done(outcome, delay);
    }
  }

  /** What is done in a transaction, whose end others may want to hear of. */
  private interface Work<T> {
    T in(Tx tx, Endings.Ending end);
  }

  /** Counts a try whose transaction was refused. */
  private interface Refusal<T> {
    T counted(Tx tx, DatabaseException refused);
  }
}

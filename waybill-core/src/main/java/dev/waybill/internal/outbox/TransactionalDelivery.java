package dev.waybill.internal.outbox;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Retry;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.PartitionState;
import dev.waybill.internal.store.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Delivers in the transaction that moves the cursor: lock the cursor and read, call the handler,
 * move the cursor, commit. Nothing is stored unless all of it is, so nothing happens twice.
 */
final class TransactionalDelivery implements Processor.Delivery {
  /**
   * Calls the handler for messages of one delivery, and writes into the outcome what became of
   * them.
   */
  interface Calls {
    void run(Tx tx, List<DeliveredMessage> messages, Outcome outcome);
  }

  private final Database database;
  private final MessageStore store;
  private final Calls calls;
  private final int maxAttempts;
  private final DeliveryContext context;

  TransactionalDelivery(
      Database database,
      MessageStore store,
      Calls calls,
      int maxAttempts,
      DeliveryContext context) {
    // A handler is not repeated behind its back: its partition comes again by itself.
    this.database = database.retrying(Retry.never());
    this.store = store;
    this.calls = calls;
    this.maxAttempts = maxAttempts;
    this.context = context;
  }

  @Override
  public void serve(Place place, Turn<String> turn) {
    PartitionMode mode = context.modes().of(turn.partition());
    try (Session session = database.session()) {
      for (int batch = 1; ; batch++) {
        long began = context.time().nanos();
        Visit visit = visit(session, place, turn, mode);
        if (visit.outcome == null) {
          standAside(turn, visit.isEmpty);
          return;
        }
        context.delivered(place, visit.outcome.done(), began);
        context.settled(place, visit.outcome, visit.delay);
        if (visit.outcome.retryReason() != null) {
          turn.notBefore(visit.delay);
          return;
        }
        adapt(mode, visit.outcome);
        boolean more = visit.outcome.hasMore();
        if (!more
            || batch == context.maxBatches()
            || !mode.isUnpaced()
            || context.stop().requested()) {
          context.leave(turn, mode, more);
          return;
        }
      }
    } finally {
      context.modes().forgetIfNormal(turn.partition());
    }
  }

  /**
   * What one transaction did.
   *
   * @param outcome null if nothing was delivered
   * @param isEmpty whether that was because there was nothing to deliver
   */
  private record Visit(@Nullable Outcome outcome, boolean isEmpty, Duration delay) {}

  private Visit visit(Session session, Place place, Turn<String> turn, PartitionMode mode) {
    try {
      return session.transact(tx -> visit(tx, place, turn, mode));
    } catch (DatabaseException e) {
      if (e.kind() == Kind.CONTENTION || e.kind() == Kind.DISCONNECTED || !session.isOpen()) {
        throw e;
      }
      return session.transact(tx -> spoiled(tx, turn, mode, e));
    }
  }

  /**
   * The transaction was refused as a whole: at its commit, by a deferred constraint, or because a
   * handler kept an error of the database to itself. That is a failed try like any other, and must
   * count as one, or the batch would never get smaller and the message never be given up.
   */
  private Visit spoiled(Tx tx, Turn<String> turn, PartitionMode mode, DatabaseException refused) {
    Optional<Delivery> locked = store.lock(tx, turn.partition(), 1);
    if (locked.isEmpty() || locked.get().messages().isEmpty()) {
      return new Visit(null, locked.isPresent(), Duration.ZERO);
    }
    Delivery delivery = locked.get();
    var outcome = new Outcome(turn.partition(), delivery, delivery.attempts());
    outcome.retry(Reason.of(refused), mode.size() == 1 ? maxAttempts : 0);
    Duration delay =
        outcome.retryReason() == null ? Duration.ZERO : mode.retried(0, Math.max(1, mode.size()));
    store.move(tx, turn.partition(), outcome.move(delay), outcome.deadLetters());
    return new Visit(outcome, false, delay);
  }

  private Visit visit(Tx tx, Place place, Turn<String> turn, PartitionMode mode) {
    Optional<Delivery> locked = store.lock(tx, turn.partition(), mode.size());
    if (locked.isEmpty() || locked.get().messages().isEmpty()) {
      return new Visit(null, locked.isPresent(), Duration.ZERO);
    }
    Delivery delivery = locked.get();
    var outcome = new Outcome(turn.partition(), delivery, delivery.attempts());
    List<StoredMessage> readable = Outcome.readable(delivery);
    if (readable.isEmpty()) {
      outcome.reject(0, "its body is missing in the database");
      outcome.doneUpTo(1);
    } else {
      List<DeliveredMessage> messages = new ArrayList<>(readable.size());
      for (int i = 0; i < readable.size(); i++) {
        messages.add(DeliveredMessage.of(place, readable.get(i), outcome.triedBefore(i)));
      }
      calls.run(tx, messages, outcome);
    }
    Duration delay =
        outcome.retryReason() == null
            ? Duration.ZERO
            : mode.retried(outcome.done(), readable.size());
    store.move(tx, turn.partition(), outcome.move(delay), outcome.deadLetters());
    return new Visit(outcome, false, delay);
  }

  /** After the commit: what was refused then was no success. */
  private static void adapt(PartitionMode mode, Outcome outcome) {
    if (outcome.done() == 0) {
      // Rejected as a whole: one by one the bad ones show.
      mode.rejected(0, 1);
    } else {
      mode.succeeded();
    }
  }

  private void standAside(Turn<String> turn, boolean isEmpty) {
    if (isEmpty) {
      turn.done(false);
      return;
    }
    PartitionState state = store.state(turn.partition());
    if (state.paused()) {
      turn.done(false);
    } else if (!state.notBefore().isZero()) {
      turn.notBefore(state.notBefore());
    } else {
      context.held(turn);
      turn.skipped();
    }
  }
}

package dev.waybill.internal.outbox;

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
  private final DeliveryContext context;

  TransactionalDelivery(
      Database database, MessageStore store, Calls calls, DeliveryContext context) {
    // A handler is not repeated behind its back: its partition comes again by itself.
    this.database = database.retrying(Retry.never());
    this.store = store;
    this.calls = calls;
    this.context = context;
  }

  @Override
  public void serve(Place place, Turn<String> turn) {
    PartitionMode mode = context.modes().of(turn.partition());
    try (Session session = database.session()) {
      for (int batch = 1; ; batch++) {
        long began = context.time().nanos();
        Visit visit = session.transact(tx -> visit(tx, place, turn, mode));
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
        boolean more = visit.outcome.hasMore();
        if (!more || batch == context.maxBatches() || context.stop().requested()) {
          turn.done(more);
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
    Duration delay = adapt(mode, outcome, readable.size());
    store.move(tx, turn.partition(), outcome.move(delay), outcome.deadLetters());
    return new Visit(outcome, false, delay);
  }

  private static Duration adapt(PartitionMode mode, Outcome outcome, int fetched) {
    if (outcome.retryReason() != null) {
      return mode.retried(outcome.done(), fetched);
    }
    if (outcome.done() == 0) {
      // Rejected as a whole: one by one the bad ones show.
      mode.rejected(0, fetched);
    } else {
      mode.succeeded();
    }
    return Duration.ZERO;
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

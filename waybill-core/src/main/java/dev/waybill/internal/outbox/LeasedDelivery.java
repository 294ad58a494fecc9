package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Interrupts;
import dev.waybill.internal.loop.StopSignal;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.TimeLimit;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.store.CursorMove;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.Lease;
import dev.waybill.internal.store.LeaseRequest;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.NewDeadLetter;
import dev.waybill.internal.store.PartitionState;
import dev.waybill.internal.store.StoredMessage;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.LeaseConfig;
import dev.waybill.outbox.LeasedBatchHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers under a lease: take it and read, call the handler outside any transaction, store the
 * outcome on condition that the lease is still ours. While there is more, storing and reading on
 * are one step and the lease is kept.
 *
 * <p>If storing fails, the lease stays ours by name, so this process can take it again without
 * waiting for its end; its number grows all the same.
 */
final class LeasedDelivery implements Processor.Delivery {
  private static final Logger log = LoggerFactory.getLogger(LeasedDelivery.class);

  private final MessageStore store;
  private final Rounds rounds;
  private final String owner;
  private final LeaseConfig lease;
  private final LeasedBatchHandler handler;
  private final int maxAttempts;
  private final DeliveryContext context;
  private final TimeLimit limit;

  /**
   * The delivery of one queue.
   *
   * @param owner names this process in leases
   */
  LeasedDelivery(
      MessageStore store,
      Rounds rounds,
      String owner,
      LeaseConfig lease,
      LeasedBatchHandler handler,
      int maxAttempts,
      DeliveryContext context,
      TimeLimit limit) {
    this.store = store;
    this.rounds = rounds;
    this.owner = owner;
    this.lease = lease;
    this.handler = handler;
    this.maxAttempts = maxAttempts;
    this.context = context;
    this.limit = limit;
  }

  @Override
  public void serve(Place place, Turn<String> turn) {
    PartitionMode mode = context.modes().of(turn.partition());
    try {
      long began = context.time().nanos();
      Optional<Delivery> taken =
          rounds.ask(new LeaseRequest.Take(turn.partition(), lease.duration(), mode.size()));
      if (taken.isEmpty()) {
        standAside(turn);
      } else {
        new Visit(place, turn, mode).run(taken.get(), began);
      }
    } finally {
      context.modes().forgetIfNormal(turn.partition());
    }
  }

  /** Nothing was leased: finds out why, and so when to try again. */
  private void standAside(Turn<String> turn) {
    PartitionState state = store.state(turn.partition());
    if (state.paused() || state.processedSeq() >= state.sequence()) {
      turn.done(false);
    } else if (!state.notBefore().isZero()) {
      turn.notBefore(state.notBefore());
    } else {
      context.held(turn);
      turn.skipped();
    }
  }

  /** One turn of a partition. */
  private final class Visit {
    private final Place place;
    private final Turn<String> turn;
    private final PartitionMode mode;

    /** Whether the handler was interrupted because this process stops: no fault of the message. */
    private boolean stopped;

    Visit(Place place, Turn<String> turn, PartitionMode mode) {
      this.place = place;
      this.turn = turn;
      this.mode = mode;
    }

    void run(Delivery first, long firstBegan) {
      Delivery delivery = first;
      long began = firstBegan;
      for (int batch = 1; ; batch++) {
        var held = new Lease(turn.partition(), owner, delivery.epoch(), lease.duration());
        if (delivery.messages().isEmpty()) {
          nothingThere(held, delivery);
          return;
        }
        var outcome = new Outcome(turn.partition(), delivery, delivery.attempts() - 1);
        Settlement settlement = handle(held, delivery, outcome, began);
        boolean goOn =
            settlement.verdict() == Settlement.Verdict.SUCCESS
                && outcome.deadLetters().isEmpty()
                && outcome.hasMore()
                && batch < context.maxBatches()
                && mode.isUnpaced()
                && !stop().requested();
        if (!goOn) {
          end(held, settlement, outcome, began);
          return;
        }
        mode.succeeded();
        long next = context.time().nanos();
        Optional<Delivery> more =
            rounds.ask(new LeaseRequest.Next(held, outcome.processedSeq(), mode.size()));
        if (more.isEmpty()) {
          lost(held);
          return;
        }
        context.delivered(place, outcome.done(), began);
        delivery = more.get();
        began = next;
      }
    }

    /** The numbers promise messages that are not there, or the last one was just read. */
    private void nothingThere(Lease held, Delivery delivery) {
      if (end(held, CursorMove.doneUpTo(delivery.processedSeq()), List.of())) {
        turn.done(false);
      } else {
        lost(held);
      }
    }

    private Settlement handle(Lease held, Delivery delivery, Outcome outcome, long began) {
      List<StoredMessage> readable = Outcome.readable(delivery);
      if (readable.isEmpty()) {
        outcome.reject(0, "its body is missing in the database");
        outcome.doneUpTo(1);
        return new Settlement(Settlement.Verdict.REJECT, 1, 0, 1, List.of(), null);
      }
      List<DeliveredMessage> messages = new ArrayList<>(readable.size());
      for (int i = 0; i < readable.size(); i++) {
        messages.add(DeliveredMessage.of(place, readable.get(i), outcome.triedBefore(i)));
      }
      long deadline = began + Time.toNanos(lease.budget());
      Settlement settlement = call(held, messages, deadline);
      settlement.rejections().forEach(each -> outcome.reject(each.position(), each.reason()));
      outcome.doneUpTo(settlement.processed());
      if (settlement.verdict() == Settlement.Verdict.RETRY) {
        if (stopped) {
          outcome.notTried();
        } else {
          outcome.retry(String.valueOf(settlement.reason()), maxAttempts);
        }
      }
      return settlement;
    }

    private Settlement call(Lease held, List<DeliveredMessage> messages, long deadline) {
      try (TimeLimit.Watch watch = limit.interruptMeAt(deadline)) {
        var batch =
            new LeasedBatch(
                messages, held.epoch(), deadline, context.time(), () -> renew(held, watch));
        try {
          return batch.conclude(handler.handle(batch));
        } catch (Exception e) {
          boolean interrupted = e instanceof InterruptedException;
          if (interrupted && watch.isOver()) {
            return batch.conclude(HandlerResult.retry("its time of " + lease.budget() + " was up"));
          }
          stopped = interrupted && stop().requested();
          return batch.conclude(HandlerResult.retry(Reason.of(e)));
        } catch (Error e) {
          log.error("{}/{}: the handler threw", place.queue().name(), place.number(), e);
          return batch.conclude(HandlerResult.retry(Reason.of(e)));
        }
      } finally {
        // An interrupt that the handler left behind must not break the statement that follows.
        Interrupts.clear();
      }
    }

    private Optional<Long> renew(Lease held, TimeLimit.Watch watch) {
      long now = context.time().nanos();
      if (!store.renew(held)) {
        return Optional.empty();
      }
      long deadline = now + Time.toNanos(lease.budget());
      watch.moveTo(deadline);
      return Optional.of(deadline);
    }

    private void end(Lease held, Settlement settlement, Outcome outcome, long began) {
      Duration delay = Duration.ZERO;
      int fetched = settlement.fetched();
      if (outcome.retryReason() != null) {
        delay = mode.retried(outcome.done(), fetched);
      } else if (settlement.verdict() == Settlement.Verdict.SUCCESS) {
        mode.succeeded();
      } else if (!stopped) {
        mode.rejected(settlement.handled(), fetched);
      }
      if (!end(held, outcome.move(delay), outcome.deadLetters())) {
        lost(held);
        return;
      }
      context.delivered(place, outcome.done(), began);
      context.settled(place, outcome, delay);
      if (outcome.retryReason() != null) {
        turn.notBefore(delay);
      } else {
        context.leave(turn, mode, outcome.hasMore());
      }
    }

    private boolean end(Lease held, CursorMove move, List<NewDeadLetter> deadLetters) {
      return deadLetters.isEmpty()
          ? rounds.ask(new LeaseRequest.End(held, move)).isPresent()
          : store.end(held, move, deadLetters);
    }

    private void lost(Lease held) {
      context.events().leaseLost(place, held.epoch());
      turn.skipped();
    }

    private StopSignal stop() {
      return context.stop();
    }
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Interrupts;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.TimeLimit;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.Lease;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.LeaseConfig;
import dev.waybill.outbox.LeasedBatchHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How leased handlers are called: within their time, whatever they do. */
final class LeasedCalls {
  private static final Logger log = LoggerFactory.getLogger(LeasedCalls.class);

  private final MessageStore store;
  private final LeaseConfig lease;
  private final LeasedBatchHandler handler;
  private final int maxAttempts;
  private final DeliveryContext context;
  private final TimeLimit limit;

  LeasedCalls(
      MessageStore store,
      LeaseConfig lease,
      LeasedBatchHandler handler,
      int maxAttempts,
      DeliveryContext context,
      TimeLimit limit) {
    this.store = store;
    this.lease = lease;
    this.handler = handler;
    this.maxAttempts = maxAttempts;
    this.context = context;
    this.limit = limit;
  }

  /**
   * What came of a call.
   *
   * @param stopped whether it is to be tried again and this process stops: a handler that is
   *     interrupted may fail in any way, which is no fault of the message
   */
  record Answer(Settlement settlement, boolean stopped) {}

  /** Calls the handler with all messages, and writes into the outcome what became of them. */
  Answer run(Place place, Lease held, Delivery delivery, Outcome outcome, long began) {
    List<DeliveredMessage> messages = new ArrayList<>(delivery.messages().size());
    for (int i = 0; i < delivery.messages().size(); i++) {
      messages.add(DeliveredMessage.of(place, delivery.messages().get(i), outcome.triedBefore(i)));
    }
    Answer answer = call(place, held, messages, began + Time.toNanos(lease.budget()));
    Settlement settlement = answer.settlement();
    settlement.rejections().forEach(each -> outcome.reject(each.position(), each.reason()));
    outcome.doneUpTo(settlement.processed());
    if (settlement.verdict() == Settlement.Verdict.RETRY) {
      if (answer.stopped()) {
        outcome.notTried();
      } else {
        outcome.retry(String.valueOf(settlement.reason()), maxAttempts);
      }
    }
    return answer;
  }

  private Answer call(Place place, Lease held, List<DeliveredMessage> messages, long deadline) {
    try (TimeLimit.Watch watch = limit.interruptMeAt(deadline)) {
      var batch =
          new LeasedBatch(
              messages, held.epoch(), deadline, context.time(), () -> renew(held, watch));
      HandlerResult result;
      try {
        result = handler.handle(batch);
      } catch (Exception e) {
        result =
            HandlerResult.retry(
                e instanceof InterruptedException && watch.isOver()
                    ? "its time of " + lease.budget() + " was up"
                    : Reason.of(e));
      } catch (Error e) {
        log.error("{}/{}: the handler threw", place.queue().name(), place.number(), e);
        result = HandlerResult.retry(Reason.of(e));
      }
      Settlement settlement = batch.conclude(result);
      return new Answer(
          settlement,
          settlement.verdict() == Settlement.Verdict.RETRY
              && !watch.isOver()
              && context.stop().requested());
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
}

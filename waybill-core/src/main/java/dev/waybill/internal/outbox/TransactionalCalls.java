package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Interrupts;
import dev.waybill.internal.loop.StopSignal;
import dev.waybill.internal.sql.Tx;
import dev.waybill.outbox.BatchTransactionalHandler;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.HandlerTransaction;
import dev.waybill.outbox.OutboxMessage;
import dev.waybill.outbox.TransactionalHandler;
import java.sql.Connection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How transactional handlers are called. What a handler wrote is undone to a savepoint if it does
 * not succeed, so the transaction can go on and store that.
 */
final class TransactionalCalls {
  private static final Logger log = LoggerFactory.getLogger(TransactionalCalls.class);

  private TransactionalCalls() {}

  private interface Call {
    HandlerResult run(HandlerTransaction tx) throws Exception;
  }

  /** One message after the other. A rejected one does not stop those behind it; a retry does. */
  static TransactionalDelivery.Calls oneByOne(
      TransactionalHandler handler, int maxAttempts, StopSignal stop) {
    return (tx, own, messages, outcome) -> {
      for (int i = 0; i < messages.size(); i++) {
        OutboxMessage message = messages.get(i);
        HandlerResult result = call(tx, own, each -> handler.handle(each, message));
        if (result instanceof HandlerResult.Retry retry) {
          retry(outcome, retry.reason(), maxAttempts, stop);
          break;
        }
        if (result instanceof HandlerResult.Reject reject) {
          outcome.reject(i, reject.reason());
        }
        outcome.doneUpTo(i + 1);
      }
      tx.requireSavepoint();
    };
  }

  /** All at once. If several are rejected, none is done, and they come again one by one. */
  static TransactionalDelivery.Calls together(
      BatchTransactionalHandler handler, int maxAttempts, StopSignal stop) {
    return (tx, own, messages, outcome) -> {
      HandlerResult result = call(tx, own, each -> handler.handle(each, List.copyOf(messages)));
      if (result instanceof HandlerResult.Retry retry) {
        retry(outcome, retry.reason(), messages.size() == 1 ? maxAttempts : 0, stop);
      } else if (result instanceof HandlerResult.Success) {
        outcome.doneUpTo(messages.size());
      } else if (messages.size() == 1) {
        outcome.reject(0, ((HandlerResult.Reject) result).reason());
        outcome.doneUpTo(1);
      }
      tx.requireSavepoint();
    };
  }

  /** A handler that a stop interrupts may fail in any way: no fault of the message. */
  private static void retry(Outcome outcome, String reason, int maxAttempts, StopSignal stop) {
    if (stop.requested()) {
      outcome.notTried();
    } else {
      outcome.retry(reason, maxAttempts);
    }
  }

  private static HandlerResult call(Tx tx, Connection own, Call call) {
    tx.savepoint();
    HandlerResult result = answer(own, call);
    // An interrupt that the handler left behind must not break the statements that follow.
    Interrupts.clear();
    if (!(result instanceof HandlerResult.Success)) {
      tx.undo();
    }
    return result;
  }

  @SuppressWarnings("NullAway") // A handler may return null, whatever its type says.
  private static HandlerResult answer(Connection own, Call call) {
    try {
      HandlerResult result = call.run(() -> own);
      return result == null ? HandlerResult.retry("the handler returned null") : result;
    } catch (Exception e) {
      return HandlerResult.retry(Reason.of(e));
    } catch (Error e) {
      log.error("A transactional handler threw", e);
      return HandlerResult.retry(Reason.of(e));
    }
  }
}

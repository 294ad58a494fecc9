package dev.waybill.internal.outbox;

import dev.waybill.outbox.Batch;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.LeasedBatchHandler;
import dev.waybill.outbox.LeasedHandler;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.OutboxMessage;

/**
 * Feeds a batch to a handler of single messages. A rejected message does not stop the batch; a
 * retry does, for order's sake. It begins no message after the time is up; what is left then is
 * delivered again at once.
 */
record OneByOne(LeasedHandler handler) implements LeasedBatchHandler {
  @Override
  public HandlerResult handle(Batch batch) throws Exception {
    for (OutboxMessage message = batch.next(); message != null; message = batch.next()) {
      MessageResult result = handler.handle(message);
      if (result instanceof MessageResult.Ok) {
        batch.ack();
      } else if (result instanceof MessageResult.Reject reject) {
        batch.reject(reject.reason());
      } else {
        return HandlerResult.retry(
            result instanceof MessageResult.Retry retry
                ? retry.reason()
                : "the handler returned null");
      }
      if (batch.remaining().isZero()) {
        break;
      }
    }
    return HandlerResult.success();
  }
}

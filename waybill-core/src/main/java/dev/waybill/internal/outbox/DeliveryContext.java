package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.StopSignal;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.store.NewDeadLetter;
import java.time.Duration;
import java.util.function.IntConsumer;

/**
 * What all deliveries share.
 *
 * @param maxBatches how many batches of a partition are delivered in a row
 * @param done is told how many messages are done
 */
record DeliveryContext(
    Modes modes, Events events, Time time, StopSignal stop, int maxBatches, IntConsumer done) {

  /** Messages are done, and that is stored. */
  void delivered(Place place, int messages, long began) {
    if (messages > 0) {
      done.accept(messages);
      events.delivered(place, messages, Duration.ofNanos(time.nanos() - began));
    }
  }

  /** Tells what became of the others, once that is stored. */
  void settled(Place place, Outcome outcome, Duration delay) {
    for (NewDeadLetter each : outcome.deadLetters()) {
      events.rejected(place, each.message().seq(), each.reason());
    }
    String reason = outcome.retryReason();
    if (reason != null) {
      events.retried(place, outcome.processedSeq() + 1, outcome.attempts(), reason, delay);
    }
  }
}

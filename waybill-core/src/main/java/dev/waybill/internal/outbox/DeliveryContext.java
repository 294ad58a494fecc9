package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.StopSignal;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.store.NewDeadLetter;
import java.time.Duration;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;

/**
 * What all deliveries share.
 *
 * @param maxBatches how many batches of a partition are delivered in a row
 * @param done is told how many messages are done
 * @param elsewhere is told of partitions with work that another process has
 */
record DeliveryContext(
    Modes modes,
    Events events,
    Time time,
    StopSignal stop,
    int maxBatches,
    IntConsumer done,
    LongConsumer elsewhere) {

  /** Another process has the partition; it may not know that there is more. */
  void held(Turn<String> turn) {
    if (turn.isFirstTry()) {
      elsewhere.accept(turn.partition());
    }
  }

  /** Ends a turn that went well; if there is more, after the pause that the tuning asks for. */
  void leave(Turn<String> turn, PartitionMode mode, boolean more) {
    if (!more) {
      mode.rested();
      turn.done(false);
    } else if (mode.isUnpaced()) {
      turn.done(true);
    } else {
      turn.notBefore(mode.nextPause());
    }
  }

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

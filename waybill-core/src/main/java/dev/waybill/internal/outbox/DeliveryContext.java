package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.StopSignal;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.store.NewDeadLetter;
import dev.waybill.internal.store.NewParked;
import dev.waybill.internal.store.PartitionState;
import java.time.Duration;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;

/**
 * What all deliveries share.
 *
 * @param maxBatches how many batches of a partition are delivered in a row
 * @param done is told how many messages the cursors have passed
 * @param elsewhere is told of partitions with work that another process has
 * @param endings where whoever enqueues in a handler's transaction hears of its end
 */
record DeliveryContext(
    Modes modes,
    Events events,
    Time time,
    StopSignal stop,
    int maxBatches,
    IntConsumer done,
    LongConsumer elsewhere,
    Endings endings) {

  /** Another process has the partition; it may not know that there is more. */
  private void held(Turn<String> turn) {
    if (turn.isFirstTry()) {
      elsewhere.accept(turn.partition());
    }
  }

  /** How a turn ends that went well; if there is more, after the pause that the tuning asks for. */
  static Ending leave(PartitionMode mode, boolean more) {
    if (!more) {
      mode.rested();
      return Ending.of(Ending.Kind.IDLE);
    }
    return mode.isUnpaced()
        ? Ending.of(Ending.Kind.MORE)
        : Ending.of(Ending.Kind.PACED, mode.nextPause());
  }

  /** How a turn ends in which nothing could be had. */
  Ending standAside(Turn<String> turn, PartitionState state) {
    Ending ending = Ending.of(state);
    if (ending.kind() == Ending.Kind.SKIPPED) {
      held(turn);
    }
    return ending;
  }

  /** Messages are done, and that is stored. */
  void delivered(Place place, int messages, long began) {
    if (messages > 0) {
      done.accept(messages);
      deliveredParked(place, messages, began);
    }
  }

  /** Messages are done that the cursor had passed before. */
  void deliveredParked(Place place, int messages, long began) {
    if (messages > 0) {
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
      events.retried(place, outcome.retriedSeq(), outcome.attempts(), reason, delay);
    }
    NewParked head = outcome.parkedHead();
    if (head != null && head.reason() != null && head.delay() != null) {
      events.retried(place, head.message().seq(), head.attempts(), head.reason(), head.delay());
    }
    int parked = outcome.parked().size();
    if (parked > 0) {
      done.accept(parked);
      events.parked(place, parked);
    }
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.outbox.Queues.Place;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands partitions that are ready to threads of the crew, as many at a time as their queues allow.
 * It does no work of its own, so a slow handler never keeps it from the next partition.
 */
final class Processor implements Worker {
  private static final Logger log = LoggerFactory.getLogger(Processor.class);

  /** With the standard backoff after some ten seconds. */
  private static final int FIRST_REMINDER = 8;

  /** Serves a partition: delivers what waits and settles the turn. */
  interface Delivery {
    void serve(Place place, Turn<String> turn);
  }

  private final ReadyPartitions ready;
  private final Queues queues;
  private final Map<String, Delivery> deliveries;
  private final Crew crew;

  /**
   * A processor.
   *
   * @param deliveries how each served queue is delivered, by name
   */
  Processor(ReadyPartitions ready, Queues queues, Map<String, Delivery> deliveries, Crew crew) {
    this.ready = ready;
    this.queues = queues;
    this.deliveries = Map.copyOf(deliveries);
    this.crew = crew;
  }

  /** Whether this process delivers the queue. */
  boolean serves(String queue) {
    return deliveries.containsKey(queue);
  }

  @Override
  public String name() {
    return "processor";
  }

  @Override
  public Next runOnce() {
    for (Turn<String> turn = ready.take(); turn != null; turn = ready.take()) {
      begin(turn);
    }
    return ready.next();
  }

  private void begin(Turn<String> turn) {
    Place place = queues.place(turn.partition());
    Delivery delivery = deliveries.get(turn.queue());
    if (place == null || delivery == null) {
      // Nobody marks what is not served here.
      turn.done(false);
      return;
    }
    begin(place, turn, () -> delivery.serve(place, turn));
  }

  /** Has the turn served by a thread of the crew; if there is none any more, it has failed. */
  boolean begin(Place place, Turn<String> turn, Runnable work) {
    boolean begun = false;
    try {
      begun =
          crew.run(
              "deliver-" + place.queue().name() + "/" + place.number(),
              () -> serve(place, turn, work));
    } catch (RuntimeException | OutOfMemoryError noThread) {
      complain(place, noThread, turn.failuresBefore() + 1);
    }
    if (!begun) {
      turn.close();
    }
    return begun;
  }

  private static void serve(Place place, Turn<String> turn, Runnable work) {
    int failures = turn.failuresBefore();
    try (turn) {
      work.run();
    } catch (RuntimeException e) {
      complain(place, e, failures + 1);
    }
  }

  /** The first failure is worth a line, and those that show that it lasts; not every try. */
  private static void complain(Place place, Throwable failure, int failures) {
    String queue = place.queue().name();
    if (Integer.bitCount(failures) == 1 && (failures == 1 || failures >= FIRST_REMINDER)) {
      log.warn(
          "{}/{}: the delivery failed ({} in a row) and is tried again after a pause: {}",
          queue,
          place.number(),
          failures,
          failure.toString().strip().replaceAll("\\s*\\R\\s*", " "));
    }
    log.debug("{}/{}: the delivery failed here", queue, place.number(), failure);
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.spi.OutboxListener;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the listeners what happens, and the log what an operator should see. */
final class Events {
  private static final Logger log = LoggerFactory.getLogger("dev.waybill.outbox");

  private final List<OutboxListener> listeners;

  Events(List<OutboxListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  void enqueued(String queue, int messages) {
    tell(listener -> listener.enqueued(queue, messages));
  }

  void sequenced(int messages, Duration took) {
    tell(listener -> listener.sequenced(messages, took));
  }

  void delivered(Place place, int messages, Duration took) {
    tell(listener -> listener.delivered(place.queue().name(), place.number(), messages, took));
  }

  /** The first failure is worth a line; those that follow say the same. */
  void retried(Place place, long seq, int attempts, String reason, Duration retryIn) {
    String queue = place.queue().name();
    if (attempts <= 1) {
      log.info("{}/{}: message {} is tried again: {}", queue, place.number(), seq, reason);
    } else {
      log.debug(
          "{}/{}: message {} failed {} times: {}", queue, place.number(), seq, attempts, reason);
    }
    tell(listener -> listener.retried(queue, place.number(), seq, attempts, reason, retryIn));
  }

  void parked(Place place, int messages) {
    tell(listener -> listener.parked(place.queue().name(), place.number(), messages));
  }

  void rejected(Place place, long seq, String reason) {
    String queue = place.queue().name();
    log.warn("{}/{}: message {} is a dead letter now: {}", queue, place.number(), seq, reason);
    tell(listener -> listener.rejected(queue, place.number(), seq, reason));
  }

  void leaseLost(Place place, long epoch) {
    String queue = place.queue().name();
    log.warn(
        "{}/{}: lease {} was lost before the outcome could be stored; its messages are delivered"
            + " again by whoever has the partition now",
        queue,
        place.number(),
        epoch);
    tell(listener -> listener.leaseLost(queue, place.number(), epoch));
  }

  void vacuumed(long messages, Duration took) {
    tell(listener -> listener.vacuumed(messages, took));
  }

  private void tell(Consumer<OutboxListener> event) {
    for (OutboxListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (RuntimeException | Error e) {
        log.error("The listener {} failed", listener, e);
      }
    }
  }
}

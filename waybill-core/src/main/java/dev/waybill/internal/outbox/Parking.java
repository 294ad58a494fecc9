package dev.waybill.internal.outbox;

import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.MessageBody;
import dev.waybill.internal.store.ParkedStore;
import dev.waybill.internal.store.ParkedStore.Lanes;
import dev.waybill.internal.store.StoredMessage;
import dev.waybill.outbox.HeadFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which keys of a partition are parked, and how many messages more may be.
 *
 * @param lanes the keys' lanes
 * @param nextDue the time until one of them may be tried
 * @param room how many more messages may be parked
 * @param limit how many may be parked at all; 0 if the queue parks none
 * @param backoff how long a message waits after so many tries
 */
record Parking(
    Set<Long> lanes, Duration nextDue, int room, int limit, IntFunction<Duration> backoff) {

  /** Nothing is parked and nothing will be. */
  static final Parking NONE = new Parking(Set.of(), Duration.ZERO, 0, 0, tries -> Duration.ZERO);

  /**
   * For a delivery. The lanes are asked for only if there are any: also where the queue parks
   * nothing, as it may have done so before, or may do so in another process.
   */
  static Parking of(
      HeadFailure policy, Delivery delivery, PartitionMode mode, Supplier<Lanes> lanes) {
    int limit = policy instanceof HeadFailure.ParkKey park ? park.limit() : 0;
    if (limit == 0 && delivery.parked() == 0) {
      return NONE;
    }
    int room = Math.max(0, limit - delivery.parked());
    Lanes there = delivery.parked() == 0 ? new Lanes(Set.of(), Duration.ZERO) : lanes.get();
    return new Parking(there.lanes(), there.nextDue(), room, limit, mode::delayAfter);
  }

  /**
   * Messages of a delivery, divided.
   *
   * @param delivery those to be handled
   * @param followers those between them that wait for a parked one of their key
   * @param endSeq the last number among both
   * @param blocked whether they end there because the next one is a follower without room
   */
  record Sorted(
      Delivery delivery,
      List<StoredMessage> followers,
      long endSeq,
      boolean blocked,
      Parking parking) {

    /** All are to be handled. */
    static Sorted all(Delivery delivery) {
      List<StoredMessage> messages = delivery.messages();
      long end =
          messages.isEmpty() ? delivery.processedSeq() : messages.get(messages.size() - 1).seq();
      return new Sorted(delivery, List.of(), end, false, NONE);
    }

    /** Whether the first to be handled is the one behind the cursor, whose tries are counted. */
    boolean beginsAtCursor() {
      return followers.isEmpty()
          || (!delivery.messages().isEmpty()
              && delivery.messages().get(0).seq() < followers.get(0).seq());
    }
  }

  /** Divides the messages of a delivery that have a body, from its first on. */
  Sorted sort(Delivery delivery, List<StoredMessage> readable) {
    if (lanes.isEmpty() && readable.size() == delivery.messages().size()) {
      return new Sorted(delivery, List.of(), readable.get(readable.size() - 1).seq(), false, this);
    }
    List<StoredMessage> handled = new ArrayList<>(readable.size());
    List<StoredMessage> followers = new ArrayList<>();
    long end = delivery.processedSeq();
    boolean blocked = false;
    for (StoredMessage message : readable) {
      if (!isParked(message)) {
        handled.add(message);
      } else if (followers.size() < room) {
        followers.add(message);
      } else {
        blocked = true;
        break;
      }
      end = message.seq();
    }
    return new Sorted(
        new Delivery(
            delivery.processedSeq(),
            delivery.attempts(),
            delivery.epoch(),
            delivery.sequence(),
            delivery.parked(),
            handled),
        followers,
        end,
        blocked,
        this);
  }

  private boolean isParked(StoredMessage message) {
    String key = lanes.isEmpty() ? null : keyOf(message);
    return key != null && lanes.contains(ParkedStore.lane(key));
  }

  static @Nullable String keyOf(StoredMessage message) {
    MessageBody body = message.body();
    return body == null ? null : body.key();
  }

  /** Why something is not parked. */
  String fullText() {
    return limit == 0
        ? "messages of its key are parked, and this queue parks no more"
        : "the limit of " + limit + " parked messages is reached";
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.internal.outbox.Parking.Sorted;
import dev.waybill.internal.store.CursorMove;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.NewDeadLetter;
import dev.waybill.internal.store.NewParked;
import dev.waybill.internal.store.ParkedMove;
import dev.waybill.internal.store.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be stored of a delivery: how far the cursor moves, which messages become dead letters
 * or are parked, and what holds for the one behind the cursor.
 *
 * <p>It also knows the rules that hold whatever the handler does: a message without a body is given
 * up, one that was tried too often is given up instead of retried, and one that has a key is parked
 * instead of retried where the queue does so and there is room.
 */
final class Outcome {
  private final long partitionId;
  private final Sorted sorted;
  private final Delivery delivery;
  private final int triedBefore;
  private final List<NewDeadLetter> deadLetters = new ArrayList<>();
  private int done;
  private @Nullable String retryReason;
  private @Nullable NewParked parkedHead;
  private int attempts;

  /** Of a delivery that nobody has handled, all of whose messages are to be. */
  Outcome(long partitionId, Delivery delivery, int triedBefore) {
    this(partitionId, Sorted.all(delivery), triedBefore);
  }

  /**
   * Of a delivery that nobody has handled.
   *
   * @param triedBefore how often the message behind the cursor was tried before this time
   */
  Outcome(long partitionId, Sorted sorted, int triedBefore) {
    this.partitionId = partitionId;
    this.sorted = sorted;
    this.delivery = sorted.delivery();
    this.triedBefore = sorted.beginsAtCursor() ? triedBefore : 0;
  }

  /** How often the message at this position was tried before. */
  int triedBefore(int position) {
    return position == 0 ? triedBefore : 0;
  }

  /** The messages up to this position are done. */
  void doneUpTo(int position) {
    done = position;
  }

  /** The message at this position becomes a dead letter; the cursor passes it in due course. */
  void reject(int position, String reason) {
    deadLetters.add(
        new NewDeadLetter(
            partitionId,
            delivery.messages().get(position),
            Reason.of(reason),
            triedBefore(position)));
  }

  /**
   * The message that is not done is to be tried again; or it is given up if that was often enough,
   * or parked. A handler may also ask for a retry though it is done with all it was given: then
   * there is nothing to count or to give up.
   */
  void retry(String reason, int maxAttempts) {
    if (isAllDone()) {
      retryReason = Reason.of(reason);
      return;
    }
    attempts = Math.min(triedBefore(done), Integer.MAX_VALUE - 1) + 1;
    if (maxAttempts > 0 && attempts >= maxAttempts) {
      reject(done, "given up after " + attempts + " attempts, the last one: " + reason);
      done++;
      attempts = 0;
    } else if (sorted.parking().limit() == 0 || Parking.keyOf(current()) == null) {
      retryReason = Reason.of(reason);
    } else if (followersBefore(current().seq()).size() >= sorted.parking().room()) {
      retryReason = Reason.of(reason + " (not parked: " + sorted.parking().fullText() + ")");
    } else {
      parkedHead =
          new NewParked(
              current(), attempts, Reason.of(reason), sorted.parking().backoff().apply(attempts));
      attempts = 0;
    }
  }

  /** The batch failed, and nobody knows which of its messages is to blame. */
  void retryInPlace(String reason) {
    attempts = Math.min(triedBefore(done), Integer.MAX_VALUE - 1) + 1;
    retryReason = Reason.of(reason);
  }

  /** As if it had not been tried at all. */
  void notTried() {
    attempts = triedBefore(done);
    retryReason = null;
    parkedHead = null;
  }

  private boolean isAllDone() {
    return done == delivery.messages().size();
  }

  private StoredMessage current() {
    return delivery.messages().get(done);
  }

  private List<StoredMessage> followersBefore(long seq) {
    return sorted.followers().stream().filter(each -> each.seq() < seq).toList();
  }

  /** Why it is to be tried again; null if it is not, or if it is parked. */
  @Nullable String retryReason() {
    return retryReason;
  }

  int done() {
    return done;
  }

  List<NewDeadLetter> deadLetters() {
    return deadLetters;
  }

  /** The message that failed and is parked, if one is. */
  @Nullable NewParked parkedHead() {
    return parkedHead;
  }

  /** Those that the cursor passes though they are not done. */
  List<NewParked> parked() {
    if (sorted.followers().isEmpty() && parkedHead == null) {
      return List.of();
    }
    List<NewParked> parked = new ArrayList<>();
    followersBefore(processedSeq() + 1).forEach(each -> parked.add(NewParked.follower(each)));
    if (parkedHead != null) {
      parked.add(parkedHead);
    }
    return parked;
  }

  /** Whether there is something to look after among the parked ones. */
  boolean hasParked() {
    return delivery.parked() > 0 || parkedHead != null;
  }

  /** How often the message that is to be tried again was tried. */
  int attempts() {
    return attempts;
  }

  /** The number of the message that is to be tried again. */
  long retriedSeq() {
    return isAllDone() ? processedSeq() + 1 : current().seq();
  }

  /** The number of the last message that the cursor passes. */
  long processedSeq() {
    if (parkedHead != null) {
      return parkedHead.message().seq();
    }
    if (isAllDone()) {
      return sorted.endSeq();
    }
    return sorted.followers().isEmpty() && done == 0
        ? delivery.processedSeq()
        : current().seq() - 1;
  }

  /** Whether the one behind the cursor waits for room among the parked ones. */
  boolean isBlocked() {
    return sorted.blocked() && isAllDone() && retryReason == null;
  }

  CursorMove move(Duration delay) {
    return isBlocked()
        ? new CursorMove(
            processedSeq(),
            0,
            Reason.of("waits for its key: " + sorted.parking().fullText()),
            sorted.parking().nextDue())
        : new CursorMove(processedSeq(), attempts, retryReason, delay);
  }

  /** For a delivery of parked messages. */
  ParkedMove parkedMove(long lane, Duration delay) {
    long last = done == 0 ? 0 : delivery.messages().get(done - 1).seq();
    return new ParkedMove(lane, done, last, attempts, retryReason, delay);
  }

  /** Whether something of the partition is left to deliver. */
  boolean hasMore() {
    return !isAllDone() || sorted.blocked() || sorted.endSeq() < delivery.sequence();
  }

  /** The messages before the first that has no body; all of them as a rule. */
  static List<StoredMessage> readable(Delivery delivery) {
    List<StoredMessage> messages = delivery.messages();
    for (int i = 0; i < messages.size(); i++) {
      if (messages.get(i).body() == null) {
        return messages.subList(0, i);
      }
    }
    return messages;
  }
}

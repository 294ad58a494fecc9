package dev.waybill.internal.outbox;

import dev.waybill.internal.store.CursorMove;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.NewDeadLetter;
import dev.waybill.internal.store.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be stored of a delivery: how far the cursor moves, which messages become dead letters,
 * and what holds for the one behind the cursor.
 *
 * <p>It also knows the two rules that hold whatever the handler does: a message without a body is
 * given up, and one that was tried too often is given up instead of retried.
 */
final class Outcome {
  private final long partitionId;
  private final Delivery delivery;
  private final int triedBefore;
  private final List<NewDeadLetter> deadLetters = new ArrayList<>();
  private int done;
  private @Nullable String retryReason;
  private int attempts;

  /**
   * Of a delivery that nobody has handled.
   *
   * @param triedBefore how often the first message was tried before this time
   */
  Outcome(long partitionId, Delivery delivery, int triedBefore) {
    this.partitionId = partitionId;
    this.delivery = delivery;
    this.triedBefore = triedBefore;
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
   * The message behind the cursor is to be tried again, or is given up if that was often enough. A
   * handler may also ask for a retry though it is done with all it was given: then there is nothing
   * to count or to give up.
   */
  void retry(String reason, int maxAttempts) {
    if (done == delivery.messages().size()) {
      retryReason = Reason.of(reason);
      return;
    }
    attempts = Math.min(triedBefore(done), Integer.MAX_VALUE - 1) + 1;
    if (maxAttempts > 0 && attempts >= maxAttempts) {
      reject(done, "given up after " + attempts + " attempts, the last one: " + reason);
      done++;
      attempts = 0;
    } else {
      retryReason = Reason.of(reason);
    }
  }

  /** As if it had not been tried at all. */
  void notTried() {
    attempts = triedBefore(done);
    retryReason = null;
  }

  /** Why it is to be tried again; null if it is not. */
  @Nullable String retryReason() {
    return retryReason;
  }

  int done() {
    return done;
  }

  List<NewDeadLetter> deadLetters() {
    return deadLetters;
  }

  /** How often the message behind the cursor was tried. */
  int attempts() {
    return attempts;
  }

  /** The number of the last message that is done. */
  long processedSeq() {
    return done == 0 ? delivery.processedSeq() : delivery.messages().get(done - 1).seq();
  }

  CursorMove move(Duration delay) {
    return new CursorMove(processedSeq(), attempts, retryReason, delay);
  }

  /** Whether something of the partition is left to deliver. */
  boolean hasMore() {
    return done < delivery.messages().size() || delivery.hasMore();
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

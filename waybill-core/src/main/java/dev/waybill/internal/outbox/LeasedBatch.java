package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Time;
import dev.waybill.internal.outbox.Settlement.Rejection;
import dev.waybill.internal.outbox.Settlement.Verdict;
import dev.waybill.outbox.Batch;
import dev.waybill.outbox.BatchMisuseException.BatchClosed;
import dev.waybill.outbox.BatchMisuseException.InvalidChunkSize;
import dev.waybill.outbox.BatchMisuseException.SettledBeyondTaken;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.OutboxMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A batch under a lease: two positions, <i>settled</i> ≤ <i>taken</i> ≤ size, that only grow. The
 * handler moves them until the processor concludes the batch; after that a handler that does not
 * notice its end can change nothing any more.
 */
final class LeasedBatch implements Batch {
  private final ReentrantLock lock = new ReentrantLock();
  private final List<OutboxMessage> messages;
  private final long epoch;
  private final Time time;
  private final Supplier<Optional<Long>> renewal;
  private final List<Rejection> rejections = new ArrayList<>();
  private long deadline;
  private int taken;
  private int settled;
  private @Nullable Settlement settlement;

  /**
   * A batch that nobody has touched.
   *
   * @param deadline in the nanoseconds of {@code time}
   * @param renewal prolongs the lease and gives the new deadline; empty if the lease is lost
   */
  LeasedBatch(
      List<? extends OutboxMessage> messages,
      long epoch,
      long deadline,
      Time time,
      Supplier<Optional<Long>> renewal) {
    this.messages = List.copyOf(messages);
    this.epoch = epoch;
    this.deadline = deadline;
    this.time = time;
    this.renewal = renewal;
  }

  @Override
  public boolean renew() {
    whileOpen(() -> true);
    Optional<Long> renewed = renewal.get();
    renewed.ifPresent(until -> locked(() -> deadline = until));
    return renewed.isPresent();
  }

  @Override
  public @Nullable OutboxMessage next() {
    List<OutboxMessage> one = nextChunk(1);
    return one.isEmpty() ? null : one.get(0);
  }

  @Override
  public List<OutboxMessage> nextChunk(int atMost) {
    if (atMost < 1) {
      throw new InvalidChunkSize(atMost, 1);
    }
    return whileOpen(
        () -> {
          int from = taken;
          taken += Math.min(atMost, messages.size() - taken);
          return messages.subList(from, taken);
        });
  }

  @Override
  public void ack() {
    settle(1);
  }

  @Override
  public void ackChunk(int count) {
    if (count < 0) {
      throw new InvalidChunkSize(count, 0);
    }
    settle(count);
  }

  @Override
  public void reject(String reason) {
    Objects.requireNonNull(reason, "reason");
    whileOpen(
        () -> {
          settle(1);
          return rejections.add(new Rejection(settled - 1, reason));
        });
  }

  private void settle(int count) {
    whileOpen(
        () -> {
          if (count > taken - settled) {
            throw new SettledBeyondTaken(count, taken - settled);
          }
          return settled += count;
        });
  }

  @Override
  public Duration remaining() {
    return locked(() -> Duration.ofNanos(Math.max(0, deadline - time.nanos())));
  }

  @Override
  public int size() {
    return messages.size();
  }

  @Override
  public int processed() {
    return locked(() -> settled);
  }

  @Override
  public long epoch() {
    return epoch;
  }

  /**
   * Ends the batch with the handler's answer. Only the first call decides: a handler that answers
   * after its time was up, or the reverse, is late.
   */
  Settlement conclude(@Nullable HandlerResult result) {
    return locked(
        () -> {
          if (settlement == null) {
            settlement = decide(result);
          }
          return settlement;
        });
  }

  private Settlement decide(@Nullable HandlerResult result) {
    int open = taken - settled;
    if (result instanceof HandlerResult.Retry retry) {
      return settlement(Verdict.RETRY, settled, retry.reason());
    }
    if (result instanceof HandlerResult.Reject reject) {
      if (open == 0) {
        return settlement(
            Verdict.RETRY,
            settled,
            "the handler rejected without having an unsettled message: " + reject.reason());
      }
      return rejectOpenOnes(reject.reason());
    }
    if (result == null) {
      return settlement(Verdict.RETRY, settled, "the handler returned null");
    }
    if (open > 0) {
      return settlement(
          Verdict.RETRY,
          settled,
          "the handler reported success, but left " + open + " taken messages unsettled");
    }
    if (settled == 0) {
      return settlement(
          Verdict.RETRY, settled, "the handler reported success, but settled nothing");
    }
    return settlement(Verdict.SUCCESS, settled, null);
  }

  private Settlement rejectOpenOnes(String reason) {
    for (int position = settled; position < taken; position++) {
      rejections.add(new Rejection(position, reason));
    }
    return settlement(Verdict.REJECT, taken, reason);
  }

  private Settlement settlement(Verdict verdict, int processed, @Nullable String reason) {
    return new Settlement(verdict, messages.size(), settled, processed, rejections, reason);
  }

  private <T> T whileOpen(Supplier<T> action) {
    return locked(
        () -> {
          if (settlement != null) {
            throw new BatchClosed();
          }
          return action.get();
        });
  }

  private <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }
}

package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.LoopOptions;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.outbox.Queues.Queue;
import dev.waybill.internal.store.QueueStore;
import dev.waybill.outbox.AdmissionLimit;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.OutboxException.QueueFull;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Refuses messages of queues that are full. A counter that every producer writes would make them
 * wait for one another, so the number of messages that wait is read from time to time instead,
 * while somebody enqueues, and what this process enqueued since is added. The limit is thus kept to
 * within what all processes enqueue in that time.
 *
 * <p>Safe for use by many threads.
 */
final class Admission implements Worker {
  private static final Duration FRESH = Duration.ofMillis(250);

  private final QueueStore store;
  private final Queues queues;
  private final Bell bell = new Bell();
  private final Map<Long, Gauge> gauges = new ConcurrentHashMap<>();

  Admission(QueueStore store, Queues queues) {
    this.store = store;
    this.queues = queues;
  }

  /** Of one queue. */
  private static final class Gauge {
    /** Read last. */
    final AtomicLong numbered = new AtomicLong();

    /** Enqueued here before that, and perhaps too late to be among them. */
    final AtomicLong recent = new AtomicLong();

    /** Enqueued here since. */
    final AtomicLong added = new AtomicLong();

    final AtomicLong messages = new AtomicLong();
    final AtomicLong bytes = new AtomicLong();

    long waiting() {
      return Math.max(numbered.get(), recent.get()) + added.get();
    }

    /** How many bytes wait, if those that wait are like those that this process enqueued. */
    long estimatedBytes(long count) {
      long known = messages.get();
      return known == 0 ? 0 : (long) ((double) bytes.get() / known * count);
    }
  }

  LoopOptions options() {
    return LoopOptions.defaults().withBells(bell);
  }

  boolean isNeeded() {
    for (Queue queue : queues.all()) {
      if (queue.config().admission() != null) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String name() {
    return "admission";
  }

  /**
   * Counts the messages in.
   *
   * @throws QueueFull if there is no room for them
   */
  void admit(Queue queue, List<EnqueueMessage> messages) {
    AdmissionLimit limit = queue.config().admission();
    if (limit == null) {
      return;
    }
    Gauge gauge = gauges.computeIfAbsent(queue.id(), id -> new Gauge());
    long size = messages.stream().mapToLong(EnqueueMessage::payloadSize).sum();
    long waiting = gauge.waiting();
    long bytes = gauge.estimatedBytes(waiting);
    if (waiting + messages.size() > limit.messages() || bytes + size > limit.bytes()) {
      bell.ring();
      throw new QueueFull(queue.name(), waiting, bytes, limit);
    }
    gauge.added.addAndGet(messages.size());
    gauge.messages.addAndGet(messages.size());
    gauge.bytes.addAndGet(size);
    bell.ring();
  }

  @Override
  public Next runOnce() {
    Map<Long, Long> before = new ConcurrentHashMap<>();
    gauges.forEach((id, gauge) -> before.put(id, gauge.added.get()));
    Map<Long, Long> lags = store.lags();
    boolean busy = false;
    for (var entry : gauges.entrySet()) {
      Gauge gauge = entry.getValue();
      long added = before.getOrDefault(entry.getKey(), 0L);
      long lag = lags.getOrDefault(entry.getKey(), 0L);
      gauge.numbered.set(lag);
      gauge.recent.set(added);
      gauge.added.addAndGet(-added);
      busy |= added > 0 || lag > 0;
    }
    return busy ? Next.after(FRESH) : Next.whenRung();
  }
}

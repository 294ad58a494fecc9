package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.outbox.QueuePace.News;
import dev.waybill.internal.store.PaceStore;
import dev.waybill.spi.OutboxListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/**
 * Writes down for other processes how long deliveries of this one take: every five seconds while
 * there are any, never while there are none. What others left behind is cleared along the way, so
 * nobody has to look for it.
 */
final class PaceKeeper implements OutboxListener, Worker {
  static final Duration INTERVAL = Duration.ofSeconds(5);

  /** After a rest the first line is to tell of more than the first message. */
  static final Duration GATHER = Duration.ofSeconds(1);

  private static final int CLEAR_EVERY = 12;

  private final PaceStore store;
  private final String owner;
  private final ToLongFunction<String> queueIds;
  private final Time time;
  private final Bell bell;
  private final Map<String, QueuePace> paces = new ConcurrentHashMap<>();
  private boolean rested;
  private int written;

  /**
   * A keeper.
   *
   * @param owner names this process
   * @param queueIds the rows of queues, by name
   * @param bell wakes this worker
   */
  PaceKeeper(PaceStore store, String owner, ToLongFunction<String> queueIds, Time time, Bell bell) {
    this.store = store;
    this.owner = owner;
    this.queueIds = queueIds;
    this.time = time;
    this.bell = bell;
  }

  @Override
  public String name() {
    return "pace-keeper";
  }

  @Override
  public Next runOnce() {
    long now = time.nanos();
    List<News> news =
        paces.values().stream().map(pace -> pace.news(now)).flatMap(Optional::stream).toList();
    if (news.isEmpty()) {
      rested = true;
      return Next.whenRung();
    }
    if (rested) {
      rested = false;
      return Next.after(GATHER);
    }
    store.write(owner, news.stream().map(News::pace).toList());
    news.forEach(each -> each.written().run());
    if (written++ % CLEAR_EVERY == 0) {
      store.clear();
    }
    return Next.after(INTERVAL);
  }

  @Override
  public void delivered(String queue, int partition, int messages, Duration took) {
    of(queue).delivered(messages, took);
    bell.ring();
  }

  @Override
  public void retried(
      String queue, int partition, long seq, int attempts, String reason, Duration retryIn) {
    of(queue).retried();
    bell.ring();
  }

  @Override
  public void rejected(String queue, int partition, long seq, String reason) {
    of(queue).rejected();
    bell.ring();
  }

  private QueuePace of(String queue) {
    return paces.computeIfAbsent(
        queue, name -> new QueuePace(queueIds.applyAsLong(name), time.nanos()));
  }
}

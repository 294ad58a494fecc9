package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.outbox.DeliveryTimes;
import dev.waybill.outbox.OutboxStatistics;
import dev.waybill.spi.OutboxListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what happens, and logs from time to time what was new. Safe for use by many threads. */
final class Statistics implements OutboxListener, Worker {
  private static final Logger log = LoggerFactory.getLogger("dev.waybill.outbox.statistics");

  private final Duration interval;
  private final LongAdder enqueued = new LongAdder();
  private final LongAdder sequenced = new LongAdder();
  private final LongAdder delivered = new LongAdder();
  private final LongAdder retried = new LongAdder();
  private final LongAdder parked = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder leasesLost = new LongAdder();
  private final LongAdder vacuumed = new LongAdder();
  private final AtomicLongArray times = new AtomicLongArray(DeliveryTimes.BUCKETS);
  private OutboxStatistics logged;

  /** Logs that often; never if the interval is zero. */
  Statistics(Duration interval) {
    this.interval = interval;
    this.logged = snapshot();
  }

  OutboxStatistics snapshot() {
    return new OutboxStatistics(
        enqueued.sum(),
        sequenced.sum(),
        delivered.sum(),
        retried.sum(),
        parked.sum(),
        rejected.sum(),
        leasesLost.sum(),
        vacuumed.sum(),
        new DeliveryTimes(IntStream.range(0, times.length()).mapToObj(times::get).toList()));
  }

  @Override
  public String name() {
    return "statistics";
  }

  @Override
  public Next runOnce() {
    OutboxStatistics now = snapshot();
    if (!now.equals(logged)) {
      log.info(
          "In the last {} s: enqueued {}, sequenced {}, delivered {}, retried {}, parked {},"
              + " rejected {}, leases lost {}, vacuumed {}",
          interval.toSeconds(),
          now.enqueued() - logged.enqueued(),
          now.sequenced() - logged.sequenced(),
          now.delivered() - logged.delivered(),
          now.retried() - logged.retried(),
          now.parked() - logged.parked(),
          now.rejected() - logged.rejected(),
          now.leasesLost() - logged.leasesLost(),
          now.vacuumed() - logged.vacuumed());
      logged = now;
    }
    return Next.sleep(interval);
  }

  @Override
  public void enqueued(String queue, int messages) {
    enqueued.add(messages);
  }

  @Override
  public void sequenced(int messages, Duration took) {
    sequenced.add(messages);
  }

  @Override
  public void delivered(String queue, int partition, int messages, Duration took) {
    delivered.add(messages);
    times.addAndGet(DeliveryTimes.bucketOf(took), messages);
  }

  @Override
  public void retried(
      String queue, int partition, long seq, int attempts, String reason, Duration retryIn) {
    retried.increment();
  }

  @Override
  public void parked(String queue, int partition, int messages) {
    parked.add(messages);
  }

  @Override
  public void rejected(String queue, int partition, long seq, String reason) {
    rejected.increment();
  }

  @Override
  public void leaseLost(String queue, int partition, long epoch) {
    leasesLost.increment();
  }

  @Override
  public void vacuumed(long messages, Duration took) {
    vacuumed.add(messages);
  }
}

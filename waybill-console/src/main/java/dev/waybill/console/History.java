package dev.waybill.console;

import dev.waybill.job.JobStatus;
import dev.waybill.outbox.PartitionStatus;
import dev.waybill.outbox.QueueStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the charts show: the last minutes, one point per sample. For one thread at a time. */
final class History {
  private static final int MOST = 300;

  private final Duration longestGap;
  private final Deque<Doc> points = new ArrayDeque<>();
  private Map<String, QueueStatus> before = Map.of();
  private @Nullable Instant beforeAt;
  private Map<String, Doc> rates = Map.of();

  History(Duration interval) {
    this.longestGap = interval.multipliedBy(5);
  }

  /** Adds a sample and gives its point. */
  Doc add(Sample sample) {
    Instant last = beforeAt;
    boolean connected =
        last != null && Duration.between(last, sample.at()).compareTo(longestGap) <= 0;
    double seconds =
        connected && last != null ? Duration.between(last, sample.at()).toMillis() / 1000.0 : 0;
    if (last != null && !connected) {
      keep(Doc.of("t", last.plusMillis(1).toEpochMilli()));
    }
    Map<String, Doc> newRates = new HashMap<>();
    double in = 0;
    double out = 0;
    for (QueueStatus queue : sample.queues()) {
      QueueStatus earlier = before.get(queue.name());
      if (seconds > 0 && earlier != null) {
        double queueIn = Math.max(0, sequence(queue) - sequence(earlier)) / seconds;
        double queueOut = Math.max(0, done(queue) - done(earlier)) / seconds;
        newRates.put(queue.name(), Doc.of("in", tenths(queueIn)).put("out", tenths(queueOut)));
        in += queueIn;
        out += queueOut;
      }
    }
    rates = newRates;
    Doc point = Doc.of("t", sample.at().toEpochMilli());
    if (seconds > 0) {
      point.put("in", tenths(in)).put("out", tenths(out));
    }
    point
        .put("lag", sample.queues().stream().mapToLong(QueueStatus::lag).sum())
        .put(
            "waiting",
            sample.queues().stream()
                .flatMap(queue -> queue.waiting().stream())
                .mapToLong(Duration::toMillis)
                .max()
                .orElse(0))
        .put("retrying", sample.queues().stream().mapToLong(History::retrying).sum())
        .put("parked", sample.queues().stream().mapToLong(QueueStatus::parked).sum())
        .put("pending", jobs(sample, JobStatus.PENDING))
        .put("running", jobs(sample, JobStatus.LEASED));
    Pace.addTo(point, sample.recent());
    keep(point);
    Map<String, QueueStatus> now = new HashMap<>();
    sample.queues().forEach(queue -> now.put(queue.name(), queue));
    before = now;
    beforeAt = sample.at();
    return point;
  }

  private void keep(Doc point) {
    points.addLast(point);
    if (points.size() > MOST) {
      points.removeFirst();
    }
  }

  List<Doc> points() {
    return new ArrayList<>(points);
  }

  /** Messages per second that came and went lately. */
  Doc rates(String queue) {
    return rates.getOrDefault(queue, new Doc());
  }

  private static long sequence(QueueStatus queue) {
    return queue.partitions().stream().mapToLong(PartitionStatus::sequence).sum();
  }

  private static long done(QueueStatus queue) {
    return queue.partitions().stream().mapToLong(PartitionStatus::processed).sum();
  }

  private static long retrying(QueueStatus queue) {
    return queue.partitions().stream()
        .filter(partition -> partition.lag() > 0 && partition.attempts() > 0)
        .count();
  }

  private static long jobs(Sample sample, JobStatus status) {
    return sample.types().stream().mapToLong(type -> type.count(status)).sum();
  }

  static double tenths(double value) {
    return Math.round(value * 10) / 10.0;
  }
}

package dev.waybill.console;

import dev.waybill.outbox.DeliveryTimes;
import dev.waybill.outbox.RecentDeliveries;
import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** How deliveries went lately: what several processes wrote down, added up. */
final class Pace {
  /** Who has written nothing for so long has delivered nothing that a chart of now should show. */
  private static final Duration CHARTED = Duration.ofSeconds(30);

  private Pace() {}

  /** Percentiles and failures of all queues, unless nothing was delivered at all. */
  static void addTo(Doc point, List<RecentDeliveries> all) {
    List<RecentDeliveries> now =
        all.stream().filter(each -> each.ago().compareTo(CHARTED) <= 0).toList();
    if (now.isEmpty()) {
      return;
    }
    percentiles(point, times(now))
        .put("retries", perSecond(now, RecentDeliveries::retried))
        .put("rejects", perSecond(now, RecentDeliveries::rejected));
  }

  /** Of a queue; null if nothing was delivered for minutes. */
  static @Nullable Doc document(List<RecentDeliveries> ofQueue) {
    DeliveryTimes times = times(ofQueue);
    long messages = times.total();
    return messages == 0 ? null : percentiles(Doc.of("messages", messages), times);
  }

  private static DeliveryTimes times(List<RecentDeliveries> several) {
    return several.stream()
        .map(RecentDeliveries::times)
        .reduce(DeliveryTimes.none(), DeliveryTimes::plus);
  }

  private static Doc percentiles(Doc doc, DeliveryTimes times) {
    return doc.put("p50", millis(times, 0.5))
        .put("p95", millis(times, 0.95))
        .put("p99", millis(times, 0.99));
  }

  private static @Nullable Double millis(DeliveryTimes times, double share) {
    return times
        .percentile(share)
        .map(time -> Math.round(time.toNanos() / 10_000.0) / 100.0)
        .orElse(null);
  }

  private static double perSecond(
      List<RecentDeliveries> several, ToLongFunction<RecentDeliveries> counted) {
    return History.tenths(
        several.stream()
            .mapToDouble(
                each ->
                    counted.applyAsLong(each)
                        * 1000.0
                        / Math.max(1000, each.span().plus(each.ago()).toMillis()))
            .sum());
  }
}

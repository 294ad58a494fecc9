package dev.waybill.cli;

import dev.waybill.outbox.DeliveryTimes;
import dev.waybill.outbox.RecentDeliveries;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How deliveries of a queue went lately, for people and for programs. */
final class DeliveryText {
  private static final Map<String, Double> SHARES = new LinkedHashMap<>();

  static {
    SHARES.put("p50", 0.5);
    SHARES.put("p95", 0.95);
    SHARES.put("p99", 0.99);
  }

  private DeliveryText() {}

  /** As p50 2.4 ms, p95 9.5 ms, p99 38.1 ms; nothing if there were none. */
  static String text(List<RecentDeliveries> recent) {
    DeliveryTimes times = times(recent);
    StringBuilder text = new StringBuilder();
    SHARES.forEach(
        (name, share) ->
            times
                .percentile(share)
                .ifPresent(time -> text.append(", ").append(name).append(' ').append(brief(time))));
    return text.toString();
  }

  private static String brief(Duration time) {
    double millis = millis(time);
    return millis < 1000 ? String.format(Locale.ROOT, "%.1f ms", millis) : StatusText.brief(time);
  }

  static Map<String, Object> document(List<RecentDeliveries> recent) {
    DeliveryTimes times = times(recent);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("messages", times.total());
    document.put("retried", recent.stream().mapToLong(RecentDeliveries::retried).sum());
    document.put("rejected", recent.stream().mapToLong(RecentDeliveries::rejected).sum());
    SHARES.forEach(
        (name, share) ->
            times
                .percentile(share)
                .ifPresent(time -> document.put(name + "_millis", millis(time))));
    return document;
  }

  private static DeliveryTimes times(List<RecentDeliveries> recent) {
    return recent.stream()
        .map(RecentDeliveries::times)
        .reduce(DeliveryTimes.none(), DeliveryTimes::plus);
  }

  /** With two digits: many deliveries take less than one. */
  private static double millis(Duration time) {
    return Math.round(time.toNanos() / 10_000.0) / 100.0;
  }
}

package dev.waybill.cli.demo;

import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxStatistics;
import dev.waybill.outbox.QueueStatus;
import java.util.Optional;

/**
 * What a service says of itself, as a line of numbers.
 *
 * @param lag messages that wait
 * @param p50 of the latency from the enqueueing to the shipment, in microseconds
 */
record Report(
    long enqueued,
    long delivered,
    long retried,
    long rejected,
    long lag,
    long p50,
    long p95,
    long p99) {
  private static final String WORD = "report";

  static Report of(Outbox outbox, Latencies latencies) {
    OutboxStatistics statistics = outbox.statistics();
    return new Report(
        statistics.enqueued(),
        statistics.delivered(),
        statistics.retried(),
        statistics.rejected(),
        outbox.status().stream().mapToLong(QueueStatus::lag).sum(),
        latencies.percentile(0.5),
        latencies.percentile(0.95),
        latencies.percentile(0.99));
  }

  String text() {
    return String.join(
        " ",
        WORD,
        Long.toString(enqueued),
        Long.toString(delivered),
        Long.toString(retried),
        Long.toString(rejected),
        Long.toString(lag),
        Long.toString(p50),
        Long.toString(p95),
        Long.toString(p99));
  }

  /** Empty if the line is no report. */
  static Optional<Report> parse(String line) {
    String[] words = line.split(" ", -1);
    if (words.length != 9 || !words[0].equals(WORD)) {
      return Optional.empty();
    }
    long[] numbers = new long[8];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = Long.parseLong(words[i + 1]);
    }
    return Optional.of(
        new Report(
            numbers[0],
            numbers[1],
            numbers[2],
            numbers[3],
            numbers[4],
            numbers[5],
            numbers[6],
            numbers[7]));
  }

  /** With what a process before did. */
  Report after(Report before) {
    return new Report(
        before.enqueued + enqueued,
        before.delivered + delivered,
        before.retried + retried,
        before.rejected + rejected,
        lag,
        p50,
        p95,
        p99);
  }

  static Report nothing() {
    return new Report(0, 0, 0, 0, 0, 0, 0, 0);
  }
}

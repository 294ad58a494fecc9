package dev.waybill.cli.demo;

import java.time.Duration;
import java.util.Arrays;

/** The latencies of the last thousand shipments. Safe for use by many threads. */
final class Latencies {
  private final long[] micros = new long[1_000];
  private int count;

  synchronized void add(Duration latency) {
    micros[count++ % micros.length] = latency.toNanos() / 1_000;
  }

  /** In microseconds: of this share of them the largest; 0 if there are none. */
  synchronized long percentile(double share) {
    int known = Math.min(count, micros.length);
    if (known == 0) {
      return 0;
    }
    long[] sorted = Arrays.copyOf(micros, known);
    Arrays.sort(sorted);
    return sorted[(int) Math.min(known - 1, Math.floor(share * known))];
  }
}

package dev.waybill.bench.scenario;

import dev.waybill.bench.load.Arrivals;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** How long messages took. */
final class Latencies {
  private static final long HIGHEST = 3_600_000_000_000L;

  private Latencies() {}

  /** From the moment each was due to be sent, whether or not its producer was free then. */
  static Histogram fromDue(Arrivals arrivals) {
    Histogram nanos = new Histogram(HIGHEST, 3);
    for (int i = 0; i < arrivals.count(); i++) {
      nanos.recordValue(Math.min(HIGHEST, Math.max(0, arrivals.time(i) - arrivals.due(i))));
    }
    return nanos;
  }

  /** From the moment the producer knew of its commit; zero if the handler was quicker than that. */
  static Histogram fromCommit(Arrivals arrivals, Map<Long, Long> commits) {
    Histogram nanos = new Histogram(HIGHEST, 3);
    for (int i = 0; i < arrivals.count(); i++) {
      Long committed = commits.get(arrivals.tag(i));
      if (committed != null) {
        nanos.recordValue(Math.min(HIGHEST, Math.max(0, arrivals.time(i) - committed)));
      }
    }
    return nanos;
  }
}

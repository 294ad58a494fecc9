package dev.waybill.bench.report;

import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What Waybill set out to keep, compared with itself at its best.
 *
 * @param what for people
 * @param against what it is compared with
 * @param goal the share to keep
 * @param share what was kept; empty if it was not measured
 */
record SelfTarget(
    String what, String against, double goal, Function<Summary, Optional<Double>> share) {
  private static final String PG = "POSTGRESQL";
  private static final String OURS = "waybill-leased";
  private static final String SHALLOW = "10 k behind";

  static List<SelfTarget> all() {
    return List.of(
        depth("1 M behind"),
        depth("5 M behind"),
        new SelfTarget(
            "S8: rate of the last minute",
            "itself, first minute",
            0.9,
            summary -> median(summary, "S8", "", Metric.LAST_TO_FIRST)));
  }

  private static SelfTarget depth(String deep) {
    return new SelfTarget(
        "S7, " + deep + ": throughput",
        "itself, " + SHALLOW,
        0.9,
        summary ->
            median(summary, "S7", deep, Metric.THROUGHPUT)
                .flatMap(
                    rate ->
                        median(summary, "S7", SHALLOW, Metric.THROUGHPUT)
                            .map(best -> rate / best)));
  }

  private static Optional<Double> median(
      Summary summary, String scenario, String variant, Metric metric) {
    return summary
        .spread(new Summary.Table(scenario, variant, PG), OURS, metric)
        .map(Summary.Spread::median);
  }
}

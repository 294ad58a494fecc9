package dev.waybill.bench.report;

import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What Waybill set out to keep: a share of its own rate, or a bound that does not depend on others.
 *
 * @param what for people
 * @param against what it is compared with
 * @param goal the least, or the most, that is to be reached
 * @param isLeast which of the two
 * @param reached empty if it was not measured
 */
record SelfTarget(
    String what,
    String against,
    double goal,
    boolean isLeast,
    Function<Summary, Optional<Double>> reached) {
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
            true,
            summary -> median(summary, "S8", "", Metric.LAST_TO_FIRST)),
        beyondTheTransaction("100/s"),
        beyondTheTransaction("500/s"),
        idle(Metric.IDLE_ROWS, 0),
        idle(Metric.IDLE_STATEMENTS, 10));
  }

  private static SelfTarget beyondTheTransaction(String rate) {
    return new SelfTarget(
        "S4, " + rate + ": latency p50 beyond that of the transaction alone, ms",
        "bare",
        1,
        false,
        summary ->
            median(summary, "S4", rate, Metric.P50)
                .flatMap(
                    ours ->
                        summary
                            .spread(new Summary.Table("S4", rate, PG), "bare", Metric.P50)
                            .map(bare -> ours - bare.median())));
  }

  private static SelfTarget idle(Metric metric, double most) {
    return new SelfTarget(
        "S9: " + metric.label(), "", most, false, summary -> median(summary, "S9", "", metric));
  }

  boolean met(double value) {
    return isLeast ? value >= goal : value <= goal;
  }

  private static SelfTarget depth(String deep) {
    return new SelfTarget(
        "S7, " + deep + ": throughput",
        "itself, " + SHALLOW,
        0.9,
        true,
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

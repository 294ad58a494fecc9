package dev.waybill.bench.report;

import dev.waybill.bench.contender.Contenders;
import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.measure.Metric;
import dev.waybill.bench.scenario.Scenarios;
import java.util.List;
import java.util.Optional;

/**
 * What Waybill set out to reach, as a ratio within one run.
 *
 * @param what for people
 * @param table where it is measured
 * @param metric by what
 * @param against contenders, of which the best counts
 * @param goal the ratio to reach, or for metrics of which less is better, not to exceed
 */
record Target(String what, Summary.Table table, Metric metric, List<String> against, double goal) {
  private static final String PG = "POSTGRESQL";

  /**
   * How a target stands.
   *
   * @param ratio reached
   * @param rival the best of those it is compared with
   * @param met whether that is enough
   */
  record Outcome(double ratio, String rival, boolean met) {}

  static List<Target> all() {
    List<String> libraries =
        Contenders.all().stream()
            .filter(each -> each.kind() == Entry.Kind.LIBRARY && !each.isOfFlows())
            .map(Entry::name)
            .toList();
    return List.of(
        target("S1", "", libraries, 10),
        target("S1", "", List.of("hand-unordered"), 0.8),
        target("S1", "", List.of("hand-ordered"), 1.5),
        target("S5", "16 keys", List.of("namastack"), 2),
        target("S5", "16 keys", List.of("hand-unordered"), 1),
        target("S2", "8 producers", libraries, 2),
        target("S2", "8 producers", List.of("hand-unordered", "hand-ordered"), 1),
        target("S2", "8 producers", List.of("bare"), 0.7),
        target("S3", "1000 per transaction", List.of("raw-limit"), 0.5),
        target("S3", "100 per transaction", List.of("reference-shape"), 5),
        target("S3", "1000 per transaction", List.of("reference-shape"), 5),
        less("S3", "100 per transaction", Metric.LOG_BYTES, List.of("reference-shape"), 0.5),
        less("S4", "100/s", Metric.P99, libraries, 1),
        less("S4", "500/s", Metric.P99, libraries, 1),
        target("J1", "", libraries, 3),
        less("J1", "", Metric.STATEMENTS, libraries, 0.5),
        less("J1", "", Metric.LOG_BYTES, libraries, 0.5),
        less("J3", "100/s", Metric.P99, libraries, 1),
        less("J3", "500/s", Metric.P99, libraries, 1),
        target("J4", "1000 per transaction", libraries, 3),
        new Target(
            "SQLite, batches: throughput",
            new Summary.Table("S11", "1000 per transaction", "SQLITE"),
            Metric.THROUGHPUT,
            List.of("raw-limit"),
            0.35),
        new Target(
            "MariaDB, batches: throughput",
            new Summary.Table("S12", "100 per transaction", "MARIADB"),
            Metric.THROUGHPUT,
            List.of("reference-shape"),
            3));
  }

  private static Target target(String scenario, String variant, List<String> against, double goal) {
    return new Target(
        scenario + (variant.isEmpty() ? "" : ", " + variant) + ": throughput",
        new Summary.Table(scenario, variant, PG),
        Metric.THROUGHPUT,
        against,
        goal);
  }

  private static Target less(
      String scenario, String variant, Metric metric, List<String> against, double goal) {
    return new Target(
        scenario + (variant.isEmpty() ? "" : ", " + variant) + ": " + metric.label(),
        new Summary.Table(scenario, variant, PG),
        metric,
        against,
        goal);
  }

  /** How it stands; empty if it was not measured. */
  Optional<Outcome> outcome(Summary summary) {
    return against.stream()
        .flatMap(
            rival ->
                summary.ratio(table, ours(), rival, metric).stream()
                    .mapToObj(ratio -> new Outcome(ratio, rival, met(ratio))))
        .reduce((a, b) -> harder(a, b) ? a : b);
  }

  private String ours() {
    return Scenarios.named(table.scenario()).ours();
  }

  private boolean met(double ratio) {
    return metric.moreIsBetter() ? ratio >= goal : ratio <= goal;
  }

  private boolean harder(Outcome a, Outcome b) {
    return metric.moreIsBetter() ? a.ratio() < b.ratio() : a.ratio() > b.ratio();
  }
}

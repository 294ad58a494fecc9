package dev.waybill.bench.scenario;

import static dev.waybill.bench.measure.Metric.AFTER_COMMIT_P50;
import static dev.waybill.bench.measure.Metric.AFTER_COMMIT_P99;
import static dev.waybill.bench.measure.Metric.COMMITS;
import static dev.waybill.bench.measure.Metric.INVERSIONS;
import static dev.waybill.bench.measure.Metric.JVM_CPU;
import static dev.waybill.bench.measure.Metric.LOG_BYTES;
import static dev.waybill.bench.measure.Metric.P50;
import static dev.waybill.bench.measure.Metric.P95;
import static dev.waybill.bench.measure.Metric.P99;
import static dev.waybill.bench.measure.Metric.ROUND_TRIPS;
import static dev.waybill.bench.measure.Metric.SERVER_CPU;
import static dev.waybill.bench.measure.Metric.STATEMENTS;
import static dev.waybill.bench.measure.Metric.TABLE_BYTES;
import static dev.waybill.bench.measure.Metric.THROUGHPUT;

import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.stream.Stream;

/** All scenarios. */
public final class Scenarios {
  /** What most tables show. */
  static final List<Metric> RATES =
      List.of(
          THROUGHPUT,
          STATEMENTS,
          ROUND_TRIPS,
          COMMITS,
          LOG_BYTES,
          TABLE_BYTES,
          JVM_CPU,
          SERVER_CPU,
          INVERSIONS);

  /** What the tables show where messages are also timed. */
  static final List<Metric> RATES_AND_TIMES =
      List.of(
          THROUGHPUT,
          P50,
          P95,
          P99,
          STATEMENTS,
          ROUND_TRIPS,
          COMMITS,
          LOG_BYTES,
          TABLE_BYTES,
          JVM_CPU,
          SERVER_CPU,
          INVERSIONS);

  /** What the table of the paced scenario shows. */
  static final List<Metric> TIMES =
      List.of(
          P50,
          P95,
          P99,
          AFTER_COMMIT_P50,
          AFTER_COMMIT_P99,
          STATEMENTS,
          ROUND_TRIPS,
          COMMITS,
          LOG_BYTES,
          TABLE_BYTES,
          JVM_CPU,
          SERVER_CPU);

  /** What the tables of graphs show. */
  static final List<Metric> OF_STEPS =
      List.of(
          Metric.STEPS,
          Metric.RUNS,
          Metric.STEP_STATEMENTS,
          Metric.STEP_ROUND_TRIPS,
          Metric.STEP_COMMITS,
          Metric.STEP_LOG_BYTES,
          Metric.STEP_JVM_CPU,
          Metric.STEP_SERVER_CPU);

  private static final List<Scenario> MESSAGES =
      List.of(
          new S1Drain(),
          new S2Sustained(),
          new S3Batches(),
          new S4Paced(),
          new S5Keys(),
          new S6TwoProcesses(),
          new S7Depth(),
          new S8Soak(),
          new S9Idle(),
          new S10Payload(),
          new S11Sqlite(),
          new S12MariaDbAndMySql(),
          new W1Diamonds(),
          new W2Fan());

  private static final List<Scenario> ALL =
      Stream.concat(MESSAGES.stream(), JobScenario.all().stream()).toList();

  private Scenarios() {}

  /** All of them. */
  public static List<Scenario> all() {
    return ALL;
  }

  /** The one with this id. */
  public static Scenario named(String id) {
    return ALL.stream()
        .filter(each -> each.id().equalsIgnoreCase(id))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "No scenario "
                        + id
                        + "; there are "
                        + String.join(", ", ALL.stream().map(Scenario::id).toList())));
  }
}

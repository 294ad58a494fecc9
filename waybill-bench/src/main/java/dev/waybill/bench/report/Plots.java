package dev.waybill.bench.report;

import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Metric;
import dev.waybill.bench.report.Curves.Point;
import dev.waybill.bench.scenario.Scenarios;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The plots of one table. */
final class Plots {
  private static final double LAST_PERCENTILE = 99.99;
  private static final Map<Double, String> PERCENTILES =
      Map.of(0.0, "0", 50.0, "50", 90.0, "90", 99.0, "99", 99.9, "99.9", LAST_PERCENTILE, "99.99");

  private Plots() {}

  static String of(Summary summary, Summary.Table table) {
    Metric metric = Scenarios.named(table.scenario()).columns().get(0);
    return figure(
            metric.label() + (metric.unit().isEmpty() ? "" : ", " + metric.unit()),
            Bars.of(summary, table, metric))
        + figure("Latency by percentile", latency(summary, table))
        + figure("Messages a second over time", series(summary, table, Figures.Sample::rate))
        + figure(
            "Table bytes over time", series(summary, table, sample -> (double) sample.tableBytes()))
        + figure(
            "Dead rows over time", series(summary, table, sample -> (double) sample.deadRows()));
  }

  private static String figure(String caption, String svg) {
    return svg.isEmpty()
        ? ""
        : "<figure>" + svg + "<figcaption>" + Svg.escaped(caption) + "</figcaption></figure>\n";
  }

  /** The repetition in the middle, of each contender. */
  private static String latency(Summary summary, Summary.Table table) {
    Map<String, List<Point>> lines = new LinkedHashMap<>();
    summary
        .runs(table)
        .forEach(
            (contender, runs) ->
                runs.stream()
                    .filter(run -> !run.latency().isEmpty())
                    .sorted(
                        (a, b) ->
                            Double.compare(
                                a.figures().getOrDefault(Metric.P99, 0.0),
                                b.figures().getOrDefault(Metric.P99, 0.0)))
                    .skip((runs.size() - 1) / 2)
                    .findFirst()
                    .ifPresent(
                        run ->
                            lines.put(
                                contender,
                                run.latency().stream()
                                    .filter(each -> each.percentile() <= LAST_PERCENTILE)
                                    .map(each -> new Point(each.percentile(), each.millis()))
                                    .toList())));
    return new Curves("milliseconds", PERCENTILES, Plots::percentilePlace, true).of(lines);
  }

  /** As many steps for each further nine. */
  private static double percentilePlace(double percentile) {
    double range = Math.log10(1 / (1 - LAST_PERCENTILE / 100));
    return Math.log10(1 / (1 - Math.min(percentile, LAST_PERCENTILE) / 100)) / range;
  }

  private static String series(
      Summary summary, Summary.Table table, ToDoubleFunction<Figures.Sample> value) {
    Map<String, List<Point>> lines = new LinkedHashMap<>();
    double end = 0;
    for (Map.Entry<String, List<Result>> each : summary.runs(table).entrySet()) {
      List<Figures.Sample> samples = each.getValue().get(0).series();
      if (!samples.isEmpty()) {
        end = Math.max(end, samples.get(samples.size() - 1).second());
        lines.put(
            each.getKey(),
            samples.stream()
                .map(sample -> new Point(sample.second(), value.applyAsDouble(sample)))
                .toList());
      }
    }
    double last = end;
    Map<Double, String> ticks = new LinkedHashMap<>();
    for (int i = 0; i <= 4; i++) {
      ticks.put(last * i / 4, Numbers.of(Math.rint(last * i / 4)) + " s");
    }
    return new Curves("", ticks, x -> last == 0 ? 0 : x / last, false).of(lines);
  }
}

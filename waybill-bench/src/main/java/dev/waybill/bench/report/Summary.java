package dev.waybill.bench.report;

import dev.waybill.bench.measure.Metric;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.DoubleStream;

/** Repetitions put together: medians and how far they are apart. */
public final class Summary {
  private final Map<Table, Map<String, List<Result>>> tables = new LinkedHashMap<>();

  /**
   * What can be compared: the same scenario, variant and database.
   *
   * @param scenario its id
   * @param variant its name
   * @param database its name
   */
  public record Table(String scenario, String variant, String database) {}

  /**
   * The repetitions of one metric.
   *
   * @param median the middle
   * @param lowest the smallest
   * @param highest the largest
   */
  public record Spread(double median, double lowest, double highest) {}

  /** Of these results. */
  public Summary(List<Result> results) {
    for (Result result : results) {
      tables
          .computeIfAbsent(
              new Table(result.scenario(), result.variant(), result.database()),
              table -> new LinkedHashMap<>())
          .computeIfAbsent(result.contender(), contender -> new ArrayList<>())
          .add(result);
    }
  }

  /** All tables, in the order of their first results. */
  public Set<Table> tables() {
    return tables.keySet();
  }

  /** The contenders of a table, in the order of their first results. */
  public Set<String> contenders(Table table) {
    return runs(table).keySet();
  }

  /** The metric's repetitions; empty if the contender failed or nobody measured it. */
  public Optional<Spread> spread(Table table, String contender, Metric metric) {
    double[] values =
        runs(table).getOrDefault(contender, List.of()).stream()
            .filter(run -> run.failure() == null && run.figures().containsKey(metric))
            .mapToDouble(run -> run.figures().getOrDefault(metric, 0.0))
            .sorted()
            .toArray();
    if (values.length == 0) {
      return Optional.empty();
    }
    return Optional.of(new Spread(median(values), values[0], values[values.length - 1]));
  }

  private static double median(double[] sorted) {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * How much more one contender has than another, within one repetition each, in the median: what
   * slows the machine down slows both.
   */
  public OptionalDouble ratio(Table table, String one, String other, Metric metric) {
    Map<Integer, Double> others = new LinkedHashMap<>();
    for (Result run : runs(table).getOrDefault(other, List.of())) {
      if (run.failure() == null && run.figures().containsKey(metric)) {
        others.put(run.repetition(), run.figures().getOrDefault(metric, 0.0));
      }
    }
    double[] ratios =
        runs(table).getOrDefault(one, List.of()).stream()
            .filter(run -> run.failure() == null && run.figures().containsKey(metric))
            .filter(run -> others.getOrDefault(run.repetition(), 0.0) > 0)
            .flatMapToDouble(
                run ->
                    DoubleStream.of(
                        run.figures().getOrDefault(metric, 0.0)
                            / others.getOrDefault(run.repetition(), 1.0)))
            .sorted()
            .toArray();
    return ratios.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(median(ratios));
  }

  /** What was said of a contender's runs, each thing once; failures first. */
  public Set<String> remarks(Table table, String contender) {
    Set<String> remarks = new LinkedHashSet<>();
    List<Result> all = runs(table).getOrDefault(contender, List.of());
    for (Result run : all) {
      if (run.failure() != null) {
        remarks.add("FAILED: " + run.failure());
      }
    }
    all.forEach(run -> remarks.addAll(run.notes()));
    return remarks;
  }

  /** All runs of a table, by contender. */
  public Map<String, List<Result>> runs(Table table) {
    return tables.getOrDefault(table, Map.of());
  }
}

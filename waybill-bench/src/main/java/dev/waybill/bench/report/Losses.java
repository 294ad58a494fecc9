package dev.waybill.bench.report;

import dev.waybill.bench.contender.Contenders;
import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.measure.Metric;
import dev.waybill.bench.scenario.Scenario;
import dev.waybill.bench.scenario.Scenarios;
import java.util.OptionalDouble;

/** Every table in which a library does better than Waybill by what the table compares. */
final class Losses {
  private Losses() {}

  static String of(Summary summary) {
    StringBuilder text = new StringBuilder();
    for (Summary.Table table : summary.tables()) {
      Scenario scenario = Scenarios.named(table.scenario());
      Metric metric = scenario.columns().get(0);
      for (Entry entry : Contenders.all()) {
        if (entry.kind() == Entry.Kind.WAYBILL || entry.name().equals("bare")) {
          continue;
        }
        OptionalDouble ratio = summary.ratio(table, scenario.ours(), entry.name(), metric);
        if (ratio.isPresent() && loses(ratio.getAsDouble(), metric)) {
          text.append("- ").append(TextTable.title(table)).append(": ").append(entry.name());
          text.append(", Waybill has ").append(Numbers.of(ratio.getAsDouble()));
          text.append(" × its ").append(metric.label()).append('\n');
        }
      }
    }
    return text.length() == 0 ? "Nowhere in this run.\n" : text.toString();
  }

  private static boolean loses(double ratio, Metric metric) {
    return metric.moreIsBetter() ? ratio < 1 : ratio > 1;
  }
}

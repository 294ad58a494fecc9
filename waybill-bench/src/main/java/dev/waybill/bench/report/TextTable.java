package dev.waybill.bench.report;

import dev.waybill.bench.measure.Metric;
import dev.waybill.bench.scenario.Scenario;
import dev.waybill.bench.scenario.Scenarios;
import java.util.ArrayList;
import java.util.List;

/** The results as text in columns. */
public final class TextTable {
  private TextTable() {}

  /** All tables of a summary. */
  public static String of(Summary summary) {
    StringBuilder text = new StringBuilder();
    for (Summary.Table table : summary.tables()) {
      text.append(System.lineSeparator()).append(title(table)).append(System.lineSeparator());
      text.append(columns(rows(summary, table)));
      for (String contender : summary.contenders(table)) {
        for (String remark : summary.remarks(table, contender)) {
          text.append("  ").append(contender).append(": ").append(remark);
          text.append(System.lineSeparator());
        }
      }
    }
    return text.toString();
  }

  static String title(Summary.Table table) {
    Scenario scenario = Scenarios.named(table.scenario());
    return table.scenario()
        + " "
        + scenario.title()
        + (table.variant().isEmpty() ? "" : ", " + table.variant())
        + " ("
        + table.database()
        + ")";
  }

  /** The head and a row per contender. */
  static List<List<String>> rows(Summary summary, Summary.Table table) {
    List<Metric> metrics = shown(summary, table);
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of(""));
    metrics.forEach(
        metric -> head.add(metric.label() + (metric.unit().isEmpty() ? "" : ", " + metric.unit())));
    rows.add(head);
    for (String contender : summary.contenders(table)) {
      List<String> row = new ArrayList<>(List.of(contender));
      for (Metric metric : metrics) {
        row.add(summary.spread(table, contender, metric).map(Numbers::of).orElse("–"));
      }
      rows.add(row);
    }
    return rows;
  }

  /** The scenario's metrics that anybody has. */
  private static List<Metric> shown(Summary summary, Summary.Table table) {
    return Scenarios.named(table.scenario()).columns().stream()
        .filter(
            metric ->
                summary.contenders(table).stream()
                    .anyMatch(each -> summary.spread(table, each, metric).isPresent()))
        .toList();
  }

  private static String columns(List<List<String>> rows) {
    int count = rows.get(0).size();
    int[] widths = new int[count];
    for (List<String> row : rows) {
      for (int i = 0; i < count; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      for (int i = 0; i < count; i++) {
        String pad = " ".repeat(widths[i] - row.get(i).length());
        text.append(i == 0 ? "  " + row.get(i) + pad : "  " + pad + row.get(i));
      }
      text.append(System.lineSeparator());
    }
    return text.toString();
  }
}

package dev.waybill.bench.report;

import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.Optional;

/** One bar per contender: the median, with a line from the lowest to the highest repetition. */
final class Bars {
  private static final int LABEL = 170;
  private static final int LENGTH = 480;
  private static final int ROW = 22;
  private static final int VALUE = 160;

  private Bars() {}

  static String of(Summary summary, Summary.Table table, Metric metric) {
    List<String> contenders =
        summary.contenders(table).stream()
            .filter(each -> summary.spread(table, each, metric).isPresent())
            .toList();
    double largest =
        contenders.stream()
            .map(each -> summary.spread(table, each, metric))
            .flatMap(Optional::stream)
            .mapToDouble(Summary.Spread::highest)
            .max()
            .orElse(0);
    if (largest <= 0) {
      return "";
    }
    Svg svg = new Svg(LABEL + LENGTH + VALUE, ROW * contenders.size() + 8);
    for (int i = 0; i < contenders.size(); i++) {
      String contender = contenders.get(i);
      Summary.Spread spread = summary.spread(table, contender, metric).orElseThrow();
      double y = ROW * i + 4.0;
      double middle = y + ROW / 2.0 - 2;
      double scale = LENGTH / largest;
      svg.text(LABEL - 8, y + 14, "end", contender)
          .rectangle(LABEL, y, spread.median() * scale, ROW - 6, style(contender))
          .line(
              LABEL + spread.lowest() * scale,
              middle,
              LABEL + spread.highest() * scale,
              middle,
              "spread")
          .text(LABEL + spread.highest() * scale + 6, y + 14, "start", Numbers.of(spread));
    }
    return svg.end();
  }

  private static String style(String contender) {
    return contender.startsWith("waybill") ? "ours" : "bar";
  }
}

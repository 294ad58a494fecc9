package dev.waybill.bench.report;

import dev.waybill.bench.contender.Contenders;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/** Lines over one pair of axes, with a legend. */
final class Curves {
  private static final int LEFT = 70;
  private static final int TOP = 10;
  private static final int WIDTH = 560;
  private static final int HEIGHT = 240;
  private static final int LEGEND = 180;
  private static final int TICKS = 5;
  private static final String OURS = "#c2410c";
  private static final String[] COLOURS = {
    "#1d4ed8", "#15803d", "#7e22ce", "#b45309", "#0e7490", "#be123c", "#4d7c0f",
    "#4338ca", "#a16207", "#0f766e", "#9d174d", "#475569", "#166534", "#991b1b"
  };

  private final String yLabel;
  private final Map<Double, String> xTicks;
  private final DoubleUnaryOperator xPlace;
  private final boolean logarithmic;

  /**
   * Axes.
   *
   * @param xPlace where a value of x is, from 0 to 1
   */
  Curves(
      String yLabel, Map<Double, String> xTicks, DoubleUnaryOperator xPlace, boolean logarithmic) {
    this.yLabel = yLabel;
    this.xTicks = xTicks;
    this.xPlace = xPlace;
    this.logarithmic = logarithmic;
  }

  /** A point: x and y. */
  record Point(double x, double y) {}

  String of(Map<String, List<Point>> lines) {
    double highest =
        lines.values().stream().flatMap(List::stream).mapToDouble(Point::y).max().orElse(0);
    double lowest =
        lines.values().stream()
            .flatMap(List::stream)
            .mapToDouble(Point::y)
            .filter(y -> y > 0)
            .min()
            .orElse(0);
    if (highest <= 0) {
      return "";
    }
    Svg svg = new Svg(LEFT + WIDTH + LEGEND, TOP + HEIGHT + 40);
    axes(svg, lowest, highest);
    int line = 0;
    for (Map.Entry<String, List<Point>> each : lines.entrySet()) {
      boolean ours =
          each.getKey().equals("waybill-leased") || each.getKey().equals(Contenders.JOBS);
      String colour = ours ? OURS : COLOURS[line % COLOURS.length];
      StringBuilder points = new StringBuilder();
      for (Point point : each.getValue()) {
        points.append(Svg.point(x(point.x()), y(point.y(), lowest, highest)));
      }
      svg.polyline(points.toString(), colour)
          .swatch(LEFT + WIDTH + 14, TOP + 16.0 * line, colour)
          .text(LEFT + WIDTH + 30, TOP + 16.0 * line + 9, "start", each.getKey());
      line++;
    }
    return svg.end();
  }

  private void axes(Svg svg, double lowest, double highest) {
    for (int i = 0; i <= TICKS; i++) {
      double share = i / (double) TICKS;
      double value =
          logarithmic
              ? Math.exp(Math.log(lowest) + share * Math.log(highest / lowest))
              : share * highest;
      double y = TOP + HEIGHT * (1 - share);
      svg.line(LEFT, y, LEFT + WIDTH, y, "grid").text(LEFT - 6, y + 4, "end", Numbers.of(value));
    }
    xTicks.forEach(
        (value, label) ->
            svg.line(x(value), TOP, x(value), TOP + HEIGHT, "grid")
                .text(x(value), TOP + HEIGHT + 16, "middle", label));
    svg.text(LEFT, TOP + HEIGHT + 34, "start", yLabel + (logarithmic ? ", logarithmic" : ""));
  }

  private double x(double value) {
    return LEFT + WIDTH * xPlace.applyAsDouble(value);
  }

  private double y(double value, double lowest, double highest) {
    if (!logarithmic) {
      return TOP + HEIGHT * (1 - value / highest);
    }
    double safe = Math.max(value, lowest);
    double range = Math.log(highest / lowest);
    return TOP + HEIGHT * (1 - (range == 0 ? 0 : Math.log(safe / lowest) / range));
  }
}

package dev.waybill.bench.report;

import java.util.Locale;

/** Writes one drawing. */
final class Svg {
  private final StringBuilder text = new StringBuilder();

  Svg(int width, int height) {
    text.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ")
        .append(width)
        .append(' ')
        .append(height)
        .append("\" width=\"")
        .append(width)
        .append("\" role=\"img\">");
  }

  Svg rectangle(double x, double y, double width, double height, String style) {
    text.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>",
            x,
            y,
            Math.max(0, width),
            height,
            style));
    return this;
  }

  Svg line(double fromX, double fromY, double toX, double toY, String style) {
    text.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>",
            fromX,
            fromY,
            toX,
            toY,
            style));
    return this;
  }

  Svg polyline(String points, String colour) {
    text.append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"")
        .append(colour)
        .append("\" points=\"")
        .append(points)
        .append("\"/>");
    return this;
  }

  Svg text(double x, double y, String anchor, String words) {
    text.append(
            String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor))
        .append(escaped(words))
        .append("</text>");
    return this;
  }

  Svg swatch(double x, double y, String colour) {
    text.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>",
            x,
            y,
            colour));
    return this;
  }

  String end() {
    return text + "</svg>";
  }

  static String point(double x, double y) {
    return String.format(Locale.ROOT, "%.1f,%.1f ", x, y);
  }

  static String escaped(String words) {
    return words
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}

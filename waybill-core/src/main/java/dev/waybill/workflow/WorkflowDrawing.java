package dev.waybill.workflow;

import dev.waybill.workflow.WorkflowPicture.Node;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Draws a graph from left to right: each step in the column behind the last of its prerequisites,
 * and within a column beside those it is connected with, so that few lines cross. A line that
 * passes a column has a place in it like a step, so that it runs behind none.
 */
final class WorkflowDrawing {
  private static final int HEIGHT = 44;
  private static final int ROW = 68;
  private static final int GAP = 90;
  private static final int MARGIN = 24;
  private static final int TITLE = 34;
  private static final double CHARACTER = 7.4;
  private static final int NARROWEST = 80;
  private static final int LONGEST_TEXT = 32;
  private static final int SWEEPS = 4;
  private static final int HEAD = 7;

  /** A step with its place, or the place where a line passes; the rest is computed from it. */
  private static final class Box {
    private final @Nullable Node node;
    private final List<Box> before = new ArrayList<>();
    private final List<Box> behind = new ArrayList<>();
    private int column;
    private double row;
    private double x;
    private double width;

    Box(@Nullable Node node) {
      this.node = node;
    }

    private double y() {
      return TITLE + MARGIN + row * ROW;
    }

    private double middle() {
      return y() + HEIGHT / 2.0;
    }
  }

  /** An edge with the places it passes, both ends included. */
  private record Line(Dependency edge, List<Box> through) {}

  private final String title;
  private final Map<String, Box> boxes = new HashMap<>();
  private final List<Line> lines = new ArrayList<>();
  private final List<List<Box>> columns = new ArrayList<>();

  WorkflowDrawing(String title, List<Node> nodes) {
    this.title = title;
    nodes.forEach(node -> boxes.put(node.key(), new Box(node)));
    intoColumns(nodes);
    nodes.forEach(node -> node.after().forEach(edge -> connect(edge, box(node.key()))));
    arrange();
    measure();
  }

  private Box box(String key) {
    Box box = boxes.get(key);
    if (box == null) {
      throw new IllegalArgumentException("An edge leads from a step that is not there: " + key);
    }
    return box;
  }

  /** A step may come before its prerequisites in the list, so this goes on until nothing moves. */
  private void intoColumns(List<Node> nodes) {
    boolean moved = true;
    for (int i = 0; moved && i <= nodes.size(); i++) {
      moved = false;
      for (Node node : nodes) {
        Box box = box(node.key());
        int column =
            node.after().stream().mapToInt(edge -> box(edge.step()).column + 1).max().orElse(0);
        moved |= column != box.column;
        box.column = column;
      }
    }
    for (Node node : nodes) {
      Box box = box(node.key());
      while (columns.size() <= box.column) {
        columns.add(new ArrayList<>());
      }
      columns.get(box.column).add(box);
    }
  }

  private void connect(Dependency edge, Box to) {
    Box last = box(edge.step());
    List<Box> through = new ArrayList<>(List.of(last));
    for (int column = last.column + 1; column <= to.column; column++) {
      Box next = column == to.column ? to : new Box(null);
      if (next != to) {
        next.column = column;
        columns.get(column).add(next);
      }
      last.behind.add(next);
      next.before.add(last);
      through.add(next);
      last = next;
    }
    lines.add(new Line(edge, through));
  }

  private void arrange() {
    columns.forEach(WorkflowDrawing::number);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
      for (int i = 0; i < columns.size(); i++) {
        boolean forward = sweep % 2 == 0;
        List<Box> column = columns.get(forward ? i : columns.size() - 1 - i);
        Map<Box, Double> wish = new HashMap<>();
        column.forEach(box -> wish.put(box, mean(forward ? box.before : box.behind, box.row)));
        column.sort(Comparator.comparingDouble(box -> wish.getOrDefault(box, box.row)));
        number(column);
      }
    }
    int tallest = columns.stream().mapToInt(List::size).max().orElse(0);
    for (List<Box> column : columns) {
      double shift = (tallest - column.size()) / 2.0;
      column.forEach(box -> box.row += shift);
    }
  }

  private static void number(List<Box> column) {
    for (int i = 0; i < column.size(); i++) {
      column.get(i).row = i;
    }
  }

  private static double mean(List<Box> others, double otherwise) {
    return others.stream().mapToDouble(box -> box.row).average().orElse(otherwise);
  }

  private void measure() {
    double x = MARGIN;
    for (List<Box> column : columns) {
      double width = NARROWEST;
      for (Box box : column) {
        for (String line : box.node == null ? List.<String>of() : lines(box.node)) {
          width = Math.max(width, line.length() * CHARACTER + 36);
        }
      }
      for (Box box : column) {
        box.x = x;
        box.width = width;
      }
      x += width + GAP;
    }
  }

  private static List<String> lines(Node node) {
    StringBuilder second = new StringBuilder(node.join());
    node.status()
        .ifPresent(
            status ->
                second
                    .append(second.isEmpty() ? "" : ", ")
                    .append(status.name().toLowerCase(Locale.ROOT)));
    return second.isEmpty()
        ? List.of(shortened(node.key()))
        : List.of(shortened(node.key()), second.toString());
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT - 1) + "…";
  }

  String svg() {
    double right = MARGIN;
    double bottom = TITLE + MARGIN;
    for (Box box : columns.stream().flatMap(List::stream).toList()) {
      right = Math.max(right, box.x + box.width + MARGIN);
      bottom = Math.max(bottom, box.y() + HEIGHT + MARGIN);
    }
    right = Math.max(right, title.length() * CHARACTER * 1.2 + 2 * MARGIN);
    StringBuilder out = new StringBuilder();
    out.append(
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %s %s\" width=\"%s\""
                + " height=\"%s\" role=\"img\" font-family=\"sans-serif\" font-size=\"13\">\n")
            .formatted(number(right), number(bottom), number(right), number(bottom)));
    out.append("  <title>").append(escaped(title)).append("</title>\n");
    out.append("  <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    text(out, MARGIN, TITLE, "start", "font-size=\"16\" font-weight=\"bold\"", title);
    lines.forEach(line -> line(out, line));
    columns.forEach(column -> column.forEach(box -> box(out, box, box.node)));
    return out.append("</svg>\n").toString();
  }

  private static void line(StringBuilder out, Line line) {
    Box from = line.through().get(0);
    Box to = line.through().get(line.through().size() - 1);
    StringBuilder path = new StringBuilder();
    double x = from.x + from.width;
    double y = from.middle();
    path.append("M%s %s".formatted(number(x), number(y)));
    for (Box next : line.through().subList(1, line.through().size())) {
      double end = next == to ? to.x - HEAD : next.x;
      double half = (end - x) / 2;
      path.append(
          " C%s %s %s %s %s %s"
              .formatted(
                  number(x + half),
                  number(y),
                  number(end - half),
                  number(next.middle()),
                  number(end),
                  number(next.middle())));
      x = next == to ? end : end + next.width;
      y = next.middle();
      path.append(next == to ? "" : " H" + number(x));
    }
    boolean dashed = line.edge().mode() == Dependency.Mode.ON_TERMINAL;
    out.append(
        "  <path d=\"%s\" fill=\"none\" stroke=\"#6e7781\" stroke-width=\"1.5\"%s/>\n"
            .formatted(path, dashed ? " stroke-dasharray=\"5 4\"" : ""));
    out.append(
        "  <path d=\"M%s %s l7 4 l-7 4 z\" fill=\"#6e7781\"/>\n"
            .formatted(number(to.x - HEAD), number(to.middle() - 4)));
    String label = WorkflowPicture.label(line.edge());
    if (!label.isEmpty()) {
      Box first = line.through().get(1);
      text(
          out,
          (from.x + from.width + first.x) / 2,
          (from.middle() + first.middle()) / 2 - 5,
          "middle",
          "font-size=\"11\" fill=\"#57606a\"",
          shortened(label));
    }
  }

  private static void box(StringBuilder out, Box box, @Nullable Node node) {
    if (node == null) {
      return;
    }
    String look =
        " fill=\"" + WorkflowPicture.color(node) + "\" stroke=\"#57606a\" stroke-width=\"1\"";
    double x = box.x;
    double y = box.y();
    switch (node.kind()) {
      case GATE ->
          out.append(
              "  <path d=\"M%s %s l14 -22 h%s l14 22 l-14 22 h-%s z\"%s/>\n"
                  .formatted(
                      number(x),
                      number(box.middle()),
                      number(box.width - 28),
                      number(box.width - 28),
                      look));
      case MAP -> {
        rectangle(out, x + 4, y - 4, box.width, 6, look);
        rectangle(out, x, y, box.width, 6, look);
      }
      case WORKFLOW -> {
        rectangle(out, x, y, box.width, 6, look);
        rectangle(out, x + 3, y + 3, box.width - 6, HEIGHT - 6, 4, look);
      }
      case JOB, DELAY ->
          rectangle(out, x, y, box.width, node.kind() == Step.Kind.DELAY ? HEIGHT / 2 : 6, look);
    }
    List<String> lines = lines(node);
    double baseline = box.middle() + (lines.size() == 1 ? 4.5 : -3);
    for (int i = 0; i < lines.size(); i++) {
      String font = i == 0 ? "" : "font-size=\"11\" fill=\"#57606a\"";
      text(out, x + box.width / 2, baseline + i * 15, "middle", font, lines.get(i));
    }
  }

  private static void rectangle(
      StringBuilder out, double x, double y, double width, int radius, String look) {
    rectangle(out, x, y, width, HEIGHT, radius, look);
  }

  private static void rectangle(
      StringBuilder out, double x, double y, double width, int height, int radius, String look) {
    out.append(
        "  <rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%d\" rx=\"%d\"%s/>\n"
            .formatted(number(x), number(y), number(width), height, radius, look));
  }

  private static void text(
      StringBuilder out, double x, double y, String anchor, String font, String text) {
    out.append(
        "  <text x=\"%s\" y=\"%s\" text-anchor=\"%s\"%s>%s</text>\n"
            .formatted(
                number(x), number(y), anchor, font.isEmpty() ? "" : " " + font, escaped(text)));
  }

  /** One decimal, whatever the language of the machine. */
  private static String number(double value) {
    long tenths = Math.round(value * 10);
    return tenths % 10 == 0
        ? Long.toString(tenths / 10)
        : tenths / 10 + "." + Math.abs(tenths % 10);
  }

  /** Characters that XML does not allow become question marks. */
  private static String escaped(String text) {
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                default -> out.appendCodePoint(isAllowed(c) ? c : '?');
              }
            });
    return out.toString();
  }

  private static boolean isAllowed(int c) {
    return c >= 0x20 && (c < 0xd800 || c > 0xdfff) && c != 0xfffe && c != 0xffff;
  }
}

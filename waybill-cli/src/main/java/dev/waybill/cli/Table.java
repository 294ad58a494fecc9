package dev.waybill.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Rows under headings, each column as wide as it needs to be; one that is empty is left out. */
final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  Table(String... headings) {
    rows.add(List.of(headings));
  }

  void row(@Nullable Object... values) {
    List<String> row = new ArrayList<>();
    for (Object value : values) {
      row.add(value == null ? "" : Visible.line(value.toString()));
    }
    rows.add(row);
  }

  String text() {
    if (rows.size() == 1) {
      return "There are none.";
    }
    int[] widths = IntStream.range(0, rows.get(0).size()).map(this::width).toArray();
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < widths.length; column++) {
        if (widths[column] > 0) {
          String value = row.get(column);
          line.append(value).append(" ".repeat(widths[column] - value.length() + 2));
        }
      }
      lines.add(line.toString().stripTrailing());
    }
    return String.join(System.lineSeparator(), lines);
  }

  /** None if nothing stands below its heading. */
  private int width(int column) {
    int widest = rows.stream().skip(1).mapToInt(row -> row.get(column).length()).max().orElse(0);
    return widest == 0 ? 0 : Math.max(widest, rows.get(0).get(column).length());
  }
}

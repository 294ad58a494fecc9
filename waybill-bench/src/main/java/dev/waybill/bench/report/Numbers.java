package dev.waybill.bench.report;

import java.util.Locale;

/** Numbers for people: as many digits as mean something. */
public final class Numbers {
  private Numbers() {}

  /** Such as 12,345 or 6.78. */
  public static String of(double value) {
    double size = Math.abs(value);
    if (size >= 100 || value == Math.rint(value)) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    String digits = size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.4f";
    return String.format(Locale.ROOT, digits, value);
  }

  /** The median, and its spread if there is one. */
  public static String of(Summary.Spread spread) {
    boolean wide = spread.highest() - spread.lowest() > Math.abs(spread.median()) * 0.01;
    return of(spread.median())
        + (wide ? " (" + of(spread.lowest()) + "–" + of(spread.highest()) + ")" : "");
  }
}

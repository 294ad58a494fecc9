package dev.waybill.internal.doctor;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Lists, ages and sizes as a person would say them. */
final class Wording {
  private static final int SHOWN = 5;

  private Wording() {}

  /** The first few by name, the others by their number. */
  static String names(Collection<String> names) {
    List<String> sorted = names.stream().sorted().toList();
    if (sorted.size() <= SHOWN + 1) {
      return String.join(", ", sorted);
    }
    return String.join(", ", sorted.subList(0, SHOWN))
        + " and "
        + (sorted.size() - SHOWN)
        + " more";
  }

  static String age(Duration age) {
    double seconds = age.toMillis() / 1000.0;
    if (seconds < 1) {
      return age.toMillis() + " ms";
    }
    if (seconds < 60) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    return seconds < 7200
        ? (long) seconds / 60 + " min"
        : String.format(Locale.ROOT, "%d h", (long) seconds / 3600);
  }

  static String megabytes(long bytes) {
    return (bytes >> 20) + " MB";
  }

  /** One line, quoted, or nothing. */
  static String query(String text) {
    String line = text.strip().replaceAll("\\s+", " ");
    return line.isEmpty() ? "" : ": " + line;
  }
}

package dev.waybill.internal.job;

import org.jspecify.annotations.Nullable;

/** Texts of handlers, made fit for a column: bounded, and of characters every database takes. */
public final class Wording {
  private static final int LONGEST = 1_000;
  private static final int LONGEST_CODE = 200;

  private Wording() {}

  /** A message. */
  public static String of(String text) {
    return bounded(text, LONGEST);
  }

  /** A code. */
  public static String code(String code) {
    return bounded(code.isBlank() ? "job.failed" : code.strip(), LONGEST_CODE);
  }

  /** The exception's type and message, without its stack. */
  static String of(Throwable thrown) {
    @Nullable String message = thrown.getMessage();
    String type = thrown.getClass().getName();
    return of(message == null ? type : type + ": " + message);
  }

  private static String bounded(String text, int longest) {
    var out = new StringBuilder();
    text.codePoints()
        .limit(longest)
        .map(c -> c == 0 || (c >= 0xD800 && c <= 0xDFFF) ? '?' : c)
        .forEach(out::appendCodePoint);
    if (text.codePointCount(0, text.length()) > longest) {
      out.append('…');
    }
    return out.toString();
  }
}

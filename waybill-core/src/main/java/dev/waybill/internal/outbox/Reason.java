package dev.waybill.internal.outbox;

import org.jspecify.annotations.Nullable;

/** Why something failed, made fit for a column: bounded, and of characters every database takes. */
final class Reason {
  private static final int LONGEST = 1_000;

  private Reason() {}

  static String of(String reason) {
    var text = new StringBuilder();
    reason
        .codePoints()
        .limit(LONGEST)
        .map(c -> c == 0 || (c >= 0xD800 && c <= 0xDFFF) ? '?' : c)
        .forEach(text::appendCodePoint);
    if (reason.codePointCount(0, reason.length()) > LONGEST) {
      text.append('…');
    }
    return text.toString();
  }

  /** The exception's type and message, without its stack. */
  static String of(Throwable thrown) {
    @Nullable String message = thrown.getMessage();
    String type = thrown.getClass().getName();
    return of(message == null ? type : type + ": " + message);
  }
}

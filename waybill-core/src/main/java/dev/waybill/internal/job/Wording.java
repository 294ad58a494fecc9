package dev.waybill.internal.job;

import org.jspecify.annotations.Nullable;

/** Texts of handlers, made fit for a column: bounded, and of characters every database takes. */
public final class Wording {
  private static final int LONGEST = 1_000;
  private static final int LONGEST_CODE = 200;

  /** So many causes are looked at: somebody may have made a circle of them. */
  private static final int DEEPEST = 100;

  private Wording() {}

  /** As Unicode sees it; Java leaves the no-break spaces and NEL out. */
  static boolean isBlank(String text) {
    return text.codePoints()
        .allMatch(c -> Character.isSpaceChar(c) || (c >= '\t' && c <= '\r') || c == 0x85);
  }

  /** A message. */
  public static String of(String text) {
    return bounded(text, LONGEST);
  }

  /** A code. */
  public static String code(String code) {
    return bounded(isBlank(code) ? "job.failed" : code.strip(), LONGEST_CODE);
  }

  /** Whether all databases take it as it is. */
  public static boolean isStorable(String text) {
    return text.codePoints().allMatch(Wording::isStorable);
  }

  private static boolean isStorable(int c) {
    return c != 0 && (c < 0xD800 || c > 0xDFFF);
  }

  /** The exception's type and message, without its stack. */
  static String of(Throwable thrown) {
    String type = thrown.getClass().getName();
    @Nullable String message;
    try {
      message = thrown.getMessage();
    } catch (RuntimeException | Error e) {
      return of(type + ", whose message cannot be read");
    }
    return of(message == null ? type : type + ": " + message);
  }

  /**
   * For a log, which asks an exception and its causes for their messages: the same, or one in its
   * place if that ends in an exception. Those of handlers are code like any other of theirs.
   */
  static Throwable readable(Throwable thrown) {
    var said = new StringBuilder();
    int depth = 0;
    for (Throwable each = thrown; each != null && depth < DEEPEST; depth++) {
      try {
        said.append(each);
        each = each.getCause();
      } catch (RuntimeException | Error e) {
        Throwable instead =
            new IllegalStateException(each.getClass().getName() + ", which cannot be read");
        instead.setStackTrace(thrown.getStackTrace());
        return instead;
      }
    }
    return thrown;
  }

  private static String bounded(String text, int longest) {
    var out = new StringBuilder();
    text.codePoints()
        .limit(longest)
        .map(c -> isStorable(c) ? c : '?')
        .forEach(out::appendCodePoint);
    if (text.codePointCount(0, text.length()) > longest) {
      out.append('…');
    }
    return out.toString();
  }
}

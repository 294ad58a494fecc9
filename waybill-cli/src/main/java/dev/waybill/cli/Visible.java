package dev.waybill.cli;

import java.util.Locale;

/**
 * Text of other people's making, fit for a terminal. Payloads, headers and errors come from whoever
 * sent them; a control character among them could move the cursor, rewrite what stands above or
 * type into the shell. It is shown as an escape instead.
 */
final class Visible {
  private Visible() {}

  /** Text that must stay on one line. */
  static String line(String text) {
    return escaped(text, false);
  }

  /** Text that may have lines of its own. */
  static String block(String text) {
    return escaped(text, true);
  }

  private static String escaped(String text, boolean lines) {
    if (text.chars().noneMatch(Character::isISOControl)) {
      return text;
    }
    StringBuilder shown = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (!Character.isISOControl(each) || (lines && endsLine(text, i))) {
        shown.append(each);
      } else {
        shown.append(escape(each));
      }
    }
    return shown.toString();
  }

  /** A carriage return alone would let a line be overwritten. */
  private static boolean endsLine(String text, int at) {
    return text.charAt(at) == '\n' || text.startsWith("\r\n", at);
  }

  private static String escape(char control) {
    return switch (control) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> String.format(Locale.ROOT, "\\u%04x", (int) control);
    };
  }
}

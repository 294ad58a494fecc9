package dev.waybill.internal.sql;

import java.util.Set;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a statement that are there only if they are asked for: {@code {and type = :type}} stays
 * if {@code type} is among the parameters that are given. So a filter that is not used does not
 * stand in the way of the database's plan, as {@code (:type is null or …)} would.
 */
final class OptionalParts {
  private OptionalParts() {}

  static boolean in(String text) {
    return SqlScanner.codeOnly(text).indexOf('{') >= 0;
  }

  /** The text with every part, without the braces. */
  static String all(String text) {
    return chosen(text, null);
  }

  /** The text with the parts all of whose parameters are given. */
  static String only(String text, Set<String> given) {
    return chosen(text, given);
  }

  private static String chosen(String text, @Nullable Set<String> given) {
    String code = SqlScanner.codeOnly(text);
    StringBuilder out = new StringBuilder();
    int at = 0;
    for (int open = code.indexOf('{'); open >= 0; open = code.indexOf('{', at)) {
      int close = code.indexOf('}', open);
      if (close < 0) {
        throw new IllegalStateException("An optional part never ends: " + text.substring(open));
      }
      out.append(text, at, open);
      if (given == null || parametersAreIn(given, code.substring(open + 1, close))) {
        out.append(text, open + 1, close);
      }
      at = close + 1;
    }
    return out.append(text, at, text.length()).toString();
  }

  private static boolean parametersAreIn(Set<String> given, String part) {
    Matcher parameter = Sql.PARAMETER.matcher(part);
    while (parameter.find()) {
      if (!given.contains(parameter.group(1))) {
        return false;
      }
    }
    return true;
  }
}

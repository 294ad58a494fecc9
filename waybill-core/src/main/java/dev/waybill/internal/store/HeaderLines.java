package dev.waybill.internal.store;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Headers as the text that is stored, a line {@code name: value} each. Validation has seen to it
 * that no name has a colon and no value a line break, so nothing needs to be escaped and a person
 * who reads the table understands it.
 */
final class HeaderLines {
  private static final String SEPARATOR = ": ";

  private HeaderLines() {}

  static @Nullable String write(Map<String, String> headers) {
    if (headers.isEmpty()) {
      return null;
    }
    var lines = new StringBuilder();
    headers.forEach(
        (name, value) -> {
          if (!lines.isEmpty()) {
            lines.append('\n');
          }
          lines.append(name).append(SEPARATOR).append(value);
        });
    return lines.toString();
  }

  static Map<String, String> read(@Nullable String lines) {
    if (lines == null || lines.isEmpty()) {
      return Map.of();
    }
    var headers = new LinkedHashMap<String, String>();
    int from = 0;
    while (from < lines.length()) {
      int end = lines.indexOf('\n', from);
      int until = end < 0 ? lines.length() : end;
      String line = lines.substring(from, until);
      int colon = line.indexOf(SEPARATOR);
      if (colon >= 0) {
        headers.put(line.substring(0, colon), line.substring(colon + SEPARATOR.length()));
      }
      from = until + 1;
    }
    return headers;
  }
}

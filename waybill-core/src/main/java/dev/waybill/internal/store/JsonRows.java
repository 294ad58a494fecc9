package dev.waybill.internal.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sets of rows as one parameter: the text of a statement does not depend on how many there are, and
 * all databases can take them apart.
 */
public final class JsonRows {
  private JsonRows() {}

  /** An array of objects; what is null is left out. */
  static <T> String objects(List<T> rows, Function<T, Map<String, @Nullable Object>> fields) {
    StringBuilder out = new StringBuilder("[");
    for (T row : rows) {
      out.append(out.length() == 1 ? "{" : ",{");
      boolean first = true;
      for (Map.Entry<String, @Nullable Object> field : fields.apply(row).entrySet()) {
        Object value = field.getValue();
        if (value != null) {
          out.append(first ? "" : ",");
          quote(out, field.getKey());
          append(out.append(':'), value);
          first = false;
        }
      }
      out.append('}');
    }
    return out.append(']').toString();
  }

  /** An array of texts. */
  static String texts(Collection<?> values) {
    StringBuilder out = new StringBuilder("[");
    for (Object value : values) {
      append(out.length() == 1 ? out : out.append(','), value);
    }
    return out.append(']').toString();
  }

  /** An array of ids in their order, which is the one in which rows are locked. */
  static String ids(Collection<UUID> ids) {
    return texts(ids.stream().map(UUID::toString).sorted().toList());
  }

  private static void append(StringBuilder out, Object value) {
    if (value instanceof Number) {
      out.append(value);
    } else {
      quote(out, value.toString());
    }
  }

  /** A JSON string. */
  public static void quote(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ') {
            out.append(String.format("\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}

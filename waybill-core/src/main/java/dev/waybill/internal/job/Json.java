package dev.waybill.internal.job;

import dev.waybill.internal.store.JsonRows;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON and writes it in one canonical form: members in the order of their names, the last of
 * equal names, numbers by value, no white space. Texts that mean the same become the same text.
 *
 * <p>A value is a map, a list, a string, a {@link BigDecimal}, a {@link Boolean} or null.
 */
public final class Json {
  private static final int DEEPEST = 200;

  /** Reading one takes the square of its length. */
  private static final int LONGEST_NUMBER = 10_000;

  /** Other digits of Unicode are none here. */
  private static final String HEX = "0123456789abcdef0123456789ABCDEF";

  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d{1,9})?");

  /** Beyond this many digits a number is written with an exponent. */
  private static final int PLAIN_DIGITS = 40;

  private final String text;
  private int at;
  private int depth;

  private Json(String text) {
    this.text = text;
  }

  /** The value of a text. */
  public static @Nullable Object parse(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.skipSpace();
    if (json.at < text.length()) {
      throw json.wrong("something after the end");
    }
    return value;
  }

  /** The canonical form of a text. */
  public static String canonical(String text) {
    return write(parse(text));
  }

  /** What is wrong with a text; null if it is JSON. */
  public static @Nullable String complaintAbout(String text) {
    try {
      parse(text);
      return null;
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  private @Nullable Object value() {
    skipSpace();
    if (at >= text.length()) {
      throw wrong("the end");
    }
    char c = text.charAt(at);
    return switch (c) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    enter();
    if (!ends('}')) {
      do {
        skipSpace();
        if (at >= text.length() || text.charAt(at) != '"') {
          throw wrong("no name of a member");
        }
        String name = string();
        expect(':');
        members.put(name, value());
      } while (goesOn('}'));
    }
    depth--;
    return members;
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> elements = new ArrayList<>();
    enter();
    if (!ends(']')) {
      do {
        elements.add(value());
      } while (goesOn(']'));
    }
    depth--;
    return elements;
  }

  private void enter() {
    at++;
    if (++depth > DEEPEST) {
      throw wrong("more than " + DEEPEST + " levels");
    }
  }

  private boolean ends(char end) {
    skipSpace();
    boolean found = at < text.length() && text.charAt(at) == end;
    at += found ? 1 : 0;
    return found;
  }

  private boolean goesOn(char end) {
    if (ends(end)) {
      return false;
    }
    expect(',');
    return true;
  }

  private void expect(char c) {
    skipSpace();
    if (at >= text.length() || text.charAt(at) != c) {
      throw wrong("no " + c);
    }
    at++;
  }

  private String string() {
    int from = ++at;
    int end = from;
    while (end < text.length() && isPlain(text.charAt(end))) {
      end++;
    }
    at = end;
    if (at < text.length() && text.charAt(at) == '"') {
      at++;
      return text.substring(from, end);
    }
    StringBuilder out = new StringBuilder().append(text, from, at);
    for (; at < text.length() && text.charAt(at) != '"'; at++) {
      char c = text.charAt(at);
      if (c < ' ') {
        throw wrong("a control character in a string");
      }
      out.append(c == '\\' ? escaped() : c);
    }
    if (at >= text.length()) {
      throw wrong("a string without end");
    }
    at++;
    return storable(out.toString());
  }

  /** Stands for itself, and every database takes it. */
  private static boolean isPlain(char c) {
    return c >= ' ' && c != '"' && c != '\\' && !Character.isSurrogate(c);
  }

  private String storable(String string) {
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      boolean pair =
          Character.isHighSurrogate(c)
              && i + 1 < string.length()
              && Character.isLowSurrogate(string.charAt(i + 1));
      if (pair) {
        i++;
      } else if (c == 0 || Character.isSurrogate(c)) {
        throw wrong("a character that no database takes (NUL, or half of a surrogate pair)");
      }
    }
    return string;
  }

  private char escaped() {
    at++;
    char c = at < text.length() ? text.charAt(at) : ' ';
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        int code = 0;
        for (int i = 0; i < 4; i++) {
          at++;
          int digit = at < text.length() ? HEX.indexOf(text.charAt(at)) % 16 : -1;
          if (digit < 0) {
            throw wrong("a bad escape");
          }
          code = code * 16 + digit;
        }
        yield (char) code;
      }
      default -> throw wrong("a bad escape");
    };
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw wrong("no value");
    }
    at += word.length();
    return value;
  }

  private BigDecimal number() {
    int from = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (at - from > LONGEST_NUMBER) {
      throw wrong("a number of more than " + LONGEST_NUMBER + " characters");
    }
    String number = text.substring(from, at);
    if (!NUMBER.matcher(number).matches()) {
      at = from;
      throw wrong("no value");
    }
    return new BigDecimal(number);
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("is not JSON: " + what + " at character " + at);
  }

  /** The canonical form of a value. */
  public static String write(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value);
    return out.toString();
  }

  private static void write(StringBuilder out, @Nullable Object value) {
    if (value instanceof Map<?, ?> members) {
      Map<String, @Nullable Object> sorted = new TreeMap<>();
      members.forEach((name, member) -> sorted.put((String) name, member));
      out.append('{');
      String comma = "";
      for (Map.Entry<String, @Nullable Object> member : sorted.entrySet()) {
        out.append(comma);
        JsonRows.quote(out, member.getKey());
        write(out.append(':'), member.getValue());
        comma = ",";
      }
      out.append('}');
    } else if (value instanceof List<?> elements) {
      out.append('[');
      String comma = "";
      for (Object element : elements) {
        write(out.append(comma), element);
        comma = ",";
      }
      out.append(']');
    } else if (value instanceof String string) {
      JsonRows.quote(out, string);
    } else if (value instanceof BigDecimal number) {
      out.append(canonical(number));
    } else {
      out.append(value);
    }
  }

  private static String canonical(BigDecimal number) {
    BigDecimal bare = number.stripTrailingZeros();
    if (bare.signum() == 0) {
      return "0";
    }
    return Math.max(bare.precision() - (long) bare.scale(), bare.scale()) <= PLAIN_DIGITS
        ? bare.toPlainString()
        : bare.unscaledValue() + "E" + -(long) bare.scale();
  }
}

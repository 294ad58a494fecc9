package dev.waybill.job;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What names and keys may look like, and how they appear in an error text. */
final class JobNames {
  static final String TYPE_RULE =
      "must have 1 to 255 of the characters A-Z a-z 0-9 . _ - : / and begin and end with a letter"
          + " or digit";

  private static final int LONGEST_TYPE = 255;
  private static final int LONGEST_QUOTED = 64;

  private JobNames() {}

  static boolean isType(String type) {
    return !type.isEmpty()
        && type.length() <= LONGEST_TYPE
        && hasOnlyCharactersOfTypes(type)
        && isAlphanumeric(type.charAt(0))
        && isAlphanumeric(type.charAt(type.length() - 1));
  }

  private static boolean hasOnlyCharactersOfTypes(String type) {
    for (int i = 0; i < type.length(); i++) {
      char c = type.charAt(i);
      if (!isAlphanumeric(c) && ".-_:/".indexOf(c) < 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAlphanumeric(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  /** What is wrong with a text that shall be stored and compared; null if nothing is. */
  static @Nullable String complaintAbout(String text, int longest) {
    return isWord(text, longest) ? null : closer(text, longest);
  }

  /** Of letters and digits only, as most are: nothing can be wrong with that. */
  private static boolean isWord(String text, int longest) {
    for (int i = 0; i < text.length(); i++) {
      if (!isAlphanumeric(text.charAt(i))) {
        return false;
      }
    }
    return !text.isEmpty() && text.length() <= longest;
  }

  private static @Nullable String closer(String text, int longest) {
    if (isBlank(text)) {
      return "is blank";
    }
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > longest) {
      return "has " + bytes + " bytes, more than " + longest;
    }
    if (text.codePoints().anyMatch(Character::isISOControl)) {
      return "has a control character";
    }
    if (text.codePoints().anyMatch(c -> c >= 0xD800 && c <= 0xDFFF)) {
      return "is not Unicode: it has half of a surrogate pair";
    }
    // Some collations ignore spaces at the end, so they cannot tell keys apart.
    return isSpace(text.codePointAt(0)) || isSpace(text.codePointBefore(text.length()))
        ? "begins or ends with white space"
        : null;
  }

  private static boolean isBlank(String text) {
    return text.codePoints().allMatch(JobNames::isSpace);
  }

  /** As Unicode sees it; Java leaves the no-break spaces and NEL out. */
  private static boolean isSpace(int c) {
    return Character.isSpaceChar(c) || (c >= '\t' && c <= '\r') || c == 0x85;
  }

  /** Short, and without what would break a log line. */
  static String quoted(String name) {
    var text = new StringBuilder("'");
    for (int i = 0; i < Math.min(LONGEST_QUOTED, name.length()); i++) {
      char c = name.charAt(i);
      if (c >= ' ' && c <= '~') {
        text.append(c);
      } else {
        text.append(String.format("\\u%04x", (int) c));
      }
    }
    return text.append(name.length() > LONGEST_QUOTED ? "…'" : "'").toString();
  }
}

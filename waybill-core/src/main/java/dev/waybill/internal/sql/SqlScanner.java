package dev.waybill.internal.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cuts SQL text into code, quoted parts and comments, so that nobody who rewrites or splits it can
 * mistake a colon in a literal for a parameter or a semicolon in a comment for an end.
 *
 * <p>It knows what our files use on all databases: quotes that are doubled inside quotes,
 * PostgreSQL's dollar quotes, {@code --} and block comments. Not backslash escapes, nested comments
 * or {@code #} comments, which mean something else elsewhere.
 */
public final class SqlScanner {
  /** What a piece of text is. */
  public enum Type {
    CODE,
    QUOTED,
    COMMENT
  }

  /** A piece of the text; the pieces joined are the text. */
  public record Piece(Type type, String text) {}

  private final String sql;
  private final List<Piece> pieces = new ArrayList<>();
  private int start;
  private int at;

  private SqlScanner(String sql) {
    this.sql = sql;
  }

  /** The pieces of the text in order. */
  public static List<Piece> scan(String sql) {
    return new SqlScanner(sql).run();
  }

  /** The text with spaces in place of what is no code. */
  static String codeOnly(String text) {
    StringBuilder out = new StringBuilder();
    for (Piece piece : scan(text)) {
      out.append(piece.type() == Type.CODE ? piece.text() : " ".repeat(piece.text().length()));
    }
    return out.toString();
  }

  private List<Piece> run() {
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (c == '\'' || c == '"' || c == '`') {
        piece(Type.QUOTED, endOfQuote(c));
      } else if (c == '$' && dollarTag() != null) {
        String tag = dollarTag();
        int end = sql.indexOf(tag, at + tag.length());
        piece(Type.QUOTED, end < 0 ? sql.length() : end + tag.length());
      } else if (sql.startsWith("--", at)) {
        int end = sql.indexOf('\n', at);
        piece(Type.COMMENT, end < 0 ? sql.length() : end);
      } else if (sql.startsWith("/*", at)) {
        int end = sql.indexOf("*/", at + 2);
        piece(Type.COMMENT, end < 0 ? sql.length() : end + 2);
      } else {
        at++;
      }
    }
    flushCode(sql.length());
    return pieces;
  }

  private void piece(Type type, int end) {
    flushCode(at);
    pieces.add(new Piece(type, sql.substring(at, end)));
    start = at = end;
  }

  private void flushCode(int end) {
    if (end > start) {
      pieces.add(new Piece(Type.CODE, sql.substring(start, end)));
    }
    start = end;
  }

  /** A doubled quote continues the literal. */
  private int endOfQuote(char quote) {
    int i = at + 1;
    while (i < sql.length()) {
      if (sql.charAt(i) == quote) {
        if (i + 1 < sql.length() && sql.charAt(i + 1) == quote) {
          i++;
        } else {
          return i + 1;
        }
      }
      i++;
    }
    return sql.length();
  }

  /** {@code $$} or {@code $tag$} at the current position; a {@code $} inside a word is neither. */
  private @Nullable String dollarTag() {
    if (at > 0 && Character.isJavaIdentifierPart(sql.charAt(at - 1))) {
      return null;
    }
    int i = at + 1;
    while (i < sql.length() && isTagPart(sql.charAt(i), i == at + 1)) {
      i++;
    }
    return i < sql.length() && sql.charAt(i) == '$' ? sql.substring(at, i + 1) : null;
  }

  /** Without the digits at the front, for {@code $1} is something else. */
  private static boolean isTagPart(char c, boolean first) {
    return c == '_' || Character.isLetter(c) || (!first && Character.isDigit(c));
  }
}

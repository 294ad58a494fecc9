package dev.waybill.internal.schema;

import dev.waybill.internal.sql.SqlScanner;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * One step of the schema.
 *
 * @param version its number
 * @param description what it is for
 * @param fenced whether older releases must stop once it is applied: its file has a line {@code --
 *     fence: why}
 * @param statements its SQL, with the names of the files
 * @param undo the SQL that takes it back, for operators
 * @param checksum SHA-256 of its normalised SQL: comments and white space do not count, so they can
 *     be improved later
 */
record Migration(
    long version,
    String description,
    boolean fenced,
    List<String> statements,
    List<String> undo,
    String checksum) {

  private static final Pattern FENCE_LINE = Pattern.compile("(?m)^-- fence: .+$");

  private static final Pattern TOKEN = Pattern.compile("\\w+|;|[^\\w;]+");

  static Migration parse(long version, String description, String up, String undo) {
    List<String> statements = split(up);
    return new Migration(
        version,
        description,
        FENCE_LINE.matcher(up).find(),
        statements,
        split(undo),
        checksum(statements));
  }

  /**
   * Statements end at a semicolon; those of a trigger's or procedure's body are kept together by
   * {@code begin … end}.
   */
  static List<String> split(String script) {
    List<String> statements = new ArrayList<>();
    StringBuilder statement = new StringBuilder();
    int depth = 0;
    for (SqlScanner.Piece piece : SqlScanner.scan(script)) {
      if (piece.type() == SqlScanner.Type.COMMENT) {
        statement.append(' ');
      } else if (piece.type() == SqlScanner.Type.QUOTED) {
        statement.append(piece.text());
      } else {
        for (String part : TOKEN.matcher(piece.text()).results().map(MatchResult::group).toList()) {
          if (part.equalsIgnoreCase("begin") || part.equalsIgnoreCase("case")) {
            depth++;
          } else if (part.equalsIgnoreCase("end")) {
            depth = Math.max(0, depth - 1);
          }
          if (part.equals(";") && depth == 0) {
            add(statements, statement);
          } else {
            statement.append(part);
          }
        }
      }
    }
    add(statements, statement);
    return List.copyOf(statements);
  }

  private static void add(List<String> statements, StringBuilder statement) {
    String text = statement.toString().strip();
    if (!text.isEmpty()) {
      statements.add(text);
    }
    statement.setLength(0);
  }

  private static String checksum(List<String> statements) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String statement : statements) {
        digest.update(normalised(statement).getBytes(StandardCharsets.UTF_8));
        digest.update((byte) ';');
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JVM has SHA-256", e);
    }
  }

  private static String normalised(String statement) {
    StringBuilder out = new StringBuilder();
    for (SqlScanner.Piece piece : SqlScanner.scan(statement)) {
      out.append(
          piece.type() == SqlScanner.Type.CODE
              ? piece.text().replaceAll("\\s+", " ").replaceAll(" ?([(),]) ?", "$1")
              : piece.text());
    }
    return out.toString().strip();
  }
}

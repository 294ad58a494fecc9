package dev.waybill.internal.schema;

import dev.waybill.internal.sql.SqlScanner;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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
 *     be improved later; inside quotes, also dollar quotes, everything counts
 */
record Migration(
    long version,
    String description,
    boolean fenced,
    List<String> statements,
    List<String> undo,
    String checksum) {

  private static final Pattern FENCE_LINE = Pattern.compile("(?m)^-- fence: .+$");

  private static final Pattern TOKEN = Pattern.compile("\\w+|;|\\s+|[^\\w;\\s]+");

  private static final Pattern HAS_BODY =
      Pattern.compile("(?is)\\s*create\\b.*?\\b(trigger|procedure|function|event)\\b.*");

  /** What {@code end} may close inside a body without having been opened by begin or case. */
  private static final Set<String> BLOCKS = Set.of("if", "loop", "while", "repeat", "for");

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
   * Statements end at a semicolon; those in the body of a trigger or procedure are kept together by
   * its {@code begin … end}.
   */
  static List<String> split(String script) {
    List<String> statements = new ArrayList<>();
    StringBuilder statement = new StringBuilder();
    Nesting nesting = new Nesting();
    for (SqlScanner.Piece piece : SqlScanner.scan(script)) {
      if (piece.type() == SqlScanner.Type.COMMENT) {
        statement.append(' ');
      } else if (piece.type() == SqlScanner.Type.QUOTED) {
        statement.append(piece.text());
      } else {
        for (String part : TOKEN.matcher(piece.text()).results().map(MatchResult::group).toList()) {
          nesting.see(part.toLowerCase(Locale.ROOT));
          if (part.equals(";") && !(nesting.inside() && HAS_BODY.matcher(statement).lookingAt())) {
            add(statements, statement);
            nesting = new Nesting();
          } else {
            statement.append(part);
          }
        }
      }
    }
    add(statements, statement);
    return List.copyOf(statements);
  }

  /** How deep we are in begin and case; {@code end} closes them, {@code end if} and such do not. */
  private static final class Nesting {
    private int depth;
    private boolean afterEnd;

    void see(String token) {
      if (token.isBlank()) {
        return;
      }
      if (afterEnd && BLOCKS.contains(token)) {
        depth++;
      } else if (token.equals("end")) {
        depth--;
      } else if (token.equals("begin") || (token.equals("case") && !afterEnd)) {
        depth++;
      }
      afterEnd = token.equals("end");
    }

    boolean inside() {
      return depth > 0;
    }
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
              ? piece.text().replaceAll("\\s+", " ").replaceAll(" ?([^\\w ]) ?", "$1")
              : piece.text());
    }
    return out.toString().strip();
  }
}

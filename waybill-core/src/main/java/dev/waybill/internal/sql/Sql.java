package dev.waybill.internal.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One statement of the catalogue, ready for JDBC.
 *
 * <p>{@code :name} is a parameter. {@code (:a, :b)...} is a row that is repeated as often as rows
 * are bound, for statements whose number of rows is part of their text.
 *
 * @param name its name in the file
 * @param head text up to the repeated row, or all of it
 * @param row text of the repeated row, empty if there is none
 * @param tail text after the repeated row
 * @param headParameters names in the order of the question marks of the head
 * @param rowParameters the same of one row
 * @param tailParameters the same of the tail
 */
public record Sql(
    String name,
    String head,
    String row,
    String tail,
    List<String> headParameters,
    List<String> rowParameters,
    List<String> tailParameters) {

  private static final Pattern PARAMETER = Pattern.compile("(?<![:\\w]):([a-z][a-z0-9_]*)");
  private static final Pattern TABLE = Pattern.compile("\\b" + Naming.IN_FILES + "[a-z0-9_]+\\b");
  private static final Pattern REPEATED_ROW = Pattern.compile("\\(([^()]*)\\)\\.\\.\\.");

  static Sql compile(String name, String text, Dialect dialect, Naming naming) {
    String code = rename(withoutComments(text), dialect, naming);
    Matcher repeated = REPEATED_ROW.matcher(code);
    if (!repeated.find()) {
      List<String> parameters = new ArrayList<>();
      return new Sql(name, bare(code, parameters), "", "", parameters, List.of(), List.of());
    }
    List<String> head = new ArrayList<>();
    List<String> row = new ArrayList<>();
    List<String> tail = new ArrayList<>();
    return new Sql(
        name,
        bare(code.substring(0, repeated.start()), head),
        "(" + bare(repeated.group(1), row) + ")",
        bare(code.substring(repeated.end()), tail),
        head,
        row,
        tail);
  }

  /** Replaces the names of the files by the user's, quoted and, except for indexes, qualified. */
  public static String rename(String text, Dialect dialect, Naming naming) {
    StringBuilder out = new StringBuilder();
    for (SqlScanner.Piece piece : SqlScanner.scan(text)) {
      out.append(
          piece.type() == SqlScanner.Type.CODE
              ? TABLE
                  .matcher(piece.text())
                  .replaceAll(m -> Matcher.quoteReplacement(dialect.identifier(m.group(), naming)))
              : piece.text());
    }
    return out.toString();
  }

  private static String withoutComments(String text) {
    StringBuilder out = new StringBuilder();
    for (SqlScanner.Piece piece : SqlScanner.scan(text)) {
      out.append(piece.type() == SqlScanner.Type.COMMENT ? "" : piece.text());
    }
    return out.toString().strip();
  }

  private static String bare(String text, List<String> parameters) {
    StringBuilder out = new StringBuilder();
    for (SqlScanner.Piece piece : SqlScanner.scan(text)) {
      if (piece.type() == SqlScanner.Type.CODE) {
        Matcher matcher = PARAMETER.matcher(piece.text());
        while (matcher.find()) {
          parameters.add(matcher.group(1));
        }
        out.append(matcher.replaceAll("?"));
      } else {
        out.append(piece.text());
      }
    }
    return out.toString();
  }

  boolean repeats() {
    return !row.isEmpty();
  }

  boolean knows(String parameter) {
    return headParameters.contains(parameter) || tailParameters.contains(parameter);
  }

  String text(int rows) {
    if (!repeats()) {
      return head;
    }
    StringBuilder out = new StringBuilder(head.length() + rows * (row.length() + 2)).append(head);
    for (int i = 0; i < rows; i++) {
      out.append(i == 0 ? "" : ", ").append(row);
    }
    return out.append(tail).toString();
  }
}

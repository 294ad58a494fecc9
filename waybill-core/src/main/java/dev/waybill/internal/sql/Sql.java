package dev.waybill.internal.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One statement of the catalogue, ready for JDBC.
 *
 * <p>{@code :name} is a parameter. {@code (:a, :b)...} is a row that is repeated as often as rows
 * are bound, for statements whose number of rows is part of their text; {@code (…)...[union all]}
 * puts those words between two of them instead of a comma.
 *
 * @param name its name in the file
 * @param head text up to the repeated row, or all of it
 * @param row text of the repeated row, empty if there is none
 * @param between what separates two of them
 * @param tail text after the repeated row
 * @param headParameters names in the order of the question marks of the head
 * @param rowParameters the same of one row
 * @param tailParameters the same of the tail
 * @param plannedAnew whether PostgreSQL is to plan it for the tables as they are, each time: it has
 *     a line {@code -- plan: anew}
 */
record Sql(
    String name,
    String head,
    String row,
    String between,
    String tail,
    List<String> headParameters,
    List<String> rowParameters,
    List<String> tailParameters,
    boolean plannedAnew) {

  static final Pattern PARAMETER = Pattern.compile("(?<![:\\w]):([a-z][a-z0-9_]*)");
  private static final Pattern BETWEEN = Pattern.compile("\\[([a-z ]+)]");
  private static final String REPEATED = "...";
  private static final Pattern PLANNED_ANEW = Pattern.compile("(?m)^-- plan: anew$");

  static Sql compile(String name, String text, Dialect dialect, Naming naming) {
    String code = Statements.rename(withoutComments(text), dialect, naming);
    List<String> head = new ArrayList<>();
    List<String> row = new ArrayList<>();
    List<String> tail = new ArrayList<>();
    boolean anew = dialect == Dialect.POSTGRES && PLANNED_ANEW.matcher(text).find();
    int end = endOfRepeatedRow(code);
    if (end < 0) {
      String all = bare(code, head);
      return new Sql(name, all, "", "", "", List.copyOf(head), List.of(), List.of(), anew);
    }
    int start = startOfRow(name, code, end);
    Matcher between = BETWEEN.matcher(code).region(end + REPEATED.length(), code.length());
    boolean words = between.lookingAt();
    return new Sql(
        name,
        bare(code.substring(0, start), head),
        bare(code.substring(start, end), row),
        words ? " " + between.group(1) + " " : ", ",
        bare(code.substring(words ? between.end() : end + REPEATED.length()), tail),
        List.copyOf(head),
        List.copyOf(row),
        List.copyOf(tail),
        anew);
  }

  /** Behind the parenthesis that three dots follow, or -1. */
  private static int endOfRepeatedRow(String text) {
    int at = SqlScanner.codeOnly(text).indexOf(")" + REPEATED);
    return at < 0 ? -1 : at + 1;
  }

  private static int startOfRow(String name, String text, int end) {
    String code = SqlScanner.codeOnly(text);
    if (code.indexOf(REPEATED, end + 1) >= 0) {
      throw new IllegalStateException("Statement " + name + " repeats more than one row");
    }
    int depth = 0;
    for (int at = end - 1; at >= 0; at--) {
      depth += code.charAt(at) == ')' ? 1 : code.charAt(at) == '(' ? -1 : 0;
      if (depth == 0) {
        return at;
      }
    }
    throw new IllegalStateException("Statement " + name + " repeats a row that never begins");
  }

  private static String withoutComments(String text) {
    StringBuilder out = new StringBuilder();
    for (SqlScanner.Piece piece : SqlScanner.scan(text)) {
      boolean dropped = piece.type() == SqlScanner.Type.COMMENT && !isHint(piece.text());
      out.append(dropped ? " " : piece.text());
    }
    return out.toString().strip();
  }

  /** What the optimizers of MySQL and of PostgreSQL's extension read. */
  private static boolean isHint(String comment) {
    return comment.startsWith("/*+");
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
      out.append(i == 0 ? "" : between).append(row);
    }
    return out.append(tail).toString();
  }
}

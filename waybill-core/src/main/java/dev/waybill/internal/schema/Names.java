package dev.waybill.internal.schema;

import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Naming;
import dev.waybill.internal.sql.SqlScanner;
import dev.waybill.internal.sql.SqlScanner.Piece;
import dev.waybill.internal.sql.Statements;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts the user's names into the text of migrations and cutovers. They need them in more places
 * than a statement of the catalogue does:
 *
 * <ul>
 *   <li>{@code waybill_…} in code and in dollar-quoted bodies: quoted and qualified;
 *   <li>{@code 'waybill_…'} in a literal: the bare name, to look it up in the database's catalogue;
 *   <li><code>'{waybill_…}'</code> in a literal: quoted and qualified, for SQL that is put together
 *       in SQL;
 *   <li><code>'{schema}'</code>: the schema as a literal;
 *   <li><code>{schema}.</code> in code: the schema before the name of an index, constraint or
 *       trigger, for the statements that want one there: dropping an index on PostgreSQL, and
 *       creating or dropping a trigger on MySQL and MariaDB.
 * </ul>
 */
record Names(Dialect dialect, Naming naming) {
  private static final String SCHEMA_LITERAL = "'{schema}'";
  private static final String SCHEMA_DOT = "{schema}.";
  private static final Pattern IN_LITERAL =
      Pattern.compile("\\{(waybill_[a-z0-9_]+)}|\\bwaybill_[a-z0-9_]+\\b");
  private static final Pattern DOLLAR_QUOTED = Pattern.compile("(?s)(\\$\\w*\\$)(.*)(\\$\\w*\\$)");

  List<String> in(List<String> statements) {
    return statements.stream().map(this::in).toList();
  }

  String in(String text) {
    StringBuilder out = new StringBuilder();
    for (Piece piece : SqlScanner.scan(text)) {
      out.append(
          piece.type() == SqlScanner.Type.QUOTED ? quoted(piece.text()) : code(piece.text()));
    }
    return Statements.rename(out.toString(), dialect, naming);
  }

  private String code(String text) {
    String schema = naming.schema();
    return text.replace(SCHEMA_DOT, schema == null ? "" : dialect.quote(schema) + ".");
  }

  private String quoted(String text) {
    Matcher dollars = DOLLAR_QUOTED.matcher(text);
    if (dollars.matches()) {
      return dollars.group(1) + in(dollars.group(2)) + dollars.group(3);
    }
    if (!text.startsWith("'")) {
      return text;
    }
    return text.equals(SCHEMA_LITERAL)
        ? schemaLiteral(naming.schema())
        : IN_LITERAL.matcher(text).replaceAll(name -> Matcher.quoteReplacement(inLiteral(name)));
  }

  private String inLiteral(MatchResult name) {
    String qualified = name.group(1);
    return qualified == null
        ? naming.rename(name.group())
        : dialect.identifier(qualified, naming).replace("'", "''");
  }

  /** Without a schema of its own a script means the one it is run in. */
  private String schemaLiteral(@Nullable String schema) {
    if (schema != null) {
      return "'" + schema.replace("'", "''") + "'";
    }
    return dialect == Dialect.POSTGRES ? "current_schema()" : "schema()";
  }
}

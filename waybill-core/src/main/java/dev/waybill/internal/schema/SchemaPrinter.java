package dev.waybill.internal.schema;

import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Naming;
import dev.waybill.internal.sql.SqlScanner;
import dev.waybill.internal.sql.Statements;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.spi.DatabaseKind;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the migrations as scripts for people and tools who apply DDL themselves. A script records
 * itself in history and fence, so that {@code check} is content afterwards.
 */
public final class SchemaPrinter {
  private static final Pattern PARAMETER = Pattern.compile(":([a-z_]+)\\b");

  private final Dialect dialect;
  private final Names names;
  private final Migrations migrations;
  private final Map<String, String> guard;
  private final StringBuilder out = new StringBuilder();

  private SchemaPrinter(Dialect dialect, Naming naming, Migrations migrations) {
    this.dialect = dialect;
    this.names = new Names(dialect, naming);
    this.migrations = migrations;
    this.guard =
        Statements.blocks(
            Statements.resource("/dev/waybill/sql/" + dialect.folder() + "/schema.sql"));
  }

  /** The script that brings a schema from one version (exclusive) to another (inclusive). */
  public static String upgrade(DatabaseKind kind, long from, long to, SchemaOptions options) {
    Dialect dialect = Dialect.of(kind);
    return upgrade(dialect, from, to, options, Migrations.ofThisRelease(dialect));
  }

  static String upgrade(
      Dialect dialect, long from, long to, SchemaOptions options, Migrations migrations) {
    if (from < 0 || to < from) {
      throw new IllegalArgumentException(
          "The range must be 0 <= from <= to, not from " + from + " to " + to);
    }
    return new SchemaPrinter(dialect, naming(options), migrations).upgrade(from, to);
  }

  /** The script that takes one migration back, its rows in history and fence included. */
  public static String undo(DatabaseKind kind, long version, SchemaOptions options) {
    Dialect dialect = Dialect.of(kind);
    return undo(dialect, version, options, Migrations.ofThisRelease(dialect));
  }

  static String undo(Dialect dialect, long version, SchemaOptions options, Migrations migrations) {
    Migration migration =
        migrations
            .find(version)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "This release has no migration "
                            + version
                            + "; it has "
                            + migrations.all().stream().map(Migration::version).toList()));
    return new SchemaPrinter(dialect, naming(options), migrations).undo(migration);
  }

  private static Naming naming(SchemaOptions options) {
    return new Naming(options.prefix(), options.schema());
  }

  private String upgrade(long from, long to) {
    List<Migration> wanted =
        migrations.all().stream().filter(m -> m.version() > from && m.version() <= to).toList();
    out.append("-- Waybill ").append(LibraryVersion.current());
    out.append(", ").append(dialect.kind().label()).append('\n');
    if (!wanted.isEmpty()) {
      statement(block("schema_history_create"));
    }
    for (Migration migration : wanted) {
      title("Migration ", migration);
      migration.statements().forEach(this::statement);
      record("schema_history_insert", migration);
      if (migration.fenced()) {
        record("schema_fence_insert", migration);
      }
      migrations.cutovers().stream()
          .filter(cutover -> cutover.version() == migration.version())
          .forEach(this::cutover);
    }
    return out.toString();
  }

  private void cutover(Cutover cutover) {
    out.append("\n-- Cutover ").append(cutover.name());
    out.append(": takes effect once no rows of the old shape are left, and can be repeated.\n");
    cutover.validate().forEach(this::statement);
  }

  /**
   * The history row is taken out last and marked first: where DDL commits by itself, a script that
   * stopped halfway leaves a dirty migration, not one that seems to be applied. The fence row stays
   * until the schema is again one that older releases can live with.
   */
  private String undo(Migration migration) {
    title("Undo of migration ", migration);
    String where = " where version = " + migration.version();
    String no = dialect == Dialect.SQLITE ? "0" : "false";
    statement("update waybill_schema_history set success = " + no + where);
    migration.undo().forEach(this::statement);
    if (migration.fenced() && migration.version() != migrations.first()) {
      statement("delete from waybill_schema_fence" + where);
    }
    statement("delete from waybill_schema_history" + where);
    return out.toString();
  }

  private void title(String what, Migration migration) {
    out.append("\n-- ").append(what).append(migration.version());
    out.append(": ").append(migration.description()).append('\n');
  }

  private void statement(String text) {
    String sql = names.in(text);
    out.append(hasBody(sql) ? "delimiter //\n" + sql + " //\ndelimiter ;\n" : sql + ";\n");
  }

  /**
   * The clients of MySQL and MariaDB cut at every semicolon unless told to look for another end.
   */
  private boolean hasBody(String sql) {
    return (dialect == Dialect.MYSQL || dialect == Dialect.MARIADB)
        && SqlScanner.scan(sql).stream()
            .anyMatch(piece -> piece.type() == SqlScanner.Type.CODE && piece.text().contains(";"));
  }

  /** The same statement that the guard uses, with literals in the place of its parameters. */
  private void record(String name, Migration migration) {
    Map<String, String> values =
        Map.of(
            "version", Long.toString(migration.version()),
            "description", literal(migration.description()),
            "checksum", literal(migration.checksum()),
            "success", dialect == Dialect.SQLITE ? "1" : "true",
            "statement", Integer.toString(migration.statements().size()),
            "duration_millis", "0",
            "library_version", literal(LibraryVersion.current()));
    String text =
        PARAMETER
            .matcher(block(name))
            .replaceAll(
                parameter ->
                    Matcher.quoteReplacement(
                        Objects.requireNonNull(
                            values.get(parameter.group(1)), parameter.group(1))));
    statement(text);
  }

  private String block(String name) {
    return Objects.requireNonNull(guard.get(name), name);
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}

package dev.waybill.internal.schema;

import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Naming;
import dev.waybill.internal.sql.Statements;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.spi.DatabaseKind;
import java.util.List;
import java.util.Map;

/**
 * Writes the migrations as scripts for people and tools who apply DDL themselves. A script records
 * itself in history and fence, so that {@code check} is content afterwards.
 */
public final class SchemaPrinter {
  private final Dialect dialect;
  private final Naming naming;
  private final Migrations migrations;
  private final Map<String, String> guard;
  private final StringBuilder out = new StringBuilder();

  private SchemaPrinter(Dialect dialect, Naming naming, Migrations migrations) {
    this.dialect = dialect;
    this.naming = naming;
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
    }
    return out.toString();
  }

  private String undo(Migration migration) {
    title("Undo of migration ", migration);
    if (migration.fenced() && migration.version() != migrations.first()) {
      statement("delete from waybill_schema_fence where version = " + migration.version());
    }
    migration.undo().forEach(this::statement);
    statement("delete from waybill_schema_history where version = " + migration.version());
    return out.toString();
  }

  private void title(String what, Migration migration) {
    out.append("\n-- ").append(what).append(migration.version());
    out.append(": ").append(migration.description()).append('\n');
  }

  private void statement(String text) {
    out.append(Statements.rename(text, dialect, naming)).append(";\n");
  }

  /** The same statement that the guard uses, with literals in the place of its parameters. */
  private void record(String name, Migration migration) {
    String text =
        block(name)
            .replaceAll(":version\\b", Long.toString(migration.version()))
            .replaceAll(":description\\b", literal(migration.description()))
            .replaceAll(":checksum\\b", literal(migration.checksum()))
            .replaceAll(":success\\b", dialect == Dialect.SQLITE ? "1" : "true")
            .replaceAll(":statement\\b", Integer.toString(migration.statements().size()))
            .replaceAll(":duration_millis\\b", "0")
            .replaceAll(":library_version\\b", literal(LibraryVersion.current()));
    statement(text);
  }

  private String block(String name) {
    return guard.getOrDefault(name, "");
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}

package dev.waybill.schema;

import dev.waybill.internal.schema.SchemaGuard;
import dev.waybill.internal.schema.SchemaPrinter;
import dev.waybill.spi.DatabaseKind;
import java.util.List;
import javax.sql.DataSource;

/**
 * The schema guard: brings the tables up to date, or refuses to run on tables it does not
 * understand. Every method can throw a {@link SchemaIncompatibleException}; its cases say what is
 * wrong and what to do.
 */
public final class Schema {
  private Schema() {}

  /** {@link #migrate(DataSource, SchemaOptions)} with the defaults. */
  public static List<Long> migrate(DataSource dataSource) {
    return migrate(dataSource, SchemaOptions.defaults());
  }

  /**
   * Applies every migration of this release that is missing and completes the cutovers. Safe to
   * call from any number of processes at once: one applies, the others wait and find it done.
   *
   * @return the versions that this call applied, in order; empty if all was done already
   */
  public static List<Long> migrate(DataSource dataSource, SchemaOptions options) {
    return SchemaGuard.of(dataSource, options).migrate();
  }

  /** {@link #check(DataSource, SchemaOptions)} with the defaults. */
  public static void check(DataSource dataSource) {
    check(dataSource, SchemaOptions.defaults());
  }

  /**
   * Throws if this release must not run on the schema as it is. Strictly read-only, on one
   * snapshot: for deployments whose DDL is applied by others.
   */
  public static void check(DataSource dataSource, SchemaOptions options) {
    SchemaGuard.of(dataSource, options).check();
  }

  /** {@link #plan(DataSource, SchemaOptions)} with the defaults. */
  public static SchemaPlan plan(DataSource dataSource) {
    return plan(dataSource, SchemaOptions.defaults());
  }

  /** What {@code migrate} would do. Throws what it would throw before changing anything. */
  public static SchemaPlan plan(DataSource dataSource, SchemaOptions options) {
    return SchemaGuard.of(dataSource, options).plan();
  }

  /** {@link #status(DataSource, SchemaOptions)} with the defaults. */
  public static SchemaStatus status(DataSource dataSource) {
    return status(dataSource, SchemaOptions.defaults());
  }

  /** Everything the guard knows, the verdict included as a value. */
  public static SchemaStatus status(DataSource dataSource, SchemaOptions options) {
    return SchemaGuard.of(dataSource, options).status();
  }

  /** {@link #print(DatabaseKind, long, long, SchemaOptions)} with the defaults. */
  public static String print(DatabaseKind kind, long from, long to) {
    return print(kind, from, to, SchemaOptions.defaults());
  }

  /**
   * The migrations above version {@code from} up to and including {@code to} as a script, for
   * Flyway, Liquibase or a person. It records itself, so that {@code check} is content afterwards.
   */
  public static String print(DatabaseKind kind, long from, long to, SchemaOptions options) {
    return SchemaPrinter.upgrade(kind, from, to, options);
  }

  /**
   * The script that takes one migration back, also one that stopped halfway. It removes the
   * migration from the history, and can be repeated until it has run to its end.
   */
  public static String printUndo(DatabaseKind kind, long version, SchemaOptions options) {
    return SchemaPrinter.undo(kind, version, options);
  }
}

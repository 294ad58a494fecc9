package dev.waybill.cli;

import dev.waybill.schema.SchemaOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which tables are meant. */
final class TableOptions {
  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      defaultValue = "waybill_",
      description = "What table names begin with (${DEFAULT-VALUE}).")
  private String prefix = "waybill_";

  @Option(
      names = "--schema",
      paramLabel = "NAME",
      description =
          "The schema (PostgreSQL) or database (MySQL, MariaDB) instead of the"
              + " connection's own.")
  private @Nullable String schema;

  SchemaOptions options() {
    return SchemaOptions.defaults().withPrefix(prefix).withSchema(schema);
  }
}

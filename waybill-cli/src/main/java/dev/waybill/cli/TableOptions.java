package dev.waybill.cli;

import dev.waybill.schema.SchemaOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Which tables are meant. */
final class TableOptions {
  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      description = "What table names begin with (waybill_).")
  private @Nullable String prefix;

  @Option(
      names = "--schema",
      paramLabel = "NAME",
      description =
          "The schema (PostgreSQL) or database (MySQL, MariaDB) instead of the"
              + " connection's own.")
  private @Nullable String schema;

  SchemaOptions options(CommandLine command) {
    Configuration configuration = Configuration.of(command);
    SchemaOptions options =
        SchemaOptions.defaults().withSchema(configuration.valueOr(schema, "schema"));
    String named = configuration.valueOr(prefix, "prefix");
    return named == null ? options : options.withPrefix(named);
  }
}

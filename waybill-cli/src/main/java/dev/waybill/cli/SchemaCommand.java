package dev.waybill.cli;

import dev.waybill.schema.Schema;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaPlan;
import dev.waybill.schema.SchemaStatus;
import dev.waybill.spi.DatabaseKind;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code waybill schema …}: the schema guard for operators. */
@Command(
    name = "schema",
    description = "Migrate, check and print the tables Waybill needs.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      SchemaCommand.Migrate.class,
      SchemaCommand.Check.class,
      SchemaCommand.Plan.class,
      SchemaCommand.Print.class,
      SchemaCommand.Status.class
    })
final class SchemaCommand extends Parent {

  /** Applies what is missing. */
  @Command(
      name = "migrate",
      description = "Apply the migrations that are missing, under a lock.",
      mixinStandardHelpOptions = true)
  static final class Migrate implements Callable<Integer> {
    @Mixin private ConnectionOptions connection = new ConnectionOptions();
    @Mixin private TableOptions tables = new TableOptions();
    @Mixin private Output output = new Output();

    @Option(
        names = "--lock-timeout",
        paramLabel = "SECONDS",
        defaultValue = "60",
        description = "How long to wait for another process that migrates (${DEFAULT-VALUE}).")
    private int lockSeconds;

    @Override
    public Integer call() {
      if (lockSeconds < 0) {
        throw new ParameterException(output.command(), "--lock-timeout must not be negative.");
      }
      return output.judged(
          () -> {
            List<Long> applied =
                Schema.migrate(
                    connection.existingOrNew(output.command()),
                    tables
                        .options(output.command())
                        .withLockTimeout(Duration.ofSeconds(lockSeconds)));
            output.show(
                applied.isEmpty() ? "The schema is up to date." : "Applied " + applied + ".",
                Map.of("verdict", "compatible", "applied", applied));
          });
    }
  }

  /** Says whether this release may run. */
  @Command(
      name = "check",
      description = "Say whether this release may run on the schema. Reads only.",
      mixinStandardHelpOptions = true)
  static final class Check implements Callable<Integer> {
    @Mixin private ConnectionOptions connection = new ConnectionOptions();
    @Mixin private TableOptions tables = new TableOptions();
    @Mixin private Output output = new Output();

    @Override
    public Integer call() {
      return output.judged(
          () -> {
            Schema.check(connection.existing(output.command()), tables.options(output.command()));
            output.show("The schema is compatible.", Map.of("verdict", "compatible"));
          });
    }
  }

  /** Shows what migrate would do. */
  @Command(
      name = "plan",
      description = "Show what migrate would do. Reads only.",
      mixinStandardHelpOptions = true)
  static final class Plan implements Callable<Integer> {
    @Mixin private ConnectionOptions connection = new ConnectionOptions();
    @Mixin private TableOptions tables = new TableOptions();
    @Mixin private Output output = new Output();

    @Override
    public Integer call() {
      return output.judged(
          () -> {
            SchemaPlan plan =
                Schema.plan(
                    connection.existing(output.command()), tables.options(output.command()));
            output.show(
                text(plan),
                Map.of(
                    "verdict",
                    "compatible",
                    "pending",
                    plan.pending().stream().map(Plan::json).toList()));
          });
    }

    private static String text(SchemaPlan plan) {
      if (plan.pending().isEmpty()) {
        return "Nothing to do: the schema is up to date.";
      }
      StringBuilder text = new StringBuilder();
      for (SchemaPlan.Step step : plan.pending()) {
        text.append("-- Migration ").append(step.version()).append(": ").append(step.description());
        text.append(step.fenced() ? " (older releases will refuse to run)\n" : "\n");
        step.statements().forEach(statement -> text.append(statement).append(";\n"));
      }
      return text.toString().stripTrailing();
    }

    private static Map<String, Object> json(SchemaPlan.Step step) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("version", step.version());
      json.put("description", step.description());
      json.put("fenced", step.fenced());
      json.put("statements", step.statements());
      return json;
    }
  }

  /** Prints the SQL for those who apply it themselves. */
  @Command(
      name = "print",
      description = "Print the migrations as SQL for Flyway, Liquibase or a person.",
      mixinStandardHelpOptions = true)
  static final class Print implements Callable<Integer> {
    @Mixin private TableOptions tables = new TableOptions();
    @Mixin private Output output = new Output();

    @ArgGroup(multiplicity = "1")
    private Target target = new Target();

    /** For which database: named, or read off a URL. */
    static final class Target {
      @Option(
          names = "--database",
          paramLabel = "KIND",
          description = "One of ${COMPLETION-CANDIDATES}.")
      private @Nullable DatabaseKind kind;

      @Option(
          names = "--url",
          paramLabel = "JDBC",
          description = "The kind of database that this URL leads to; it is not connected to.")
      private @Nullable String url;
    }

    @Option(
        names = "--from",
        paramLabel = "VERSION",
        defaultValue = "1",
        description = "The first migration to print (${DEFAULT-VALUE}).")
    private long from;

    @Option(
        names = "--to",
        paramLabel = "VERSION",
        defaultValue = "" + Long.MAX_VALUE,
        showDefaultValue = Visibility.NEVER,
        description = "The last migration to print (all).")
    private long to;

    @Option(
        names = "--undo",
        paramLabel = "VERSION",
        description = "Print the script that takes this one migration back instead.")
    private @Nullable Long undo;

    @Override
    public Integer call() {
      if (from < 1 || to < from) {
        throw new ParameterException(output.command(), "The range must be 1 <= --from <= --to.");
      }
      DatabaseKind wanted = target.kind == null ? kindOf(target.url) : target.kind;
      try {
        String sql =
            undo == null
                ? Schema.print(wanted, from - 1, to, tables.options(output.command()))
                : Schema.printUndo(wanted, undo, tables.options(output.command()));
        output.show(sql.stripTrailing(), Map.of("sql", sql));
        return ExitCode.FINE;
      } catch (IllegalArgumentException e) {
        throw new ParameterException(output.command(), e.getMessage(), e);
      }
    }

    private DatabaseKind kindOf(@Nullable String url) {
      for (DatabaseKind kind : DatabaseKind.values()) {
        if (url != null && url.startsWith("jdbc:" + kind.name().toLowerCase(Locale.ROOT) + ":")) {
          return kind;
        }
      }
      throw new ParameterException(
          output.command(),
          "The URL " + url + " does not tell the kind of database: use --database.");
    }
  }

  /** Shows every migration and the verdict. */
  @Command(
      name = "status",
      description = "Show every migration and whether this release may run. Reads only.",
      mixinStandardHelpOptions = true)
  static final class Status implements Callable<Integer> {
    @Mixin private ConnectionOptions connection = new ConnectionOptions();
    @Mixin private TableOptions tables = new TableOptions();
    @Mixin private Output output = new Output();

    @Override
    public Integer call() {
      return output.judged(
          () -> {
            SchemaStatus status =
                Schema.status(
                    connection.existing(output.command()), tables.options(output.command()));
            output.show(text(status), json(status));
          });
    }

    private static String text(SchemaStatus status) {
      StringBuilder text = new StringBuilder(status.database().label()).append('\n');
      for (SchemaStatus.Migration migration : status.migrations()) {
        text.append(
            String.format(
                "%6d  %-9s %-30s %s%n",
                migration.version(),
                migration.state().name().toLowerCase(Locale.ROOT),
                migration.description(),
                migration.appliedAt() == null
                    ? ""
                    : migration.appliedAt() + " by " + migration.appliedBy()));
      }
      return text.append(
              status
                  .verdict()
                  .map(verdict -> "[" + verdict.verdict() + "] " + verdict.getMessage())
                  .orElse("The schema is compatible."))
          .toString();
    }

    private static Map<String, Object> json(SchemaStatus status) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("database", status.database().label());
      json.put(
          "verdict",
          status.verdict().map(SchemaIncompatibleException::verdict).orElse("compatible"));
      status.verdict().ifPresent(verdict -> json.put("message", verdict.getMessage()));
      json.put("migrations", status.migrations().stream().map(Status::json).toList());
      return json;
    }

    private static Map<String, Object> json(SchemaStatus.Migration migration) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("version", migration.version());
      json.put("description", migration.description());
      json.put("state", migration.state().name().toLowerCase(Locale.ROOT));
      JobText.put(json, "applied_at", migration.appliedAt());
      Duration took = migration.duration();
      JobText.put(json, "duration_millis", took == null ? null : took.toMillis());
      JobText.put(json, "applied_by", migration.appliedBy());
      return json;
    }
  }
}

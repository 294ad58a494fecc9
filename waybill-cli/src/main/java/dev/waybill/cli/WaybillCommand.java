package dev.waybill.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code waybill}: the root of all commands. */
@Command(
    name = "waybill",
    description =
        "Ordered outbox, durable jobs and workflows in the SQL database you already have.",
    versionProvider = VersionProvider.class,
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ConsoleCommand.class,
      DeadLettersCommand.class,
      DemoCommand.class,
      DemoServiceCommand.class,
      DoctorCommand.class,
      GenerateCompletion.class,
      JobsCommand.class,
      MessagesCommand.class,
      QueuesCommand.class,
      SchedulesCommand.class,
      SchemaCommand.class,
      StatusCommand.class,
      WorkflowsCommand.class
    },
    footer = {
      "",
      "Where the database is, is said by options, by WAYBILL_URL, WAYBILL_USER,",
      "WAYBILL_PASSWORD, WAYBILL_PREFIX and WAYBILL_SCHEMA, or by a properties file",
      "with url, user, password, ...",
      "",
      "Exit codes: 0 fine, 2 wrong usage, 3 schema incompatible,",
      "4 database unreachable, 1 anything else.",
      "",
      "In a checkout, ./waybill also has test, bench and chaos."
    })
public final class WaybillCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of an error.")
  private boolean debug;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "A properties file that says where the database is.")
  private @Nullable Path config;

  private final Function<String, @Nullable String> environment;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  private WaybillCommand(Function<String, @Nullable String> environment) {
    this.environment = environment;
  }

  /** Runs a command and exits with its code. */
  public static void main(String... args) {
    System.exit(commands(System::getenv).execute(args));
  }

  /** All commands, with this environment. */
  static CommandLine commands(Function<String, @Nullable String> environment) {
    WaybillCommand root = new WaybillCommand(environment);
    return new CommandLine(root)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(new Trouble(() -> root.debug))
        .setUsageHelpAutoWidth(true);
  }

  Function<String, @Nullable String> environment() {
    return environment;
  }

  @Nullable Path config() {
    return config;
  }

  @Override
  public void run() {
    PrintWriter out = spec.commandLine().getOut();
    spec.commandLine().usage(out);
    out.flush();
  }
}

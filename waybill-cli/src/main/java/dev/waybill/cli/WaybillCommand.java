package dev.waybill.cli;

import java.io.PrintWriter;
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
      JobsCommand.class,
      QueuesCommand.class,
      SchedulesCommand.class,
      SchemaCommand.class,
      StatusCommand.class,
      WorkflowsCommand.class
    },
    footer = {
      "",
      "Exit codes: 0 fine, 2 wrong usage, 3 schema incompatible, 4 database unreachable, 1 anything else."
    })
public final class WaybillCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of an error.")
  private boolean debug;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  WaybillCommand() {}

  /** Runs a command and exits with its code. */
  public static void main(String... args) {
    System.exit(run(args));
  }

  static int run(String... args) {
    WaybillCommand root = new WaybillCommand();
    return new CommandLine(root)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(new Trouble(() -> root.debug))
        .setUsageHelpAutoWidth(true)
        .execute(args);
  }

  @Override
  public void run() {
    PrintWriter out = spec.commandLine().getOut();
    spec.commandLine().usage(out);
    out.flush();
  }
}

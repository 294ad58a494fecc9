package dev.waybill.cli;

import dev.waybill.cli.demo.Settings;
import dev.waybill.cli.demo.Supervisor;
import dev.waybill.cli.demo.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code waybill demo}: shows what Waybill does, kills it half-way, and verifies the outcome. */
@Command(
    name = "demo",
    description = {
      "See it work: an order service on an embedded SQLite, or on your own database.",
      "It is killed half-way; then all that was committed is compared with all that arrived."
    },
    mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private Output output = new Output();

  @Option(
      names = "--seconds",
      defaultValue = "20",
      paramLabel = "N",
      description = "How long orders are placed (default: 20).")
  private int seconds;

  @Option(
      names = "--rate",
      defaultValue = "100",
      paramLabel = "N",
      description = "Orders per second (default: 100).")
  private int rate;

  @Option(
      names = "--db",
      paramLabel = "JDBC",
      description = "Another database than an embedded SQLite. Tables demo_* are made there.")
  private @Nullable String url;

  @Option(names = "--user", paramLabel = "NAME", description = "The database user.")
  private @Nullable String user;

  @Option(
      names = "--password-env",
      paramLabel = "VARIABLE",
      description = "The environment variable that holds the password.")
  private @Nullable String passwordVariable;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Keep the database and the list of shipments in this folder.")
  private @Nullable Path keep;

  @Option(names = "--no-console", description = "Without the web console.")
  private boolean noConsole;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  DemoCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException, SQLException {
    if (seconds < 2 || rate < 1) {
      throw new ParameterException(
          spec.commandLine(), "The demo needs at least 2 seconds and 1 order per second.");
    }
    Path folder =
        keep == null ? Files.createTempDirectory("waybill-demo") : Files.createDirectories(keep);
    Thread interrupted = new Thread(() -> forget(folder));
    Runtime.getRuntime().addShutdownHook(interrupted);
    try {
      String database = url == null ? "jdbc:sqlite:" + folder.resolve("demo.db") : url;
      var settings =
          new Settings(
              database, user, passwordVariable, folder, rate, Long.toHexString(System.nanoTime()));
      String password =
          passwordVariable == null
              ? null
              : Configuration.of(spec.commandLine()).secret(passwordVariable, "--password-env");
      var supervisor =
          new Supervisor(
              settings,
              new DriverDataSource(database, user, password),
              seconds,
              !noConsole,
              output.aside(),
              Ansi.AUTO.enabled() && !output.isJson());
      Verdict verdict = supervisor.run();
      if (output.isJson()) {
        output.show("", verdict.document());
      }
      return verdict.isRight() ? ExitCode.FINE : ExitCode.TROUBLE;
    } finally {
      forget(folder);
    }
  }

  /** Also when somebody has seen enough: then what a child still writes may be left. */
  private void forget(Path folder) {
    if (keep != null || !Files.exists(folder)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(folder)) {
      paths.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      spec.commandLine().getErr().println("waybill: " + folder + " could not be deleted.");
    }
  }
}

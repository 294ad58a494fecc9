package dev.waybill.chaos;

import dev.waybill.testkit.DatabaseProduct;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code waybill chaos}. */
@Command(
    name = "waybill chaos",
    description =
        "Hurts processes, connections and servers of its own while messages flow, and checks"
            + " afterwards that the history is as promised.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "It goes on until time, faults and messages are all reached, on each database.",
      "Exit codes: 0 fine, 1 a promise was broken or messages stood still, 2 wrong usage."
    })
public final class ChaosCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "At least so long on each database. Default: ${DEFAULT-VALUE}.")
  private double minutes = 5;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Repeats the faults of an earlier run, in their order. Default: by chance.")
  private @Nullable Long seed;

  @Option(
      names = "--db",
      split = ",",
      paramLabel = "DB",
      description = "postgres, mariadb, mysql, sqlite. Default: all of them.")
  private List<String> databases = List.of("postgres", "mariadb", "mysql", "sqlite");

  @Option(
      names = "--faults",
      paramLabel = "N",
      description = "At least so many. Default: ${DEFAULT-VALUE}.")
  private int faults = 200;

  @Option(
      names = "--messages",
      paramLabel = "N",
      description = "At least so many committed. Default: ${DEFAULT-VALUE}.")
  private long messages = 200_000;

  @Option(
      names = "--processes",
      paramLabel = "N",
      description = "How many at a time; SQLite has one. Default: ${DEFAULT-VALUE}.")
  private int processes = 3;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  ChaosCommand() {}

  /** Runs the command and exits with its code. */
  public static void main(String... args) {
    System.exit(run(args));
  }

  static int run(String... args) {
    return new CommandLine(new ChaosCommand()).setUsageHelpAutoWidth(true).execute(args);
  }

  @Override
  public Integer call() throws Exception {
    if (minutes < 0 || faults < 0 || messages < 0 || processes < 2) {
      throw new ParameterException(
          spec.commandLine(), "Less than nothing is not possible, nor fewer than two processes");
    }
    List<DatabaseProduct> products = databases.stream().map(this::product).toList();
    long chosen = seed != null ? seed : new Random().nextInt(Integer.MAX_VALUE);
    PrintStream out = System.out;
    out.println("Seed " + chosen);
    boolean fine = true;
    for (DatabaseProduct product : products) {
      fine &= isFine(out, settings(product, chosen));
    }
    return fine ? 0 : 1;
  }

  private Settings settings(DatabaseProduct product, long chosen) {
    return new Settings(
        product,
        chosen,
        Duration.ofMillis(Math.round(minutes * 60_000)),
        faults,
        messages,
        product == DatabaseProduct.SQLITE ? 1 : processes);
  }

  private static boolean isFine(PrintStream out, Settings settings) throws Exception {
    Path folder = Files.createTempDirectory("waybill-chaos");
    Progress progress = new Progress(out, Boolean.getBoolean("waybill.terminal"));
    boolean fine = false;
    try (Storm storm = new Storm(settings, folder)) {
      Report report = storm.run(progress);
      progress.end();
      out.print(report.text());
      fine = report.isFine();
    } catch (Storm.StandStill | AssertionError e) {
      progress.end();
      out.println(settings.product() + ": " + e.getMessage() + ", seed " + settings.seed());
    }
    if (fine) {
      delete(folder);
    } else {
      out.println("  what the processes wrote is in " + folder);
    }
    return fine;
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  private DatabaseProduct product(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "postgres", "postgresql" -> DatabaseProduct.POSTGRESQL;
      case "mariadb" -> DatabaseProduct.MARIADB;
      case "mysql" -> DatabaseProduct.MYSQL;
      case "sqlite" -> DatabaseProduct.SQLITE;
      default -> throw new ParameterException(spec.commandLine(), "No such database: " + name);
    };
  }
}

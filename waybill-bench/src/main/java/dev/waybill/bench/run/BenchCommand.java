package dev.waybill.bench.run;

import dev.waybill.bench.contender.Contenders;
import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.report.DocsPage;
import dev.waybill.bench.report.HtmlReport;
import dev.waybill.bench.report.Results;
import dev.waybill.bench.report.Summary;
import dev.waybill.bench.report.TextTable;
import dev.waybill.bench.scenario.Scale;
import dev.waybill.bench.scenario.Scenario;
import dev.waybill.bench.scenario.Scenarios;
import dev.waybill.testkit.DatabaseProduct;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code waybill bench}. */
@Command(
    name = "waybill bench",
    description = "Measures Waybill beside its peers, on durable servers of its own or on yours.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {"", "Exit codes: 0 fine, 1 a contender failed or broke its promise, 2 wrong usage."})
public final class BenchCommand implements Callable<Integer> {
  private static final List<String> HEADLINES = List.of("S1", "S2", "S4");

  @Spec private CommandSpec spec;

  @Option(
      names = "--quick",
      description = "The headline table in less than five minutes: S1, S2 and S4, short runs.")
  private boolean quick;

  @Option(
      names = "--scenario",
      split = ",",
      paramLabel = "S1",
      description = "Which scenarios, such as S1,S2. Default: all. See --list.")
  private List<String> scenarios = List.of();

  @Option(
      names = "--contender",
      split = ",",
      paramLabel = "NAME",
      description = "Which contenders, by the beginnings of their names. Default: all that apply.")
  private List<String> contenders = List.of();

  @Option(
      names = "--db",
      split = ",",
      paramLabel = "DB",
      description = "postgres, mariadb, mysql or sqlite. Default: postgres.")
  private List<String> databases = List.of("postgres");

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "A server of yours, such as jdbc:postgresql://host/db?user=u&password=p. The user must"
              + " be allowed to create databases.")
  private @Nullable String url;

  @Option(names = "--repetitions", paramLabel = "N", description = "Default: 3; 1 if --quick.")
  private @Nullable Integer repetitions;

  @Option(
      names = "--scale",
      paramLabel = "SCALE",
      description = "tiny, quick or full. Default: full; quick if --quick.")
  private @Nullable String scale;

  @Option(
      names = "--accept-noise",
      description = "Do not wait for a quiet machine, and do not repeat disturbed runs.")
  private boolean acceptNoise;

  @Option(names = "--json", paramLabel = "FILE", description = "Write all results.")
  private @Nullable Path json;

  @Option(names = "--html", paramLabel = "FILE", description = "Write a report with plots.")
  private @Nullable Path html;

  @Option(names = "--docs", paramLabel = "FILE", description = "Write the documentation's page.")
  private @Nullable Path docs;

  @Option(
      names = "--from",
      split = ",",
      paramLabel = "FILE",
      description =
          "Measure nothing: make the reports from results written with --json, of one run or"
              + " several.")
  private List<Path> from = List.of();

  @Option(
      names = "--micro",
      description = "Measure only the hot parts that need no database: time and bytes allocated.")
  private boolean micro;

  @Option(names = "--list", description = "List scenarios and contenders.")
  private boolean list;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  BenchCommand() {}

  /** Runs the command and exits with its code. */
  public static void main(String... args) {
    System.exit(run(args));
  }

  static int run(String... args) {
    return new CommandLine(new BenchCommand())
        .setUsageHelpAutoWidth(true)
        .setParameterExceptionHandler(
            (e, wrong) -> {
              e.getCommandLine().getErr().println(e.getMessage());
              return CommandLine.ExitCode.USAGE;
            })
        .execute(args);
  }

  @Override
  public Integer call() throws Exception {
    PrintStream out = System.out;
    if (list) {
      list(out);
      return 0;
    }
    if (micro) {
      Micro.run(out);
      return 0;
    }
    Results results = from.isEmpty() ? measured(out) : Results.read(from);
    out.print(TextTable.of(new Summary(results.results())));
    write(results);
    return results.results().stream().anyMatch(result -> result.failure() != null) ? 1 : 0;
  }

  private Results measured(PrintStream out) throws Exception {
    Wish wish = wish();
    List<Heat> heats = quick ? Plan.quick(wish) : Plan.full(wish);
    try (Servers servers = new Servers(url)) {
      Progress progress = new Progress(out, Boolean.getBoolean("waybill.terminal"), heats);
      return new Bench(servers, wish.scale(), acceptNoise).run(heats, progress);
    }
  }

  private Wish wish() {
    Scale size = scale();
    if (repetitions != null && repetitions < 1) {
      throw new ParameterException(spec.commandLine(), "--repetitions must be 1 or more.");
    }
    List<String> ids = scenarios.isEmpty() && quick ? HEADLINES : scenarios;
    return new Wish(
        ids.isEmpty() ? Scenarios.all() : ids.stream().map(this::scenario).toList(),
        contenders.isEmpty()
            ? Contenders.all()
            : contenders.stream().flatMap(name -> contenders(name).stream()).distinct().toList(),
        !contenders.isEmpty(),
        url == null ? databases.stream().map(this::product).toList() : List.of(productOf(url)),
        url != null,
        repetitions != null ? repetitions : quick ? 1 : 3,
        size);
  }

  private Scale scale() {
    try {
      return Scale.named(scale != null ? scale : quick ? "quick" : "full");
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /** A server of the user's is one product's. */
  private DatabaseProduct productOf(String address) {
    String[] parts = address.split(":", 3);
    if (parts.length < 3 || !parts[0].equals("jdbc") || parts[1].equals("sqlite")) {
      throw new ParameterException(
          spec.commandLine(), "--url must be of a server, such as jdbc:postgresql://host/db");
    }
    return product(parts[1]);
  }

  private Scenario scenario(String id) {
    try {
      return Scenarios.named(id);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private List<Entry> contenders(String name) {
    try {
      return Contenders.named(name);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
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

  private void write(Results results) throws IOException {
    if (json != null) {
      results.write(json);
    }
    if (html != null) {
      Files.writeString(html, HtmlReport.of(results), StandardCharsets.UTF_8);
    }
    if (docs != null) {
      Files.writeString(docs, DocsPage.of(results), StandardCharsets.UTF_8);
    }
  }

  private static void list(PrintStream out) {
    Scenarios.all().forEach(each -> out.printf("%-4s %s%n", each.id(), each.title()));
    out.println();
    Contenders.all()
        .forEach(each -> out.printf("%-22s %s, %s%n", each.name(), each.what(), each.promise()));
  }
}

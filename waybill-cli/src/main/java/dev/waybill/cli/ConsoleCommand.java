package dev.waybill.cli;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.Waybill;
import dev.waybill.console.Console;
import dev.waybill.console.ConsoleException;
import dev.waybill.console.ConsoleOptions;
import dev.waybill.console.Principal;
import dev.waybill.console.Role;
import dev.waybill.job.JobsBuilder;
import dev.waybill.outbox.OutboxBuilder;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code waybill console}: the web console for a database, in a process of its own. */
@Command(
    name = "console",
    description = {
      "Open the web console for a database.",
      "It listens on the loopback address and is entered with a token, which the printed link has."
    },
    mixinStandardHelpOptions = true)
final class ConsoleCommand implements Callable<Integer> {
  private static final int CONNECTIONS = 4;

  @Spec private CommandSpec spec;
  @Mixin private ConnectionOptions connection = new ConnectionOptions();
  @Mixin private TableOptions tables = new TableOptions();
  @Mixin private Output output = new Output();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Listen on this port (${DEFAULT-VALUE}); 0 for a free one.")
  private int port = ConsoleOptions.DEFAULT_PORT;

  @Option(
      names = "--address",
      paramLabel = "ADDRESS",
      description = "Listen on this address instead of the loopback one.")
  private @Nullable InetAddress address;

  @Option(
      names = "--path",
      paramLabel = "PATH",
      defaultValue = "",
      description = "Live under this path, such as /ops/waybill.")
  private String path = "";

  @Option(
      names = "--allow-host",
      paramLabel = "NAME",
      description = "Answer under this host name, too: for a console behind a proxy.")
  private List<String> hosts = List.of();

  @Option(
      names = "--token-env",
      paramLabel = "VARIABLE",
      description = "The environment variable that holds the token. Default: a random token.")
  private @Nullable String tokenVariable;

  @Option(names = "--read-only", description = "Whoever has the token may look, not operate.")
  private boolean readOnly;

  @Option(names = "--payloads", description = "Show payloads, outputs, keys and headers.")
  private boolean payloads;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  ConsoleCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    // Small answers should not wait for the acknowledgement of their headers.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    String token = token();
    HikariConfig config = new HikariConfig();
    config.setDataSource(connection.existing(spec.commandLine()));
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(0);
    try (HikariDataSource pool = new HikariDataSource(config);
        Waybill waybill = waybill(pool);
        Console console = Console.start(waybill, options(token))) {
      String link = console.address() + (tokenVariable == null ? "#token=" + token : "");
      output.show("Open " + link + " and end with Ctrl-C.", document(console, token));
      untilInterrupted();
    } catch (ConsoleException.Unprotected | ConsoleException.InvalidOption e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    return ExitCode.FINE;
  }

  /** Without a token that the user gave: he has it. */
  private Map<String, Object> document(Console console, String token) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("address", console.address().toString());
    if (tokenVariable == null) {
      document.put("token", token);
    }
    return document;
  }

  private Waybill waybill(HikariDataSource pool) {
    return Waybill.builder(pool)
        .schema(tables.options(spec.commandLine()))
        .outbox(OutboxBuilder::withoutWorkers)
        .jobs(JobsBuilder::withoutWorkers)
        .workflows(workflows -> {})
        .start();
  }

  private ConsoleOptions options(String token) {
    ConsoleOptions options =
        ConsoleOptions.defaults()
            .port(port)
            .path(path)
            .token(token, new Principal("operator", readOnly ? Role.VIEW : Role.OPERATE));
    if (address != null) {
      options.address(address);
    }
    hosts.forEach(options::allowHost);
    return payloads ? options.payloads((place, text) -> text) : options;
  }

  private String token() {
    if (tokenVariable == null) {
      byte[] random = new byte[24];
      new SecureRandom().nextBytes(random);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }
    return Configuration.of(spec.commandLine()).secret(tokenVariable, "--token-env");
  }

  /** The JVM ends by its own hook when the process is told to; then everything is closed first. */
  private static void untilInterrupted() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    Thread main = Thread.currentThread();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  end.countDown();
                  try {
                    main.join(15_000);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
    end.await();
  }
}

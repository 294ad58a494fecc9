package dev.waybill.cli;

import dev.waybill.cli.demo.OrderService;
import dev.waybill.cli.demo.Settings;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The process that the demo starts and kills. */
@Command(name = "demo-service", hidden = true, description = "A part of the demo.")
final class DemoServiceCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--url", required = true)
  private String url;

  @Option(names = "--user")
  private @Nullable String user;

  @Option(names = "--password-env")
  private @Nullable String passwordVariable;

  @Option(names = "--folder", required = true)
  private Path folder;

  @Option(names = "--rate", required = true)
  private int rate;

  @Option(names = "--run", required = true)
  private String run;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  DemoServiceCommand() {}

  @Override
  public Integer call() throws Exception {
    String password =
        passwordVariable == null
            ? null
            : Configuration.of(spec.commandLine()).secret(passwordVariable, "--password-env");
    new OrderService(
            new Settings(url, user, passwordVariable, folder, rate, run),
            new DriverDataSource(url, user, password),
            System.out)
        .run();
    return ExitCode.FINE;
  }
}

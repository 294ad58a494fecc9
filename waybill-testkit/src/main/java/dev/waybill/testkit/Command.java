package dev.waybill.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program that runs to its end before a server can start. */
final class Command {

  private static final int SECONDS = 120;
  private static final File NOTHING = new File("/dev/null");

  private final ServerProgram server;
  private final ProcessBuilder builder;

  Command(ServerProgram server, List<String> command) {
    this.server = server;
    this.builder = new ProcessBuilder(command).redirectInput(NOTHING).redirectErrorStream(true);
  }

  /**
   * Servers refuse to run as root. In a user namespace of its own, root is nobody in particular,
   * and still owns its files.
   */
  static List<String> asServerUser(List<String> command) throws IOException {
    if (!Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
      return command;
    }
    List<String> wrapped = new ArrayList<>(List.of("unshare", "-U"));
    wrapped.addAll(command);
    return wrapped;
  }

  Command asServerUser() throws IOException {
    builder.command(asServerUser(builder.command()));
    return this;
  }

  Command with(Map<String, String> environment) {
    builder.environment().putAll(environment);
    return this;
  }

  Command readingFrom(Path input) {
    builder.redirectInput(input.toFile());
    return this;
  }

  void run(Path log) throws IOException {
    int status = status(builder.redirectOutput(log.toFile()));
    if (status != 0) {
      throw new ServerFailure(
          server.edition(), "%s ended with %d".formatted(builder.command(), status), log);
    }
  }

  boolean succeeds() throws IOException {
    return status(builder.redirectOutput(NOTHING)) == 0;
  }

  private int status(ProcessBuilder ready) throws IOException {
    Process process = ready.start();
    try {
      if (process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        return process.exitValue();
      }
      process.destroyForcibly();
      throw new ServerFailure(
          server.edition(), "%s took more than %d s".formatted(ready.command(), SECONDS));
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while waiting for " + ready.command(), e);
    }
  }
}

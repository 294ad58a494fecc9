package dev.waybill.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs the jar that people run, or the launcher, and keeps what it said. */
record Cli(int exit, String out, String err) {
  static Cli jar(Map<String, String> environment, String... args)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                Path.of("target", "waybill.jar").toString()));
    command.addAll(List.of(args));
    return run(new ProcessBuilder(command), environment);
  }

  static Cli run(ProcessBuilder builder, Map<String, String> environment)
      throws IOException, InterruptedException {
    builder.environment().putAll(environment);
    Path out = Files.createTempFile("waybill-cli", ".out");
    Path err = Files.createTempFile("waybill-cli", ".err");
    try {
      Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      process.getOutputStream().close();
      if (!process.waitFor(120, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("Still running after two minutes: " + builder.command());
      }
      return new Cli(
          process.exitValue(),
          Files.readString(out, StandardCharsets.UTF_8),
          Files.readString(err, StandardCharsets.UTF_8));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }
}

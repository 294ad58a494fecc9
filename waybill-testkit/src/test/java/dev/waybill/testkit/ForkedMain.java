package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The main method of a class, run in a JVM of its own that prints one line. */
final class ForkedMain implements AutoCloseable {

  private final Process process;
  private final BufferedReader output;

  private ForkedMain(Process process) {
    this.process = process;
    this.output = process.inputReader();
  }

  static ForkedMain start(
      Class<?> main, Map<String, String> properties, Map<String, String> environment)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    return new ForkedMain(builder.start());
  }

  String line() throws IOException {
    String line = output.readLine();
    assertThat(line).as("what the forked JVM prints").isNotNull();
    return line;
  }

  String rest() {
    return String.join("\n", output.lines().toList());
  }

  void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    kill();
  }
}

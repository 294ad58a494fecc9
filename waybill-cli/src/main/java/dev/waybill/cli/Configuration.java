package dev.waybill.cli;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * What was not said as an option: variables of the environment ({@code WAYBILL_URL} for {@code
 * --url}), then the properties file of {@code --config} ({@code url}). Secrets come from there
 * alone, for everyone on a machine sees the arguments of its processes.
 */
final class Configuration {
  private static final List<String> KEYS = List.of("url", "user", "password", "prefix", "schema");

  private final CommandLine command;
  private final Function<String, @Nullable String> environment;
  private final Properties file;

  private Configuration(CommandLine command, WaybillCommand root) {
    this.command = command;
    this.environment = root.environment();
    Path path = root.config();
    this.file = path == null ? new Properties() : read(path);
  }

  static Configuration of(CommandLine command) {
    return new Configuration(
        command, (WaybillCommand) command.getCommandSpec().root().userObject());
  }

  private Properties read(Path path) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw wrong("The file " + path + " (--config) cannot be read: " + e + ".");
    }
    Set<String> unknown = new TreeSet<>(properties.stringPropertyNames());
    unknown.removeAll(KEYS);
    if (!unknown.isEmpty()) {
      throw wrong(
          "The file "
              + path
              + " (--config) has "
              + unknown
              + "; what it may have is "
              + KEYS
              + ".");
    }
    return properties;
  }

  /** What was given, or else what is configured. */
  @Nullable String valueOr(@Nullable String given, String key) {
    if (given != null) {
      return given;
    }
    String variable = environment.apply("WAYBILL_" + key.toUpperCase(Locale.ROOT));
    return variable != null ? variable : file.getProperty(key);
  }

  /** The secret in the variable that an option names. */
  String secret(String variable, String option) {
    String value = environment.apply(variable);
    if (value == null) {
      throw wrong("The environment variable " + variable + " (" + option + ") is not set.");
    }
    return value;
  }

  private ParameterException wrong(String why) {
    return new ParameterException(command, why);
  }
}

package dev.waybill.cli;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** How to reach the database. */
final class ConnectionOptions {
  private static final String SQLITE = "jdbc:sqlite:";

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--url",
      required = true,
      paramLabel = "JDBC",
      description = "For example jdbc:postgresql://localhost/shop or jdbc:sqlite:shop.db.")
  private String url;

  @Option(names = "--user", paramLabel = "NAME", description = "The database user.")
  private @Nullable String user;

  @Option(
      names = "--password-env",
      paramLabel = "VARIABLE",
      description = "The environment variable that holds the password.")
  private @Nullable String passwordVariable;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  ConnectionOptions() {}

  /** For commands that only look: a SQLite file that is not there is not made. */
  DataSource existing() {
    Path file = sqliteFile();
    if (file != null && !Files.exists(file)) {
      throw new DatabaseException(
          Kind.DISCONNECTED, "There is no SQLite database at " + file + ".", null);
    }
    return dataSource();
  }

  /** For commands that may make the database: a SQLite file's folder is made if missing. */
  DataSource existingOrNew() {
    Path file = sqliteFile();
    if (file != null && file.toAbsolutePath().getParent() != null) {
      try {
        Files.createDirectories(file.toAbsolutePath().getParent());
      } catch (IOException e) {
        throw new UncheckedIOException("The folder of " + file + " cannot be made", e);
      }
    }
    return dataSource();
  }

  private @Nullable Path sqliteFile() {
    String file = url.startsWith(SQLITE) ? url.substring(SQLITE.length()) : "";
    int query = file.indexOf('?');
    String path = query < 0 ? file : file.substring(0, query);
    return path.isEmpty() || path.startsWith(":") || path.startsWith("file:")
        ? null
        : Path.of(path);
  }

  private DataSource dataSource() {
    if (!DriverDataSource.knows(url)) {
      throw new ParameterException(
          spec.commandLine(),
          "No driver for "
              + url
              + ": it must begin with jdbc:postgresql:, jdbc:mariadb:, jdbc:mysql: or jdbc:sqlite:.");
    }
    return new DriverDataSource(url, user, password());
  }

  private @Nullable String password() {
    if (passwordVariable == null) {
      return null;
    }
    String password = System.getenv(passwordVariable);
    if (password == null) {
      throw new ParameterException(
          spec.commandLine(),
          "The environment variable " + passwordVariable + " (--password-env) is not set.");
    }
    return password;
  }
}

package dev.waybill.cli;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** How to reach the database. */
final class ConnectionOptions {
  private static final String SQLITE = "jdbc:sqlite:";

  @Option(
      names = "--url",
      paramLabel = "JDBC",
      description = "For example jdbc:postgresql://localhost/shop or jdbc:sqlite:shop.db.")
  private @Nullable String url;

  @Option(names = "--user", paramLabel = "NAME", description = "The database user.")
  private @Nullable String user;

  @Option(
      names = "--password-env",
      paramLabel = "VARIABLE",
      description = "The environment variable that holds the password.")
  private @Nullable String passwordVariable;

  /** For commands that only look: a SQLite file that is not there is not made. */
  DataSource existing(CommandLine command) {
    String url = url(command);
    Path file = sqliteFile(url);
    if (file != null && !Files.exists(file)) {
      throw new DatabaseException(
          Kind.DISCONNECTED, "There is no SQLite database at " + file + ".", null);
    }
    return dataSource(command, url);
  }

  /** For commands that may make the database: a SQLite file's folder is made if missing. */
  DataSource existingOrNew(CommandLine command) {
    String url = url(command);
    Path file = sqliteFile(url);
    if (file != null && file.toAbsolutePath().getParent() != null) {
      try {
        Files.createDirectories(file.toAbsolutePath().getParent());
      } catch (IOException e) {
        throw new UncheckedIOException("The folder of " + file + " cannot be made", e);
      }
    }
    return dataSource(command, url);
  }

  private String url(CommandLine command) {
    String found = Configuration.of(command).valueOr(url, "url");
    if (found == null) {
      throw new ParameterException(
          command,
          "Where is the database? Say --url JDBC, or set WAYBILL_URL, or give --config FILE.");
    }
    return found;
  }

  private static @Nullable Path sqliteFile(String url) {
    String file = url.startsWith(SQLITE) ? url.substring(SQLITE.length()) : "";
    int query = file.indexOf('?');
    String path = query < 0 ? file : file.substring(0, query);
    return path.isEmpty() || path.startsWith(":") || path.startsWith("file:")
        ? null
        : Path.of(path);
  }

  private DataSource dataSource(CommandLine command, String url) {
    if (!DriverDataSource.knows(url)) {
      throw new ParameterException(
          command,
          "No driver for "
              + url
              + ": it must begin with jdbc:postgresql:, jdbc:mariadb:, jdbc:mysql: or jdbc:sqlite:.");
    }
    Configuration configuration = Configuration.of(command);
    return new DriverDataSource(
        url,
        configuration.valueOr(user, "user"),
        passwordVariable == null
            ? configuration.valueOr(null, "password")
            : configuration.secret(passwordVariable, "--password-env"));
  }
}

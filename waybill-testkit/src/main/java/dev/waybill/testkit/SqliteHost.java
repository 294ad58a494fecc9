package dev.waybill.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates SQLite files, each in a folder of its own because SQLite puts others beside it. */
final class SqliteHost implements DatabaseHost {

  private static final String PARAMETERS =
      "?busy_timeout=5000&transaction_mode=IMMEDIATE&journal_mode=WAL";

  private final String label;
  private final Path parent;

  private SqliteHost(String label, Path parent) {
    this.label = label;
    this.parent = parent;
  }

  static SqliteHost inServersFolder(String label) {
    return new SqliteHost(label, BuildServers.serversFolder());
  }

  @Override
  public TestDatabase create() {
    try {
      Path folder = Files.createTempDirectory(Files.createDirectories(parent), "sqlite-");
      String url = "jdbc:sqlite:" + folder.resolve("waybill.db") + PARAMETERS;
      return new TestDatabase(
          this,
          label,
          folder.getFileName().toString(),
          new DatabaseAddress(DatabaseProduct.SQLITE, url, "", ""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void drop(String name) {
    try {
      Folders.delete(parent.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

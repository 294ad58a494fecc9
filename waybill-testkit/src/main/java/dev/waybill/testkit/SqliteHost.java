package dev.waybill.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Creates SQLite files, each in a folder of its own because SQLite puts others beside it. */
final class SqliteHost implements DatabaseHost {

  private static final String FILE = "waybill.db";
  private static final String PARAMETERS =
      "?busy_timeout=5000&transaction_mode=IMMEDIATE&journal_mode=WAL";
  private static final Map<Preparation, byte[]> PREPARED = new ConcurrentHashMap<>();

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
      return in(newFolder());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public TestDatabase create(Preparation preparation) {
    try {
      Path folder = newFolder();
      Files.write(
          folder.resolve(FILE), PREPARED.computeIfAbsent(preparation, this::fileAfterwards));
      return in(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Complete once the last connection is closed. */
  private byte[] fileAfterwards(Preparation preparation) {
    try (TestDatabase database = create()) {
      preparation.prepare(database);
      return Files.readAllBytes(parent.resolve(database.name()).resolve(FILE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path newFolder() throws IOException {
    return Files.createTempDirectory(Files.createDirectories(parent), "sqlite-");
  }

  private TestDatabase in(Path folder) {
    String url = "jdbc:sqlite:" + folder.resolve(FILE) + PARAMETERS;
    return new TestDatabase(
        this,
        label,
        folder.getFileName().toString(),
        new DatabaseAddress(DatabaseProduct.SQLITE, url, "", ""));
  }

  @Override
  public boolean isUsers() {
    return false;
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

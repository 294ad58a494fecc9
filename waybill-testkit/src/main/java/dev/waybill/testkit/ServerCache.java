package dev.waybill.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/** Unpacked servers and initialised data folders, kept for the user's next builds. */
final class ServerCache {

  private final Path root;

  ServerCache(Path root) {
    this.root = root;
  }

  static ServerCache ofThisUser() {
    Path caches =
        Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
            .filter(folder -> !folder.isBlank())
            .map(Path::of)
            .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"));
    return new ServerCache(caches.resolve("waybill-testkit"));
  }

  Path home(ServerProgram program) throws IOException {
    return entry(program.name(), program::unpack);
  }

  Path template(ServerProgram program) throws IOException {
    Path home = home(program);
    String settings = Integer.toHexString(program.settings().hashCode());
    Path entry =
        entry(
            program.name() + "-data-" + settings,
            folder -> program.initialise(home, folder.resolve("data")));
    return entry.resolve("data");
  }

  /** A folder that is either absent or complete, however many JVMs want it at once. */
  Path entry(String name, Filling filling) throws IOException {
    Path entry = root.resolve(name);
    if (Files.isDirectory(entry)) {
      return entry;
    }
    return FileLocks.holding(
        root.resolve(name + ".lock"),
        () -> {
          if (!Files.isDirectory(entry)) {
            Path beside = root.resolve(name + ".unfinished");
            Folders.delete(beside);
            filling.fill(Files.createDirectory(beside));
            Files.move(beside, entry, StandardCopyOption.ATOMIC_MOVE);
          }
          return entry;
        });
  }

  interface Filling {
    void fill(Path folder) throws IOException;
  }
}

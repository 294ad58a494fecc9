package dev.waybill.testkit;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One at a time, across threads and JVMs. */
final class FileLocks {

  private FileLocks() {}

  /** Threads of one JVM share a file lock, hence the monitor as well. */
  static synchronized <T> T holding(Path lockFile, Work<T> work) throws IOException {
    Files.createDirectories(lockFile.toAbsolutePath().getParent());
    try (FileChannel channel =
        FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.lock();
      return work.run();
    }
  }

  interface Work<T> {
    T run() throws IOException;
  }
}

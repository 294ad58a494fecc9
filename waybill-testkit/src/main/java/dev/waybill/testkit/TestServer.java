package dev.waybill.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.opentest4j.TestAbortedException;

/**
 * A server of a test's own, for tests that hurt it. Keeps port and data through all of it, and is
 * gone when closed, or with the test JVM.
 */
public final class TestServer implements AutoCloseable {

  private static final AtomicInteger COUNT = new AtomicInteger();

  private final ServerProgram program;
  private final Path folder;
  private final WatchedProcess watched = WatchedProcess.ofThisJvm();
  private ServerProcess process;
  private @Nullable TestDatabase database;

  private TestServer(ServerProgram program, Path folder) throws IOException {
    this.program = program;
    this.folder = folder;
    this.process = ServerProcess.startNew(program, folder, watched);
  }

  /**
   * Starts a new server of this product; SQLite has none. It is ours also where tests run on a
   * server of the user's own, which nobody hurts; if ours cannot start there, the test is left out.
   */
  public static TestServer own(DatabaseProduct product) {
    return started(Edition.newest(product), program -> program);
  }

  /** Like {@link #own}, with buffers and logs of a size that production would have. */
  public static TestServer roomy(DatabaseProduct product) {
    return started(Edition.newest(product), RoomyProgram::new);
  }

  /** Like {@link #own}, in a new folder below this one: on a small disk, perhaps. */
  public static TestServer in(Path parent, DatabaseProduct product) {
    return started(Edition.newest(product), program -> program, parent);
  }

  private static TestServer started(Edition edition, UnaryOperator<ServerProgram> variant) {
    return started(
        edition,
        variant,
        BuildServers.serversFolder().resolve(WatchedProcess.ofThisJvm().toString()));
  }

  /** Whoever brings a server because ours cannot run has none for tests that hurt it. */
  private static TestServer started(
      Edition edition, UnaryOperator<ServerProgram> variant, Path parent) {
    edition.whyNoneToHurt().ifPresent(Assumptions::abort);
    Path folder = parent.resolve(edition.id() + "-" + COUNT.incrementAndGet());
    try {
      return started(edition, variant.apply(edition.program()), folder);
    } catch (ServerFailure e) {
      if (edition.isUsers()) {
        throw new TestAbortedException(edition.noneToHurt(e.why()), e);
      }
      throw e;
    }
  }

  private static TestServer started(Edition edition, ServerProgram program, Path folder) {
    try {
      return new TestServer(program, Files.createDirectories(folder).toRealPath());
    } catch (IOException e) {
      throw new ServerFailure(edition, e);
    }
  }

  /** A database on this server, the same each time. */
  public synchronized TestDatabase database() {
    if (database == null) {
      database =
          new ServerHost(ServerHost.Owner.TEST, program.edition().version(), process.address())
              .create();
    }
    return database;
  }

  /** Kills it with SIGKILL. */
  public synchronized void kill() {
    harm(process::kill);
  }

  /** Freezes it with SIGSTOP: connections stay open, and nobody answers. */
  public synchronized void pause() {
    harm(() -> process.pause());
  }

  public synchronized void resume() {
    harm(() -> process.resume());
  }

  /** Shuts it down in order, without waiting for its clients. */
  public synchronized void stop() {
    harm(() -> process.end(program.stopSignal()));
  }

  /** Starts it again after {@link #kill} or {@link #stop} and waits until it answers. */
  public synchronized void start() {
    harm(() -> process = ServerProcess.start(program, folder, watched, process.port()));
  }

  /** The process id of its first process, the parent of all others. */
  public synchronized long pid() {
    return process.handle().pid();
  }

  Path folder() {
    return folder;
  }

  synchronized ProcessHandle handle() {
    return process.handle();
  }

  @Override
  public synchronized void close() {
    harm(
        () -> {
          if (process.handle().isAlive()) {
            process.resume();
            process.end(program.endSignal());
          }
          if (database != null) {
            database.close();
          }
          Folders.delete(folder);
        });
  }

  private static void harm(Harm harm) {
    try {
      harm.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private interface Harm {
    void run() throws IOException;
  }
}

package dev.waybill.testkit;

import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A server that runs in a folder of its own, under a guard that ends it with its build. */
final class ServerProcess {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration PROBE = Duration.ofSeconds(3);
  private static final int PORTS_TO_TRY = 20;
  private static final String ADDRESS_IN_USE = "Address already in use";

  private final ServerProgram program;
  private final Path folder;
  private final int port;
  private final ProcessHandle handle;

  private ServerProcess(ServerProgram program, Path folder, int port, ProcessHandle handle) {
    this.program = program;
    this.folder = folder;
    this.port = port;
    this.handle = handle;
  }

  /** Starts a server with a new data folder, on a free port. */
  static ServerProcess startNew(ServerProgram program, Path folder, WatchedProcess watched)
      throws IOException {
    Folders.delete(folder.resolve("data"));
    int triesLeft = PORTS_TO_TRY;
    while (true) {
      triesLeft--;
      try {
        return start(program, folder, watched, freePort());
      } catch (PortTaken e) {
        if (triesLeft == 0) {
          throw new ServerFailure(program.edition(), e);
        }
      }
    }
  }

  /** Starts a server on the data that is there, or else on a copy of the initialised data. */
  static ServerProcess start(ServerProgram program, Path folder, WatchedProcess watched, int port)
      throws IOException {
    ServerCache cache = ServerCache.ofThisUser();
    Path home = cache.home(program);
    Path script = folder.resolve("run-server.sh");
    Files.writeString(script, Resource.text("run-server.sh"));
    List<String> command = new ArrayList<>();
    // A session of its own, so that an interrupt from the keyboard is left to the guard.
    command.addAll(List.of("setsid", "sh", script.toString()));
    command.addAll(List.of(Long.toString(watched.pid()), watched.born(), program.endSignal()));
    command.addAll(List.of(folder.toString(), cache.template(program).toString()));
    command.addAll(Command.asServerUser(program.command(home, folder.resolve("data"), port)));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(new File("/"))
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(log(folder).toFile());
    // So that its log speaks the language in which we read it.
    builder.environment().put("LC_ALL", "C");
    builder.environment().putAll(program.environment(home));
    ServerProcess server = new ServerProcess(program, folder, port, builder.start().toHandle());
    server.awaitAnswer();
    return server;
  }

  /**
   * Returns when none of its threads can answer any more. The parent first: it forks no more then.
   */
  void pause() throws IOException {
    try {
      pause(handle);
      for (ProcessHandle child : handle.descendants().toList()) {
        pause(child);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while pausing a server", e);
    }
  }

  private static void pause(ProcessHandle process) throws InterruptedException {
    ProcessSignal.STOP.sendTo(process.pid());
    ProcessSignal.awaitStopped(process.pid(), PATIENCE);
  }

  void resume() throws IOException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -s CONT \"$@\"", "sh"));
    processes().forEach(process -> command.add(Long.toString(process.pid())));
    new Command(program, command).succeeds();
  }

  /**
   * As a power cut would: no process of the server gets to say goodbye. Whoever is stopped forks no
   * more; a child for a client that came meanwhile would outlive its parent and keep the data.
   */
  void kill() throws IOException {
    try {
      pause(handle);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while killing a server", e);
    }
    List<ProcessHandle> processes = processes();
    processes.forEach(ProcessHandle::destroyForcibly);
    awaitEnd(processes);
  }

  void end(String signal) throws IOException {
    List<ProcessHandle> processes = processes();
    new Command(
            program,
            List.of("sh", "-c", "kill -s \"$0\" \"$1\"", signal, Long.toString(handle.pid())))
        .succeeds();
    awaitEnd(processes);
  }

  private List<ProcessHandle> processes() {
    return Stream.concat(Stream.of(handle), handle.descendants()).toList();
  }

  private void awaitEnd(List<ProcessHandle> processes) throws IOException {
    try {
      CompletableFuture.allOf(
              processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new))
          .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while waiting for a server to end", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(program.edition().version() + " does not end", e);
    }
  }

  ServerAddress address() {
    return program.address(port);
  }

  int port() {
    return port;
  }

  ProcessHandle handle() {
    return handle;
  }

  /** Whether the server that lives in this folder answers on this port. */
  static boolean answers(ServerProgram program, Path folder, int port) {
    try (Connection connection = program.address(port).admin().connectWithin(PROBE);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(program.dataFolderQuery())) {
      return row.next() && Path.of(row.getString(1)).equals(folder.resolve("data"));
    } catch (SQLException e) {
      return false;
    }
  }

  private void awaitAnswer() throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!answers(program, folder, port)) {
      if (!handle.isAlive()) {
        if (Files.readString(log(folder), StandardCharsets.ISO_8859_1).contains(ADDRESS_IN_USE)) {
          throw new PortTaken(port);
        }
        throw new ServerFailure(program.edition(), "it ended at once", log(folder));
      }
      if (System.nanoTime() > deadline) {
        handle.destroyForcibly();
        throw new ServerFailure(
            program.edition(), "no answer after " + PATIENCE.toSeconds() + " s", log(folder));
      }
      pauseBriefly();
    }
  }

  private static void pauseBriefly() throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while waiting for a server", e);
    }
  }

  private static Path log(Path folder) {
    return folder.resolve("server.log");
  }

  /**
   * Below the ports that the kernel hands to clients, one of which could take the port of a server
   * while a test has it down.
   */
  private static int freePort() throws IOException {
    IOException lastFailure = new IOException("No port tried");
    for (int i = 0; i < PORTS_TO_TRY; i++) {
      int port = ThreadLocalRandom.current().nextInt(15_000, 32_000);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException e) {
        lastFailure = e;
      }
    }
    throw lastFailure;
  }

  /** Someone else was quicker between choosing the port and listening on it. */
  private static final class PortTaken extends IOException {

    private static final long serialVersionUID = 1L;

    PortTaken(int port) {
      super("port " + port + " is taken");
    }
  }
}

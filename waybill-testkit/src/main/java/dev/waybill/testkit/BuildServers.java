package dev.waybill.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Properties;

/**
 * The servers that all test JVMs of one build share. The first JVM that needs a server starts it;
 * its guard ends it when the build is gone.
 */
final class BuildServers {

  static final String FOLDER_PROPERTY = "waybill.servers.dir";

  private final Path folder;
  private final WatchedProcess build;
  private final Map<Edition, ServerHost> running = new HashMap<>();
  private final Map<Edition, ServerFailure> failed = new HashMap<>();

  /** Two builds may share a checkout: each has its own folder below. */
  BuildServers(Path serversFolder, WatchedProcess build) {
    this.folder = serversFolder.resolve(build.toString());
    this.build = build;
  }

  static BuildServers ofThisBuild() {
    return OfThisBuild.INSTANCE;
  }

  static Path serversFolder() {
    return Path.of(System.getProperty(FOLDER_PROPERTY, "target/servers")).toAbsolutePath();
  }

  /** A running server; a start that failed is not tried again. */
  synchronized ServerHost host(ServerProgram program) {
    Edition edition = program.edition();
    ServerFailure failure = failed.get(edition);
    if (failure != null) {
      throw failure;
    }
    ServerHost host = running.get(edition);
    if (host == null) {
      host = new ServerHost(ServerHost.Owner.BUILD, edition.version(), startedOnce(program));
      running.put(edition, host);
    }
    return host;
  }

  private ServerAddress startedOnce(ServerProgram program) {
    try {
      return findOrStart(program);
    } catch (ServerFailure e) {
      failed.put(program.edition(), e);
      throw e;
    } catch (IOException e) {
      ServerFailure failure = new ServerFailure(program.edition(), e);
      failed.put(program.edition(), failure);
      throw failure;
    }
  }

  private ServerAddress findOrStart(ServerProgram program) throws IOException {
    Path home = Files.createDirectories(folder.resolve(program.edition().id())).toRealPath();
    Path record = home.resolve("running.properties");
    return FileLocks.holding(
        home.resolve("lock"),
        () -> {
          OptionalInt port = portIn(record);
          if (port.isPresent() && ServerProcess.answers(program, home, port.getAsInt())) {
            return program.address(port.getAsInt());
          }
          ServerProcess server = ServerProcess.startNew(program, home, build);
          write(record, server);
          return server.address();
        });
  }

  private static OptionalInt portIn(Path record) throws IOException {
    if (Files.notExists(record)) {
      return OptionalInt.empty();
    }
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(record)) {
      properties.load(in);
    }
    String port = properties.getProperty("port");
    return port == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(port));
  }

  private static void write(Path record, ServerProcess server) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("port", Integer.toString(server.port()));
    properties.setProperty("pid", Long.toString(server.handle().pid()));
    try (OutputStream out = Files.newOutputStream(record)) {
      properties.store(out, null);
    }
  }

  /** Looked for only when a server is needed: whoever brings servers may have no such processes. */
  private static final class OfThisBuild {
    private static final BuildServers INSTANCE =
        new BuildServers(serversFolder(), WatchedProcess.ofThisBuild());
  }
}

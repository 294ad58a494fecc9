package dev.waybill.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** PostgreSQL, durable as in production, with small buffers. */
final class PostgresProgram implements ServerProgram {

  private static final String ARCHIVE = "postgres-linux-x86_64.txz";
  private static final String STATEMENTS = "pg_stat_statements";

  private final Edition edition;
  private final ServerJar jar;

  PostgresProgram(Edition edition, ServerJar jar) {
    this.edition = edition;
    this.jar = jar;
  }

  static ServerJar onClassPath() {
    return ServerJar.onClassPath(ARCHIVE);
  }

  static ServerJar in(Path jar) {
    return ServerJar.at(jar, ARCHIVE);
  }

  @Override
  public Edition edition() {
    return edition;
  }

  @Override
  public String name() {
    return edition.version().replace(" ", "-").toLowerCase(Locale.ROOT) + "-" + jar.fingerprint();
  }

  @Override
  public void unpack(Path home) throws IOException {
    jar.unpackTo(home);
  }

  @Override
  public void initialise(Path home, Path data) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin/initdb").toString());
    command.addAll(settings());
    command.addAll(List.of("--no-sync", "-D", data.toString()));
    new Command(this, command).asServerUser().run(data.resolveSibling("initialise.log"));
  }

  @Override
  public List<String> settings() {
    return List.of("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C");
  }

  @Override
  public List<String> command(Path home, Path data, int port) {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(home.resolve("bin/postgres").toString(), "-D", data.toString()));
    setting(command, "listen_addresses", "127.0.0.1");
    setting(command, "port", Integer.toString(port));
    setting(command, "unix_socket_directories", "");
    setting(command, "max_connections", "500");
    setting(command, "shared_buffers", "64MB");
    setting(command, "track_io_timing", "off");
    if (Files.exists(home.resolve("lib/postgresql/" + STATEMENTS + ".so"))) {
      setting(command, "shared_preload_libraries", STATEMENTS);
    }
    return command;
  }

  private static void setting(List<String> command, String name, String value) {
    command.add("-c");
    command.add(name + "=" + value);
  }

  @Override
  public ServerAddress address(int port) {
    return new ServerAddress(
        DatabaseProduct.POSTGRESQL, "127.0.0.1:" + port, "", "postgres", "", "postgres");
  }

  @Override
  public String dataFolderQuery() {
    return "show data_directory";
  }

  @Override
  public String stopSignal() {
    return "INT";
  }

  /** Unlike KILL it lets the server give back its shared memory. */
  @Override
  public String endSignal() {
    return "QUIT";
  }
}

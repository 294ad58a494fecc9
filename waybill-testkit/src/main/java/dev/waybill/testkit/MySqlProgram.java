package dev.waybill.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** MySQL, durable as in production, with small buffers. */
final class MySqlProgram implements ServerProgram {

  private final ServerJar jar = ServerJar.onClassPath("mysql-Linux-amd64.tar.gz");

  @Override
  public Edition edition() {
    return Edition.MYSQL;
  }

  @Override
  public String name() {
    return "mysql-8.0.15-" + jar.fingerprint();
  }

  @Override
  public void unpack(Path home) throws IOException {
    jar.unpackTo(home);
  }

  @Override
  public void initialise(Path home, Path data) throws IOException {
    List<String> command = base(home, data);
    command.add("--initialize-insecure");
    new Command(this, command)
        .asServerUser()
        .with(environment(home))
        .run(data.resolveSibling("initialise.log"));
  }

  @Override
  public Map<String, String> environment(Path home) throws IOException {
    return LibaioStub.environmentFor(this, home);
  }

  @Override
  public List<String> settings() {
    return List.of(
        "--character-set-server=utf8mb4",
        "--innodb-log-file-size=24M",
        "--innodb-use-native-aio=0",
        "--skip-log-bin",
        // Nobody encrypts on loopback, and making keys takes time.
        "--skip-ssl",
        "--auto-generate-certs=OFF",
        "--sha256-password-auto-generate-rsa-keys=OFF",
        "--caching-sha2-password-auto-generate-rsa-keys=OFF");
  }

  private List<String> base(Path home, Path data) {
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            home.resolve("bin/mysqld").toString(),
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
            "--mysqlx=OFF",
            // Relative to the data folder: an absolute path may be too long for a socket.
            "--socket=server.sock",
            "--pid-file=server.pid",
            // Not one for all: a server that starts deletes the temporary tables it finds there.
            "--tmpdir=" + data,
            "--max-connections=500",
            "--innodb-flush-log-at-trx-commit=1",
            "--innodb-buffer-pool-size=64M",
            "--key-buffer-size=1M",
            "--table-open-cache=400",
            // Threads that spin take the few cores away from the tests.
            "--innodb-spin-wait-delay=0",
            "--innodb-sync-spin-loops=0",
            "--innodb-log-wait-for-flush-spin-hwm=0",
            "--innodb-purge-threads=1",
            "--performance-schema=OFF"));
    return command;
  }

  @Override
  public ServerAddress address(int port) {
    return new ServerAddress(
        DatabaseProduct.MYSQL, "127.0.0.1:" + port, "sslMode=DISABLED", "root", "", "");
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

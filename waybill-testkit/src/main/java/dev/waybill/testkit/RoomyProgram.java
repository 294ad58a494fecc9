package dev.waybill.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server with room to work: as durable as the others, and not short of memory. */
final class RoomyProgram implements ServerProgram {

  private final ServerProgram program;

  RoomyProgram(ServerProgram program) {
    this.program = program;
  }

  @Override
  public List<String> command(Path home, Path data, int port) throws IOException {
    List<String> command = new ArrayList<>(program.command(home, data, port));
    command.addAll(
        switch (edition().product()) {
          // The last of two settings with the same name holds.
          case POSTGRESQL ->
              List.of(
                  "-c", "shared_buffers=512MB",
                  "-c", "max_wal_size=4GB",
                  "-c", "checkpoint_timeout=15min",
                  "-c", "fsync=on",
                  "-c", "synchronous_commit=on",
                  "-c", "full_page_writes=on",
                  "-c", "shared_preload_libraries=");
          case MARIADB -> List.of("--innodb-buffer-pool-size=512M", "--innodb-log-buffer-size=32M");
          case MYSQL -> List.of("--innodb-buffer-pool-size=512M", "--innodb-log-buffer-size=32M");
          case SQLITE -> throw new IllegalArgumentException("SQLite has no server");
        });
    return command;
  }

  @Override
  public Edition edition() {
    return program.edition();
  }

  @Override
  public String name() {
    return program.name();
  }

  @Override
  public void unpack(Path home) throws IOException {
    program.unpack(home);
  }

  @Override
  public void initialise(Path home, Path data) throws IOException {
    program.initialise(home, data);
  }

  @Override
  public Map<String, String> environment(Path home) throws IOException {
    return program.environment(home);
  }

  @Override
  public List<String> settings() {
    return program.settings();
  }

  @Override
  public ServerAddress address(int port) {
    return program.address(port);
  }

  @Override
  public String dataFolderQuery() {
    return program.dataFolderQuery();
  }

  @Override
  public String stopSignal() {
    return program.stopSignal();
  }

  @Override
  public String endSignal() {
    return program.endSignal();
  }
}

package dev.waybill.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** How one database server is unpacked, initialised, run and ended. */
interface ServerProgram {

  Edition edition();

  /** Product and version, and what else tells two unpacked servers apart. */
  String name();

  void unpack(Path home) throws IOException;

  /** Fills an empty data folder. */
  void initialise(Path home, Path data) throws IOException;

  List<String> command(Path home, Path data, int port) throws IOException;

  default Map<String, String> environment(Path home) throws IOException {
    return Map.of();
  }

  /** What a data folder depends on besides the program. */
  List<String> settings();

  ServerAddress address(int port);

  /** Tells whether it is our server that answers, not another one that got the port first. */
  String dataFolderQuery();

  /** Ends the server in order, without waiting for its clients. */
  String stopSignal();

  /** Ends the server at once when nobody needs its data any more. */
  String endSignal();
}

package dev.waybill.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Stands in for the one library that MySQL's archive lacks, where the machine lacks it too. */
final class LibaioStub {

  private LibaioStub() {}

  static Map<String, String> environmentFor(MySqlProgram mysql, Path home) throws IOException {
    Path bin = home.resolve("bin");
    if (new Command(mysql, List.of(bin.resolve("mysqld").toString(), "--version")).succeeds()) {
      return Map.of();
    }
    Path stub = ServerCache.ofThisUser().entry("libaio-stub", folder -> build(mysql, folder));
    return Map.of("LD_LIBRARY_PATH", stub.toString());
  }

  private static void build(MySqlProgram mysql, Path folder) throws IOException {
    Path source = folder.resolve("libaio-stub.c");
    Path versions = folder.resolve("libaio-stub.map");
    Files.writeString(source, Resource.text("libaio-stub.c"));
    Files.writeString(versions, Resource.text("libaio-stub.map"));
    new Command(
            mysql,
            List.of(
                "cc",
                "-shared",
                "-fPIC",
                "-Wl,-soname,libaio.so.1",
                "-Wl,--version-script=" + versions,
                "-o",
                folder.resolve("libaio.so.1").toString(),
                source.toString()))
        .run(folder.resolve("build.log"));
  }
}

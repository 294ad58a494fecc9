package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BuildServersTest {

  @TempDir Path servers;

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL"})
  void aServerServesAllJvmsOfItsBuildAndEndsWithIt(Edition edition) throws Exception {
    edition.whyNoneToHurt().ifPresent(Assumptions::abort);
    Process build = new ProcessBuilder("sleep", "600").start();
    try {
      String first = urlSeenByAJvmOf(build, edition);
      String second = urlSeenByAJvmOf(build, edition);
      assertThat(second).isEqualTo(first);
      List<ProcessHandle> processes = processesIn(servers);
      assertThat(processes).isNotEmpty();

      build.destroyForcibly();

      awaitEnd(processes);
      assertThat(servers).isEmptyDirectory();
    } finally {
      build.destroyForcibly();
    }
  }

  @Test
  void twoBuildsHaveTwoServers() throws Exception {
    Edition.POSTGRESQL.whyNoneToHurt().ifPresent(Assumptions::abort);
    Process one = new ProcessBuilder("sleep", "600").start();
    Process other = new ProcessBuilder("sleep", "600").start();
    try {
      assertThat(urlSeenByAJvmOf(one, Edition.POSTGRESQL))
          .isNotEqualTo(urlSeenByAJvmOf(other, Edition.POSTGRESQL));
    } finally {
      one.destroyForcibly();
      other.destroyForcibly();
    }
    awaitEnd(processesIn(servers));
  }

  @Test
  void aTestsOwnServerEndsWithItsJvm() throws Exception {
    Edition.POSTGRESQL.whyNoneToHurt().ifPresent(Assumptions::abort);
    Map<String, String> properties = Map.of(BuildServers.FOLDER_PROPERTY, servers.toString());
    try (ForkedMain test = ForkedMain.start(HoldsOwnServer.class, properties, Map.of())) {
      assertThat(test.line()).isEqualTo("started");
      List<ProcessHandle> processes = processesIn(servers);
      assertThat(processes).isNotEmpty();

      test.kill();

      awaitEnd(processes);
      assertThat(servers).isEmptyDirectory();
    }
  }

  @Test
  void aFailedStartSaysWhyAndIsNotTriedAgain() {
    Edition.POSTGRESQL.whyNoneToHurt().ifPresent(Assumptions::abort);
    BuildServers build = new BuildServers(servers, WatchedProcess.ofThisJvm());
    BrokenPostgres broken = new BrokenPostgres();

    assertThatThrownBy(() -> build.host(broken))
        .isInstanceOf(ServerFailure.class)
        .hasMessageContaining("PostgreSQL 18 cannot start")
        .hasMessageContaining("FATAL: out of patience")
        .hasMessageContaining("./waybill test --without postgresql")
        .hasMessageContaining("WAYBILL_TEST_POSTGRES_URL");
    assertThatThrownBy(() -> build.host(broken)).isInstanceOf(ServerFailure.class);
    assertThat(broken.starts).isEqualTo(1);
  }

  @Test
  void aServerOfTheUsersOwnIsUsedInstead() throws Exception {
    Edition.POSTGRESQL.whyNoneToHurt().ifPresent(Assumptions::abort);
    try (TestDatabase shared =
        BuildServers.ofThisBuild().host(Edition.POSTGRESQL.program()).create()) {
      String usersUrl = shared.url() + "?user=" + shared.user() + "&password=";
      Map<String, String> environment = Map.of("WAYBILL_TEST_POSTGRES_URL", usersUrl);
      Map<String, String> properties =
          Map.of(
              BuildServers.FOLDER_PROPERTY,
              servers.toString(),
              "edition",
              Edition.POSTGRESQL.name());
      try (ForkedMain test = ForkedMain.start(PrintsUrl.class, properties, environment)) {
        String server = shared.url().substring(0, shared.url().lastIndexOf('/') + 1);
        assertThat(test.line())
            .startsWith("PostgreSQL at WAYBILL_TEST_POSTGRES_URL " + server + "waybill_");
      }
      assertThat(servers).isEmptyDirectory();
    }
  }

  private String urlSeenByAJvmOf(Process build, Edition edition) throws IOException {
    Map<String, String> properties =
        Map.of(
            BuildServers.FOLDER_PROPERTY,
            servers.toString(),
            WatchedProcess.PROPERTY,
            Long.toString(build.pid()),
            "edition",
            edition.name());
    Map<String, String> onItsOwn = Map.of(edition.urlVariable(), "");
    try (ForkedMain test = ForkedMain.start(PrintsUrl.class, properties, onItsOwn)) {
      String url = test.line();
      assertThat(test.rest()).isEmpty();
      return url.substring(0, url.lastIndexOf('/'));
    }
  }

  /** Servers and their guards. */
  private static List<ProcessHandle> processesIn(Path folder) {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process
                    .info()
                    .arguments()
                    .filter(all -> Arrays.toString(all).contains(folder.toString() + "/"))
                    .isPresent())
        .toList();
  }

  private static void awaitEnd(List<ProcessHandle> processes) throws Exception {
    CompletableFuture.allOf(
            processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new))
        .get(30, TimeUnit.SECONDS);
  }

  static final class PrintsUrl {
    public static void main(String[] arguments) {
      try (TestDatabase database = Edition.valueOf(System.getProperty("edition")).host().create()) {
        System.out.println(database);
      }
    }
  }

  static final class HoldsOwnServer {
    public static void main(String[] arguments) throws IOException {
      try (TestServer server = TestServer.own(DatabaseProduct.POSTGRESQL)) {
        System.out.println(server.handle().isAlive() ? "started" : "ended");
        System.in.read();
      }
    }
  }

  private static final class BrokenPostgres implements ServerProgram {

    private final ServerProgram working = Edition.POSTGRESQL.program();
    private int starts;

    @Override
    public List<String> command(Path home, Path data, int port) {
      starts++;
      return List.of("sh", "-c", "echo FATAL: out of patience; exit 1");
    }

    @Override
    public Edition edition() {
      return working.edition();
    }

    @Override
    public String name() {
      return working.name();
    }

    @Override
    public void unpack(Path home) throws IOException {
      working.unpack(home);
    }

    @Override
    public void initialise(Path home, Path data) throws IOException {
      working.initialise(home, data);
    }

    @Override
    public List<String> settings() {
      return working.settings();
    }

    @Override
    public ServerAddress address(int port) {
      return working.address(port);
    }

    @Override
    public String dataFolderQuery() {
      return working.dataFolderQuery();
    }

    @Override
    public String stopSignal() {
      return working.stopSignal();
    }

    @Override
    public String endSignal() {
      return working.endSignal();
    }
  }
}

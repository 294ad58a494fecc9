package dev.waybill.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code waybill demo} on each database, asked for its status while it runs. */
@EveryDatabase
@Timeout(180)
class DemoCommandIT {
  private final TestDatabase database;

  DemoCommandIT(TestDatabase database) {
    this.database = database.fresh();
  }

  @Test
  void theDemoVerifiesItselfAndTellsItsStatusMeanwhile(@TempDir Path folder) throws Exception {
    boolean embedded = database.product() == DatabaseProduct.SQLITE;
    String url = embedded ? "jdbc:sqlite:" + folder.resolve("demo.db") : database.url();
    List<String> where =
        embedded ? List.of() : List.of("--user", database.user(), "--password-env", "DB_PASSWORD");
    // What an earlier demo has left there is none of this one's business.
    for (int round = 0; round < (embedded ? 2 : 1); round++) {
      List<String> options = new ArrayList<>(List.of("--seconds", "2", "--rate", "50"));
      options.addAll(embedded ? List.of("--keep", folder.toString()) : List.of("--no-console"));
      options.addAll(embedded ? List.of() : List.of("--db", url));
      options.addAll(where);
      String out = demo(options, url, where);
      assertThat(out)
          .contains("Verified")
          .containsPattern("orders committed +[1-9][0-9]* +ok")
          .containsPattern("confirmations sent by jobs, of [0-9]")
          .containsPattern("workflows that came to their end, of [1-9]")
          .doesNotContain("WRONG");
      assertThat(out.contains("Watch it in the console: http://127.0.0.1:")).isEqualTo(embedded);
      assertThat(folder.resolve("demo.db").toFile().exists()).isEqualTo(embedded);
    }
  }

  private String demo(List<String> options, String url, List<String> where) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                Path.of("target", "waybill.jar").toString(),
                "demo"));
    command.addAll(options);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Map<String, String> password = Map.of("DB_PASSWORD", database.password());
    builder.environment().putAll(password);
    Process process = builder.start();
    StringBuilder out = new StringBuilder();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      boolean asked = false;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        out.append(line).append('\n');
        if (!asked && line.contains("enqueued")) {
          asked = true;
          List<String> status = new ArrayList<>(List.of("status", "--json", "--url", url));
          status.addAll(where);
          Cli answer = Cli.jar(password, status.toArray(String[]::new));
          assertThat(answer.exit()).as(answer.err()).isZero();
          assertThat(answer.out())
              .contains("\"queue\" : \"shipping\"")
              .contains("\"type\" : \"mail\"")
              .contains("\"waiting_gates\"");
        }
      }
      assertThat(asked).as(out.toString()).isTrue();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(out.toString()).isZero();
      return out.toString();
    } finally {
      process.destroyForcibly();
    }
  }
}

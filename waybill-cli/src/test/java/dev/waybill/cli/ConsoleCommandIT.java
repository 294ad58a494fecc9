package dev.waybill.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.schema.Schema;
import dev.waybill.testkit.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code waybill console} as an operator calls it; what it shows is the console's own to test. */
@Timeout(120)
class ConsoleCommandIT {
  private static final Pattern LINK = Pattern.compile("Open (http\\S+)#token=(\\S+) .*");

  @Test
  void programsGetTheAddressAndTheToken() throws Exception {
    try (TestDatabase database = TestDatabase.inFile()) {
      Schema.migrate(database.dataSource());
      Process process = console(database, "--json");
      try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
        StringBuilder json = new StringBuilder();
        for (String line = ""; line != null && !line.equals("}"); line = out.readLine()) {
          json.append(line);
        }
        Matcher answer =
            Pattern.compile("\\{ *\"address\" : \"(http\\S+)\", *\"token\" : \"(\\S+)\"")
                .matcher(json);
        assertThat(answer.matches()).as(json.toString()).isTrue();
        URI overview = URI.create(answer.group(1)).resolve("api/v1/overview");
        assertThat(get(overview, answer.group(2)).statusCode()).isEqualTo(200);
      } finally {
        process.destroyForcibly();
      }
    }
  }

  private static Process console(TestDatabase database, String... more) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-jar",
                Path.of("target", "waybill.jar").toString(),
                "console",
                "--port",
                "0",
                "--url",
                database.url()));
    command.addAll(List.of(more));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  @Test
  void theLinkLeadsToAConsoleThatIsClosedToOthers() throws Exception {
    try (TestDatabase database = TestDatabase.inFile()) {
      Schema.migrate(database.dataSource());
      Process process = console(database);
      try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
        Matcher link = LINK.matcher(String.valueOf(out.readLine()));
        assertThat(link.matches()).isTrue();
        URI overview = URI.create(link.group(1)).resolve("api/v1/overview");
        assertThat(get(overview, "no-token-of-this-console").statusCode()).isEqualTo(401);
        HttpResponse<String> answer = get(overview, link.group(2));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("\"attention\":[]");
        process.destroy();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      } finally {
        process.destroyForcibly();
      }
    }
  }

  private static HttpResponse<String> get(URI address, String token) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(address).header("Authorization", "Bearer " + token).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  @Test
  void wrongOptionsAreWrongUsage() throws Exception {
    try (TestDatabase database = TestDatabase.inFile()) {
      Schema.migrate(database.dataSource());
      Cli wrong =
          Cli.jar(
              Map.of(), "console", "--url", database.url(), "--path", "no-slash", "--port", "0");
      assertThat(wrong.exit()).isEqualTo(2);
      assertThat(wrong.err()).contains("/ops/waybill");
      Cli unset =
          Cli.jar(Map.of(), "console", "--url", database.url(), "--token-env", "NOT_SET_ANYWHERE");
      assertThat(unset.exit()).isEqualTo(2);
    }
  }
}

package dev.waybill.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.testkit.TestDatabase;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Scanner;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who comes in, and what they may do. On SQLite alone: no database has a say in this. */
@Timeout(120)
class SecurityTest {
  private static final String SECRET = "correct-horse-battery";
  private static final String LOOKING = "looking-is-allowed-here";

  private final TestDatabase database = TestDatabase.inFile();
  private final Scene scene = new Scene(database);
  private final List<Console> consoles = new ArrayList<>();

  @AfterEach
  void close() {
    consoles.forEach(Console::close);
    scene.close();
    database.close();
  }

  private Console start(ConsoleOptions options) {
    Console console = Console.start(scene.waybill, options.port(0));
    consoles.add(console);
    return console;
  }

  private static ConsoleOptions withTokens() {
    return ConsoleOptions.defaults()
        .token(SECRET, new Principal("olga", Role.OPERATE))
        .token(LOOKING, new Principal("victor", Role.VIEW));
  }

  @Test
  void anotherAddressThanLoopbackNeedsProtection() throws Exception {
    InetAddress everywhere = InetAddress.getByName("0.0.0.0");
    assertThatThrownBy(() -> start(ConsoleOptions.defaults().address(everywhere)))
        .isInstanceOf(ConsoleException.Unprotected.class)
        .hasMessageContaining("0.0.0.0")
        .hasMessageContaining("token");
    assertThatThrownBy(() -> start(withTokens().address(everywhere).anonymous(Role.VIEW)))
        .isInstanceOf(ConsoleException.InvalidOption.class);
    assertThat(new Client(start(withTokens().address(everywhere))).get("queues").status())
        .isEqualTo(401);
  }

  @Test
  void optionsThatMakeNoSenseAreRefused() {
    ConsoleOptions options = ConsoleOptions.defaults();
    assertThatThrownBy(() -> options.token("short", new Principal("x", Role.VIEW)))
        .isInstanceOf(ConsoleException.InvalidOption.class)
        .hasMessageNotContaining("short,");
    assertThatThrownBy(() -> options.path("ops")).hasMessageContaining("path");
    assertThatThrownBy(() -> options.path("/ops/")).hasMessageContaining("path");
    assertThatThrownBy(() -> options.allowHost("a b")).hasMessageContaining("allowHost");
    Console first = start(ConsoleOptions.defaults());
    assertThatThrownBy(
            () ->
                Console.start(
                    scene.waybill, ConsoleOptions.defaults().port(first.address().getPort())))
        .isInstanceOf(ConsoleException.CannotListen.class);
  }

  @Test
  void byDefaultWhoeverReachesLoopbackMayLookAndNotTouch() throws Exception {
    Client page = new Client(start(ConsoleOptions.defaults())).asPage();
    assertThat(page.get("queues").status()).isEqualTo(200);
    assertThat(page.post("queues/orders/pause", "{}").status()).isEqualTo(403);
  }

  @Test
  void withTokensNobodyComesInWithoutOne() throws Exception {
    Console console = start(withTokens());
    for (String path : List.of("overview", "queues", "jobs", "schema", "stream", "openapi.json")) {
      assertThat(new Client(console).get(path).status()).as(path).isEqualTo(401);
    }
    assertThat(new Client(console).post("queues/orders/pause", "{}").status()).isEqualTo(401);
    assertThat(new Client(console).bearer("wrong-wrong-wrong-wrong").get("queues").status())
        .isEqualTo(401);
    assertThat(new Client(console).bearer(LOOKING).get("queues").status()).isEqualTo(200);
    assertThat(new Client(console).bearer(LOOKING).post("queues/orders/pause", "{}").status())
        .isEqualTo(403);
    assertThat(new Client(console).bearer(SECRET).post("queues/orders/pause", "{}").status())
        .isEqualTo(200);
    assertThat(new Client(console).get("session").body()).doesNotContainKeys("csrf", "role");
  }

  @Test
  void aSessionIsACookieThatOnlyOurPageCanUse() throws Exception {
    Console console = start(withTokens().path("/ops").secureCookies());
    HttpResponse<String> signedIn =
        new Client(console).post("session", "{\"token\":\"" + SECRET + "\"}").raw();
    String cookie = signedIn.headers().firstValue("Set-Cookie").orElseThrow();
    assertThat(cookie)
        .contains("HttpOnly", "SameSite=Strict", "Secure", "Path=/ops/")
        .doesNotContain(SECRET);
    String pair = cookie.substring(0, cookie.indexOf(';'));

    Client withoutCsrf = new Client(console).with("Cookie", pair);
    assertThat(withoutCsrf.get("queues").status()).isEqualTo(200);
    assertThat(withoutCsrf.post("queues/orders/pause", "{}").at("error")).isEqualTo("forged");
    Client page = new Client(console).with("Cookie", pair).asPage();
    assertThat(page.post("queues/orders/pause", "{}").status()).isEqualTo(200);
    assertThat(page.post("session/end", "{}").status()).isEqualTo(200);
    assertThat(page.get("queues").status()).isEqualTo(401);
  }

  @Test
  void tokensCannotBeGuessedQuickly() throws Exception {
    Console console = start(withTokens());
    for (int i = 0; i < 10; i++) {
      assertThat(new Client(console).post("session", "{\"token\":\"" + i + "\"}").status())
          .isEqualTo(401);
    }
    assertThat(new Client(console).post("session", "{\"token\":\"11\"}").status()).isEqualTo(429);
    assertThat(new Client(console).bearer("wrong-wrong-wrong-wrong").get("queues").status())
        .isEqualTo(429);
    assertThat(new Client(console).bearer(LOOKING).get("queues").status())
        .as("behind a proxy others have the same address")
        .isEqualTo(200);
    assertThat(new Client(console).post("session", "{\"token\":\"" + SECRET + "\"}").status())
        .isEqualTo(200);
  }

  @Test
  void aForeignPageCanMakeNoChange() throws Exception {
    Console console = start(ConsoleOptions.defaults().anonymous(Role.OPERATE));
    String host = "Host: " + console.address().getAuthority();
    String[] form = {
      "POST /api/v1/queues/orders/pause HTTP/1.1",
      host,
      "Content-Type: text/plain",
      "Content-Length: 2",
      "Connection: close",
      "",
      "{}"
    };
    assertThat(Client.raw(console, form).get(0)).contains("403");
    Client page = new Client(console).asPage();
    assertThat(
            new Client(console)
                .asPage()
                .with("Origin", "https://evil.example")
                .post("queues/orders/pause", "{}")
                .status())
        .isEqualTo(403);
    assertThat(
            new Client(console)
                .asPage()
                .with("Sec-Fetch-Site", "cross-site")
                .post("queues/orders/pause", "{}")
                .status())
        .isEqualTo(403);
    assertThat(new Client(console).post("queues/orders/pause", "{}").status()).isEqualTo(403);
    assertThat(page.get("queues/orders/pause").status()).isEqualTo(405);
    assertThat(page.post("queues/orders/pause", "{}").status()).isEqualTo(200);
    assertThat(page.get("queues").raw().headers().map())
        .doesNotContainKey("access-control-allow-origin");
  }

  @Test
  void namesThatNobodyAllowedAreRefused() throws Exception {
    Console console = start(withTokens().allowHost("ops.example.com"));
    String port = ":" + console.address().getPort();
    assertThat(status(console, "rebound.example" + port)).contains("421");
    assertThat(status(console, "")).contains("421");
    assertThat(status(console, "10.0.0.7" + port)).contains("421");
    assertThat(status(console, "ops.example.com")).contains("200");
    assertThat(status(console, "OPS.example.com:443")).contains("200");
    assertThat(status(console, "localhost" + port)).contains("200");
    assertThat(status(console, "[::1]" + port)).contains("200");
  }

  private static String status(Console console, String host) throws Exception {
    return Client.raw(console, "GET / HTTP/1.1", "Host: " + host, "Connection: close").get(0);
  }

  @Test
  void everyAnswerHasSafeHeaders() throws Exception {
    Console console = start(withTokens());
    for (HttpResponse<String> answer :
        List.of(
            new Client(console).page(""),
            new Client(console).page("app.js"),
            new Client(console).get("queues").raw(),
            new Client(console).bearer(SECRET).get("queues").raw())) {
      assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
          .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
          .doesNotContain("unsafe");
      assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
      assertThat(answer.headers().firstValue("Referrer-Policy")).hasValue("no-referrer");
    }
    Console mounted = start(ConsoleOptions.defaults().path("/ops"));
    assertThat(rawStatus(mounted, "/ops/")).contains("200");
    assertThat(rawStatus(mounted, "/ops")).contains("308");
    assertThat(rawStatus(mounted, "/opsx")).contains("404");
    assertThat(rawStatus(mounted, "/")).contains("404");
    assertThat(new Client(console).page("").body()).doesNotContain("<script>", "style=", "onclick");
    for (String path :
        List.of("../Console.class", "..%2fConsole.class", "%2e%2e/Console.class", "lib/../../x")) {
      assertThat(rawStatus(console, "/" + path)).as(path).contains("404");
    }
  }

  private static String rawStatus(Console console, String path) throws Exception {
    return Client.raw(console, "GET " + path + " HTTP/1.1", "Host: localhost", "Connection: close")
        .get(0);
  }

  @Test
  void theApplicationCanSayWhoSomebodyIs() throws Exception {
    Console console =
        start(
            ConsoleOptions.defaults()
                .authenticator(
                    caller -> {
                      String user = caller.header("X-User");
                      if ("broken".equals(user)) {
                        throw new IllegalStateException("directory is down");
                      }
                      return Optional.ofNullable(user)
                          .map(name -> new Principal(name, Role.OPERATE));
                    }));
    assertThat(new Client(console).get("queues").status()).isEqualTo(401);
    assertThat(new Client(console).with("X-User", "broken").get("queues").status()).isEqualTo(401);
    assertThat(new Client(console).with("X-User", "ada").post("queues/orders/pause", "{}").status())
        .as("a browser would send the header's cause by itself, so a forgery is possible")
        .isEqualTo(403);
    assertThat(
            new Client(console)
                .with("X-User", "ada")
                .asPage()
                .post("queues/orders/pause", "{}")
                .status())
        .isEqualTo(200);
  }

  @Test
  void whoMayNoLongerComeInHearsNoMore() throws Exception {
    AtomicBoolean employed = new AtomicBoolean(true);
    Client client =
        new Client(
            start(
                ConsoleOptions.defaults()
                    .authenticator(
                        caller ->
                            employed.get()
                                ? Optional.of(new Principal("ada", Role.VIEW))
                                : Optional.empty())));
    InputStream stream =
        client
            .http()
            .send(client.request("stream").build(), HttpResponse.BodyHandlers.ofInputStream())
            .body();
    try (Scanner events = new Scanner(stream, StandardCharsets.UTF_8).useDelimiter("\n\n")) {
      assertThat(events.next()).startsWith("event: history");
      assertThat(events.next()).startsWith("event: sample");
      employed.set(false);
      assertThat(events.tokens().count()).as("samples until it ends").isLessThan(10);
    }
  }

  @Test
  void payloadsAreHiddenUnlessAllowed() throws Exception {
    UUID job = scene.enqueue("report");
    Client hidden = new Client(start(ConsoleOptions.defaults()));
    assertThat(hidden.get("jobs/" + job).body()).doesNotContainKeys("payload", "output");
    Client failing =
        new Client(
            start(
                ConsoleOptions.defaults()
                    .payloads(
                        (place, text) -> {
                          throw new IllegalStateException("no rule for " + place);
                        })));
    assertThat(failing.get("jobs/" + job).body()).doesNotContainKeys("payload", "output");
    Client redacted =
        new Client(
            start(ConsoleOptions.defaults().payloads((place, text) -> "[" + place.kind() + "]")));
    assertThat(redacted.get("jobs/" + job).at("payload")).isEqualTo("[JOB_PAYLOAD]");
  }

  @Test
  void theRedactorIsToldTheTypeOfAStepAndNotItsKey() throws Exception {
    UUID run = scene.failingOrder();
    Scene.until(
        "it has failed",
        () -> scene.waybill.workflows().find(Scene.ALL, run).orElseThrow().status().isTerminal());
    Client redacted =
        new Client(
            start(
                ConsoleOptions.defaults()
                    .payloads((place, text) -> place.kind() + " of " + place.type())));
    Client.Answer body = redacted.get("workflows/" + run + "/steps/receive");
    assertThat(body.at("payload")).isEqualTo("STEP_PAYLOAD of reserve");
    assertThat(body.at("output")).isEqualTo("STEP_OUTPUT of reserve");
  }

  @Test
  void badRequestsAreRefusedAndNothingBreaks() throws Exception {
    Client client = new Client(start(withTokens())).bearer(SECRET);
    assertThat(client.post("queues/orders/pause", "[]").status()).isEqualTo(400);
    assertThat(client.post("queues/orders/pause", "{\"a\":").status()).isEqualTo(400);
    assertThat(client.post("queues/orders/pause", "[".repeat(1000)).status()).isEqualTo(400);
    assertThat(
            client.post("queues/orders/pause", "{\"a\":\"" + "x".repeat(300_000) + "\"}").status())
        .isEqualTo(413);
    assertThat(client.get("jobs/not-an-id").status()).isEqualTo(400);
    assertThat(client.get("jobs?status=x").status()).isEqualTo(400);
    assertThat(client.get("jobs?after=x").status()).isEqualTo(400);
    assertThat(client.get("nowhere").status()).isEqualTo(404);
    assertThat(client.post("dead-letters/requeue", "{\"ids\":\"all\"}").status()).isEqualTo(400);
    assertThat(client.post("dead-letters/requeue", "{\"partition\":1}").status()).isEqualTo(400);
    assertThat(client.get("health").status()).isEqualTo(200);
  }
}

package dev.waybill.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.waybill.testkit.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Scanner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A console in the host application's own server. On SQLite alone: no database has a say in this.
 */
@Timeout(120)
class MountTest {
  private static final String SECRET = "correct-horse-battery";

  private final TestDatabase database = TestDatabase.inFile();
  private final Scene scene = new Scene(database);

  @AfterEach
  void close() {
    scene.close();
    database.close();
  }

  private Console mount() {
    return Console.mount(
        scene.waybill,
        ConsoleOptions.defaults()
            .path("/ops/waybill")
            .allowHost("shop.example")
            .token(SECRET, new Principal("olga", Role.OPERATE)));
  }

  @Test
  void aServerOfTheJdkHandsRequestsOver() throws Exception {
    HttpServer host =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    ExecutorService threads = Executors.newCachedThreadPool();
    try (Console console = mount()) {
      assertThat(console.address()).isEqualTo(URI.create("/ops/waybill/"));
      host.setExecutor(threads);
      host.createContext("/ops/waybill", console.handler());
      host.createContext(
          "/shop",
          exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
          });
      host.start();
      URI own = URI.create("http://127.0.0.1:" + host.getAddress().getPort());
      assertThat(get(own.resolve("/shop")).statusCode()).isEqualTo(204);
      assertThat(get(own.resolve("/ops/waybill")).statusCode()).isEqualTo(308);
      assertThat(get(own.resolve("/ops/waybill/")).body()).contains("app.js");
      assertThat(get(own.resolve("/ops/waybillx")).statusCode()).isEqualTo(404);
      URI queues = own.resolve("/ops/waybill/api/v1/queues");
      assertThat(
              HttpClient.newHttpClient()
                  .send(HttpRequest.newBuilder(queues).build(), BodyHandlers.ofString())
                  .statusCode())
          .isEqualTo(401);
      assertThat(get(queues).body()).contains("payments");
      InputStream stream =
          HttpClient.newHttpClient()
              .send(
                  authorized(own.resolve("/ops/waybill/api/v1/stream")),
                  BodyHandlers.ofInputStream())
              .body();
      try (Scanner events = new Scanner(stream, StandardCharsets.UTF_8).useDelimiter("\n\n")) {
        assertThat(events.next()).startsWith("event: history");
        assertThat(events.next()).startsWith("event: sample");
      }
    } finally {
      host.stop(0);
      threads.shutdownNow();
    }
  }

  private static HttpRequest authorized(URI address) {
    return HttpRequest.newBuilder(address).header("Authorization", "Bearer " + SECRET).build();
  }

  private static HttpResponse<String> get(URI address) throws Exception {
    return HttpClient.newHttpClient().send(authorized(address), BodyHandlers.ofString());
  }

  /** What the adapter for any other server comes to. */
  private static final class Asked implements Exchange {
    private final String method;
    private final String target;
    private final Map<String, String> headers;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Map<String, String> answered = new HashMap<>();
    private int status;

    Asked(String method, String target, Map<String, String> headers) {
      this.method = method;
      this.target = target;
      this.headers = headers;
    }

    @Override
    public String method() {
      return method;
    }

    @Override
    public String target() {
      return target;
    }

    @Override
    public List<String> headers(String name) {
      return Optional.ofNullable(headers.get(name)).stream().toList();
    }

    @Override
    public InetAddress address() {
      return InetAddress.getLoopbackAddress();
    }

    @Override
    public InputStream body() {
      return new ByteArrayInputStream("{}".getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public OutputStream answer(int code, Map<String, String> with, long length) {
      status = code;
      answered.putAll(with);
      return out;
    }
  }

  private static Asked ask(Console console, String method, String host, String target) {
    Asked asked =
        new Asked(
            method,
            target,
            Map.of(
                "Host",
                host,
                "Authorization",
                "Bearer " + SECRET,
                "Content-Type",
                "application/json"));
    console.answer(asked);
    return asked;
  }

  @Test
  void anyServerCanHandRequestsOver() {
    try (Console console = mount()) {
      Asked queues = ask(console, "GET", "shop.example", "/ops/waybill/api/v1/queues/mail?x=1");
      assertThat(queues.status).isEqualTo(200);
      assertThat(queues.out.toString(StandardCharsets.UTF_8)).contains("\"name\":\"mail\"");
      assertThat(queues.answered)
          .containsEntry("X-Content-Type-Options", "nosniff")
          .containsKey("Content-Security-Policy");
      String pause = "/ops/waybill/api/v1/queues/mail/pause";
      assertThat(ask(console, "POST", "shop.example:8443", pause).status).isEqualTo(200);
      assertThat(scene.waybill.outbox().status().toString()).contains("paused=true");
      assertThat(ask(console, "POST", "rebound.example", pause).status)
          .as("names that nobody allowed")
          .isEqualTo(421);
      assertThat(ask(console, "GET", "shop.example", "/elsewhere").status).isEqualTo(404);
    }
  }

  @Test
  void nobodyKnowsWhoReachesTheHostsServerSoItMustBeProtected() {
    assertThatThrownBy(() -> Console.mount(scene.waybill, ConsoleOptions.defaults()))
        .isInstanceOf(ConsoleException.Unprotected.class)
        .hasMessageContaining("token");
    assertThatThrownBy(
            () ->
                Console.mount(
                    scene.waybill,
                    ConsoleOptions.defaults()
                        .anonymous(Role.VIEW)
                        .token(SECRET, new Principal("olga", Role.OPERATE))))
        .isInstanceOf(ConsoleException.InvalidOption.class);
  }
}

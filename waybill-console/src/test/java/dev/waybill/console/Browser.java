package dev.waybill.console;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A headless Chromium, driven over its DevTools protocol: one WebSocket that the JDK can speak, so
 * no driver program and no further dependency.
 */
final class Browser implements AutoCloseable {
  private final Process process;
  private final Path profile;
  private final WebSocket socket;
  private final AtomicInteger calls = new AtomicInteger();
  private final Map<Long, CompletableFuture<Map<String, @Nullable Object>>> waiting =
      new ConcurrentHashMap<>();

  /** What pages complained about: exceptions, blocked requests, errors of the console. */
  final List<String> complaints = new CopyOnWriteArrayList<>();

  /** Every address that a page asked for. */
  final List<String> requests = new CopyOnWriteArrayList<>();

  private Browser(Process process, Path profile) throws Exception {
    this.process = process;
    this.profile = profile;
    this.socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .buildAsync(pageAddress(), new Ear())
            .get(20, TimeUnit.SECONDS);
    for (String domain : List.of("Page", "Runtime", "Network", "Log")) {
      call(domain + ".enable", new Doc());
    }
  }

  /** Where Chromium is; empty if it is not on the PATH. */
  static Optional<Path> program() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return Stream.of(path.split(":", -1))
        .flatMap(
            folder ->
                Stream.of("chromium", "chromium-browser", "google-chrome")
                    .map(Path.of(folder)::resolve))
        .filter(Files::isExecutable)
        .findFirst();
  }

  static Browser start() throws Exception {
    Path profile = Files.createTempDirectory("waybill-chromium");
    List<String> command = new ArrayList<>();
    command.add(program().orElseThrow().toString());
    command.addAll(
        List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--force-color-profile=srgb",
            "--remote-debugging-port=0",
            "--user-data-dir=" + profile,
            "about:blank"));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(profile.resolve("log").toFile())
            .start();
    try {
      Scene.until(
          "Chromium tells its port", () -> Files.exists(profile.resolve("DevToolsActivePort")));
      return new Browser(process, profile);
    } catch (Exception | AssertionError e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private URI pageAddress() throws Exception {
    Path file = profile.resolve("DevToolsActivePort");
    Scene.until("the port is written", () -> Files.readAllLines(file).size() > 1);
    String port = Files.readAllLines(file).get(0);
    String list =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list"))
                    .build(),
                BodyHandlers.ofString())
            .body();
    Map<String, @Nullable Object> all = Json.readObject("{\"all\":" + list + "}");
    for (Object each : (List<?>) Objects.requireNonNull(all.get("all"))) {
      if (each instanceof Map<?, ?> target && "page".equals(target.get("type"))) {
        return URI.create(String.valueOf(target.get("webSocketDebuggerUrl")));
      }
    }
    throw new IOException("Chromium has no page: " + list);
  }

  private final class Ear implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        String message = text.toString();
        text.setLength(0);
        hear(message);
      }
      from.request(1);
      return null;
    }
  }

  private void hear(String text) {
    if (text.contains("\"method\":\"Network.requestWillBeSent\"")) {
      requests.add(text.replaceFirst("(?s).*?\"url\":\"([^\"]*)\".*", "$1"));
      return;
    }
    if (text.contains("\"method\":\"Runtime.exceptionThrown\"")
        || text.contains("\"method\":\"Log.entryAdded\"")) {
      complaints.add(text);
      return;
    }
    if (text.startsWith("{\"id\":")) {
      Map<String, @Nullable Object> message = Json.readObject(text);
      CompletableFuture<Map<String, @Nullable Object>> call =
          waiting.remove((Long) Objects.requireNonNull(message.get("id")));
      if (call != null) {
        call.complete(message);
      }
    }
  }

  private Map<String, @Nullable Object> call(String method, Doc parameters) throws Exception {
    long id = calls.incrementAndGet();
    CompletableFuture<Map<String, @Nullable Object>> answer = new CompletableFuture<>();
    waiting.put(id, answer);
    // A second text while the first is on its way would be refused, and nobody would notice.
    socket
        .sendText(Doc.of("id", id).put("method", method).put("params", parameters).json(), true)
        .get(30, TimeUnit.SECONDS);
    Map<String, @Nullable Object> message = answer.get(30, TimeUnit.SECONDS);
    if (message.get("error") != null) {
      throw new IOException(method + " failed: " + message.get("error"));
    }
    return member(message, "result");
  }

  @SuppressWarnings("unchecked")
  private static Map<String, @Nullable Object> member(
      Map<String, @Nullable Object> object, String name) {
    return (Map<String, @Nullable Object>) Objects.requireNonNull(object.get(name), name);
  }

  /** Opens an address; a fragment of the page that is open already does not load it again. */
  void open(String address) throws Exception {
    call("Page.navigate", Doc.of("url", address));
  }

  void size(int width, int height, boolean dark) throws Exception {
    call(
        "Emulation.setDeviceMetricsOverride",
        Doc.of("width", width)
            .put("height", height)
            .put("deviceScaleFactor", 1)
            .put("mobile", width < 600));
    call(
        "Emulation.setEmulatedMedia",
        Doc.of(
            "features",
            List.of(
                Doc.of("name", "prefers-color-scheme").put("value", dark ? "dark" : "light"),
                Doc.of("name", "prefers-reduced-motion").put("value", "reduce"))));
  }

  /** The value of a JavaScript expression. */
  @Nullable Object eval(String expression) throws Exception {
    Map<String, @Nullable Object> result =
        call(
            "Runtime.evaluate",
            Doc.of("expression", expression).put("returnByValue", true).put("awaitPromise", true));
    if (result.get("exceptionDetails") != null) {
      throw new IOException(expression + " failed: " + result.get("exceptionDetails"));
    }
    return member(result, "result").get("value");
  }

  void until(String what, String expression) throws Exception {
    try {
      Scene.until(what, () -> Boolean.TRUE.equals(eval(expression)));
    } catch (AssertionError e) {
      throw new AssertionError(
          e.getMessage() + "\nThe page shows: " + text() + "\nIt complains: " + complaints, e);
    }
  }

  /** Waits until the page shows a text. */
  void sees(String text) throws Exception {
    until(
        "the page shows '" + text + "'",
        "document.body?.innerText.includes(" + Json.write(text) + ") ?? false");
  }

  String text() throws Exception {
    return String.valueOf(eval("document.body?.innerText ?? ''"));
  }

  /** Clicks the first visible button or link with that text. */
  void click(String text) throws Exception {
    until(
        "something to click called " + text,
        "(() => { const all = [...document.querySelectorAll('dialog[open] button, button, a')]"
            + ".filter(e => e.innerText.trim() === "
            + Json.write(text)
            + " && e.offsetParent !== null || e.closest('dialog[open]') && e.innerText.trim() === "
            + Json.write(text)
            + ");"
            + " const d = document.querySelector('dialog[open]');"
            + " const found = d ? all.find(e => d.contains(e)) : all[0];"
            + " if (!found) return false; found.focus(); found.click(); return true; })()");
  }

  void key(String key) throws Exception {
    String text = key.length() == 1 ? key : key.equals("Enter") ? "\r" : "";
    Doc down = Doc.of("type", "keyDown").put("key", key).put("text", text);
    if (key.equals("Enter")) {
      down.put("windowsVirtualKeyCode", 13).put("code", "Enter");
    }
    call("Input.dispatchKeyEvent", down);
    call("Input.dispatchKeyEvent", Doc.of("type", "keyUp").put("key", key));
  }

  void type(String text) throws Exception {
    call("Input.insertText", Doc.of("text", text));
  }

  byte[] screenshot() throws Exception {
    Object data = call("Page.captureScreenshot", Doc.of("format", "png")).get("data");
    return Base64.getDecoder().decode(String.valueOf(data).getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public void close() throws IOException {
    socket.abort();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join();
    try (Stream<Path> files = Files.walk(profile)) {
      files.sorted((a, b) -> b.compareTo(a)).forEach(file -> file.toFile().delete());
    }
  }
}

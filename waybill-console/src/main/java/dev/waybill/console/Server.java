package dev.waybill.console;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes requests in, has the doorkeeper look at them, and sends answers with safe headers. */
final class Server implements HttpHandler {
  private static final Logger log = LoggerFactory.getLogger(Server.class);
  private static final int LARGEST_BODY = 256 * 1024;
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
          + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  /** What the server itself answers, for the description. */
  static final List<Route> OWN_ROUTES =
      List.of(
          Route.get("/session", "Who you are and what you may do.", List.of(), Server::elsewhere),
          new Route(
              "POST",
              "/session",
              Role.VIEW,
              "Signs in with a token; answers with a cookie.",
              List.of("token"),
              Server::elsewhere),
          new Route("POST", "/session/end", Role.VIEW, "Signs out.", List.of(), Server::elsewhere),
          Route.get(
              "/stream",
              "Server-sent events: 'history', then 'sample' as they are taken, and 'subject' for"
                  + " the job or workflow that is watched.",
              List.of("job", "workflow"),
              Server::elsewhere));

  private final ConsoleOptions options;
  private final Sessions sessions;
  private final Doorkeeper doorkeeper;
  private final Routes routes;
  private final Sampler sampler;
  private final Stream stream;
  private final Recent recent;
  private final Doc features;
  private final Assets assets = new Assets();

  Server(
      ConsoleOptions options,
      Sessions sessions,
      Doorkeeper doorkeeper,
      Routes routes,
      Sampler sampler,
      Doc features) {
    this.options = options;
    this.sessions = sessions;
    this.doorkeeper = doorkeeper;
    this.routes = routes;
    this.sampler = sampler;
    this.stream = new Stream(sampler);
    this.recent = new Recent(options.refresh().toNanos());
    this.features = features;
  }

  private static Doc elsewhere(Request request) {
    throw new IllegalStateException("The server answers this itself");
  }

  @Override
  public void handle(HttpExchange exchange) {
    try (exchange) {
      protect(exchange.getResponseHeaders());
      try {
        answer(exchange);
      } catch (Refusal refusal) {
        refuse(exchange, refusal);
      }
    } catch (IOException gone) {
      log.debug("The browser went away", gone);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      log.warn("The console failed to answer {}", exchange.getRequestURI().getPath(), e);
    }
  }

  private static void protect(Headers headers) {
    headers.set("Content-Security-Policy", POLICY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("X-Frame-Options", "DENY");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    headers.set("Cache-Control", "no-store");
  }

  private void answer(HttpExchange exchange) throws Exception {
    doorkeeper.checkHost(exchange.getRequestHeaders());
    String path = exchange.getRequestURI().getRawPath();
    String base = options.path();
    String inside = path.startsWith(base) ? path.substring(base.length()) : "nowhere";
    if (!inside.isEmpty() && !inside.startsWith("/")) {
      throw Refusal.notFound("such page");
    }
    if (inside.startsWith("/api/v1/")) {
      api(exchange, segments(inside.substring("/api/v1/".length())));
    } else if (inside.isEmpty()) {
      exchange.getResponseHeaders().set("Location", base + "/");
      exchange.sendResponseHeaders(308, -1);
    } else {
      page(exchange, inside.substring(1));
    }
  }

  private void page(HttpExchange exchange, String path) throws IOException {
    if (!exchange.getRequestMethod().equals("GET")) {
      throw new Refusal(405, "wrong_method", "Files can only be read.");
    }
    Assets.Asset asset = assets.find(path).orElseThrow(() -> Refusal.notFound("such page"));
    exchange.getResponseHeaders().set("Cache-Control", "no-cache");
    send(exchange, 200, asset.type(), asset.bytes());
  }

  private void api(HttpExchange exchange, List<String> segments) throws Exception {
    String method = exchange.getRequestMethod();
    boolean post = method.equals("POST");
    String path = String.join("/", segments);
    if (post && path.equals("session")) {
      signIn(exchange);
      return;
    }
    Optional<Visitor> visitor = doorkeeper.identify(exchange);
    if (!post && path.equals("session")) {
      sendJson(exchange, session(visitor).json());
      return;
    }
    Visitor known =
        visitor.orElseThrow(() -> new Refusal(401, "who_are_you", "Sign in with a token first."));
    if (post) {
      checkedChange(exchange, known, segments, path);
    } else if (path.equals("stream")) {
      stream.serve(exchange, subject(exchange), () -> isStillIn(known));
    } else {
      Routes.Match match =
          routes.find(method, segments).orElseThrow(() -> Refusal.notFound("such thing"));
      Request request = new Request(known.who(), match.names(), query(exchange), Map.of());
      String key = exchange.getRequestURI().toString();
      sendJson(exchange, recent.get(key, () -> translated(match.route(), request).json()));
    }
  }

  private boolean isStillIn(Visitor visitor) {
    return visitor.session().isEmpty() || sessions.find(visitor.session().get()).isPresent();
  }

  private void checkedChange(
      HttpExchange exchange, Visitor visitor, List<String> segments, String path) throws Exception {
    try {
      doorkeeper.checkOrigin(exchange.getRequestHeaders(), visitor);
      if (path.equals("session/end")) {
        visitor.session().ifPresent(sessions::close);
        exchange.getResponseHeaders().add("Set-Cookie", cookie("", 0));
        sendJson(exchange, new Doc().json());
        return;
      }
      Routes.Match match =
          routes.find("POST", segments).orElseThrow(() -> Refusal.notFound("such thing"));
      if (!visitor.who().role().allows(match.route().role())) {
        throw new Refusal(403, "not_allowed", "You may look, but not change anything here.");
      }
      Request request = new Request(visitor.who(), match.names(), query(exchange), body(exchange));
      Doc done = translated(match.route(), request);
      recent.forget();
      sampler.hurry();
      sendJson(exchange, done.json());
    } catch (Refusal refusal) {
      Audit.refused(visitor.who().name(), "POST " + path, refusal.status(), refusal.text());
      throw refusal;
    }
  }

  private static Doc translated(Route route, Request request) throws Exception {
    try {
      return route.handler().handle(request);
    } catch (Exception e) {
      Refusal refusal =
          Refusal.of(e)
              .orElseGet(
                  () -> {
                    log.warn("{} {} failed", route.method(), route.path(), e);
                    return new Refusal(500, "failed", "That failed; the log says why.");
                  });
      if (refusal.status() == 503) {
        log.warn("{} {} failed", route.method(), route.path(), e);
      }
      throw refusal;
    }
  }

  private void signIn(HttpExchange exchange) throws IOException {
    doorkeeper.refuseForeign(exchange.getRequestHeaders());
    Object token = body(exchange).get("token");
    Optional<Principal> who =
        token instanceof String text
            ? doorkeeper.byToken(text, exchange.getRemoteAddress().getAddress())
            : Optional.empty();
    if (who.isEmpty()) {
      Audit.refused(exchange.getRemoteAddress().toString(), "sign in", 401, "wrong token");
      throw new Refusal(401, "wrong_token", "That is not a token of this console.");
    }
    Sessions.Session session = sessions.open(who.get());
    Audit.done(who.get(), "sign in", exchange.getRemoteAddress(), 1);
    exchange.getResponseHeaders().add("Set-Cookie", cookie(session.id(), -1));
    sendJson(exchange, Doc.of("name", who.get().name()).put("role", who.get().role()).json());
  }

  private String cookie(String value, int maxAge) {
    return Sessions.COOKIE
        + "="
        + value
        + "; Path="
        + options.path()
        + "/; HttpOnly; SameSite=Strict"
        + (options.hasSecureCookies() ? "; Secure" : "")
        + (maxAge < 0 ? "" : "; Max-Age=" + maxAge);
  }

  private Doc session(Optional<Visitor> visitor) {
    Doc doc =
        Doc.of("title", options.title())
            .put("signIn", !options.tokens().isEmpty())
            .put("signedIn", visitor.flatMap(Visitor::session).isPresent())
            .put("refresh", options.refresh());
    visitor.ifPresent(
        known ->
            doc.put("name", known.who().name())
                .put("role", known.who().role())
                .put("csrf", known.csrf())
                .put("features", features));
    return doc;
  }

  private static Optional<Sampler.Subject> subject(HttpExchange exchange) {
    Map<String, String> query = query(exchange);
    for (String kind : List.of("job", "workflow")) {
      String id = query.get(kind);
      if (id != null && id.matches("[0-9a-f-]{36}")) {
        return Optional.of(new Sampler.Subject(kind, id));
      }
    }
    return Optional.empty();
  }

  private static List<String> segments(String path) {
    List<String> segments = new ArrayList<>();
    for (String segment : path.split("/", -1)) {
      segments.add(decoded(segment.replace("+", "%2B")));
    }
    return segments;
  }

  private static Map<String, String> query(HttpExchange exchange) {
    Map<String, String> query = new HashMap<>();
    String raw = Objects.requireNonNullElse(exchange.getRequestURI().getRawQuery(), "");
    for (String pair : raw.split("&", -1)) {
      int sign = pair.indexOf('=');
      if (sign > 0) {
        query.putIfAbsent(decoded(pair.substring(0, sign)), decoded(pair.substring(sign + 1)));
      }
    }
    return query;
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw Refusal.invalid("The address is not well-formed.");
    }
  }

  private static Map<String, @Nullable Object> body(HttpExchange exchange) throws IOException {
    String type =
        Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Content-Type"), "");
    if (!type.startsWith("application/json")) {
      throw new Refusal(415, "not_json", "Send JSON.");
    }
    byte[] bytes = exchange.getRequestBody().readNBytes(LARGEST_BODY + 1);
    if (bytes.length > LARGEST_BODY) {
      throw new Refusal(413, "too_large", "A body has at most " + LARGEST_BODY + " bytes.");
    }
    return Json.readObject(new String(bytes, StandardCharsets.UTF_8));
  }

  private static void refuse(HttpExchange exchange, Refusal refusal) throws IOException {
    if (exchange.getResponseCode() != -1) {
      return;
    }
    send(
        exchange,
        refusal.status(),
        "application/json",
        refusal.document().json().getBytes(StandardCharsets.UTF_8));
  }

  private static void sendJson(HttpExchange exchange, String json) throws IOException {
    send(exchange, 200, "application/json", json.getBytes(StandardCharsets.UTF_8));
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] bytes)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}

package dev.waybill.console;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes requests in, has the doorkeeper look at them, and finds who answers. */
final class Server {
  private static final Logger log = LoggerFactory.getLogger(Server.class);

  private final ConsoleOptions options;
  private final Doorkeeper doorkeeper;
  private final SignIn signIn;
  private final Routes routes;
  private final Sampler sampler;
  private final Stream stream;
  private final Recent recent;
  private final Assets assets = new Assets();

  Server(
      ConsoleOptions options,
      Doorkeeper doorkeeper,
      SignIn signIn,
      Routes routes,
      Sampler sampler) {
    this.options = options;
    this.doorkeeper = doorkeeper;
    this.signIn = signIn;
    this.routes = routes;
    this.sampler = sampler;
    this.stream = new Stream(sampler);
    this.recent = new Recent(System::nanoTime);
  }

  void answer(Exchange exchange) {
    Answer answer = new Answer(exchange);
    try {
      try {
        doorkeeper.checkHost(exchange);
        dispatch(new Incoming(exchange, options.path()), answer);
      } catch (Refusal refusal) {
        answer.refuse(refusal);
      } catch (IOException | InterruptedException e) {
        throw e;
      } catch (Exception e) {
        log.warn("The console failed to answer {}", exchange.target(), e);
        answer.refuse(failure());
      }
    } catch (IOException gone) {
      log.debug("The browser went away", gone);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Refusal failure() {
    return new Refusal(500, "failed", "That failed; the log says why.");
  }

  private void dispatch(Incoming incoming, Answer answer) throws Exception {
    if (incoming.isForApi()) {
      api(incoming, answer);
    } else if (incoming.isBare()) {
      answer.moved(options.path() + "/");
    } else if (!incoming.exchange().method().equals("GET")) {
      throw new Refusal(405, "wrong_method", "Files can only be read.");
    } else {
      Assets.Asset asset =
          assets.find(incoming.file()).orElseThrow(() -> Refusal.notFound("such page"));
      answer.header("Cache-Control", "no-cache");
      answer.send(200, asset.type(), asset.bytes());
    }
  }

  private void api(Incoming incoming, Answer answer) throws Exception {
    List<String> segments = incoming.segments();
    String path = String.join("/", segments);
    if (incoming.isPost() && path.equals("session")) {
      signIn.in(incoming, answer);
      return;
    }
    Optional<Visitor> visitor = doorkeeper.identify(incoming.exchange());
    if (!incoming.isPost() && path.equals("session")) {
      answer.json(signIn.document(visitor));
      return;
    }
    Visitor known =
        visitor.orElseThrow(() -> new Refusal(401, "who_are_you", "Sign in with a token first."));
    if (incoming.isPost()) {
      change(incoming, known, segments, answer);
    } else if (path.equals("stream")) {
      try {
        stream.serve(
            answer, subject(incoming.query()), signIn.isStillIn(incoming.exchange(), known));
      } finally {
        recent.forget();
      }
    } else {
      Routes.Match match =
          routes
              .find(incoming.exchange().method(), segments)
              .orElseThrow(() -> Refusal.notFound("such thing"));
      Request request = new Request(known.who(), match.names(), incoming.query(), Map.of());
      answer.json(
          recent.get(
              incoming.exchange().target(),
              options.refresh(),
              () -> translated(match.route(), request).json()));
    }
  }

  private void change(Incoming incoming, Visitor visitor, List<String> segments, Answer answer)
      throws Exception {
    String path = String.join("/", segments);
    try {
      doorkeeper.checkOrigin(incoming.exchange(), visitor);
      if (path.equals("session/end")) {
        signIn.out(visitor, answer);
        return;
      }
      Routes.Match match =
          routes.find("POST", segments).orElseThrow(() -> Refusal.notFound("such thing"));
      if (!visitor.who().role().allows(match.route().role())) {
        throw new Refusal(403, "not_allowed", "You may look, but not change anything here.");
      }
      Request request =
          new Request(visitor.who(), match.names(), incoming.query(), incoming.body());
      Doc done = translated(match.route(), request);
      recent.forget();
      sampler.hurry();
      answer.json(done);
    } catch (Refusal refusal) {
      Audit.refused(visitor.who().name(), "POST " + path, refusal.status(), refusal.text());
      throw refusal;
    }
  }

  private static Doc translated(Route route, Request request) throws Exception {
    try {
      return route.handler().handle(request);
    } catch (Exception e) {
      Refusal refusal = Refusal.of(e).orElseGet(Server::failure);
      if (refusal.status() >= 500) {
        log.warn("{} {} failed", route.method(), route.path(), e);
      }
      throw refusal;
    }
  }

  private static Optional<Sampler.Subject> subject(Map<String, String> query) {
    for (String kind : List.of("job", "workflow")) {
      String id = query.get(kind);
      if (id != null && id.matches("[0-9a-f-]{36}")) {
        return Optional.of(new Sampler.Subject(kind, id));
      }
    }
    return Optional.empty();
  }
}

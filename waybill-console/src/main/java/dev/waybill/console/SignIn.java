package dev.waybill.console;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** How a browser comes in with a token and goes out again, and what its page begins with. */
final class SignIn {
  /** What is answered here and by the {@link Stream}, for the description. */
  static final List<Route> ROUTES =
      List.of(
          Route.get("/session", "Who you are and what you may do.", List.of(), SignIn::elsewhere),
          new Route(
              "POST",
              "/session",
              Role.VIEW,
              "Signs in with a token; answers with a cookie.",
              List.of("token"),
              SignIn::elsewhere),
          new Route("POST", "/session/end", Role.VIEW, "Signs out.", List.of(), SignIn::elsewhere),
          Route.get(
              "/stream",
              "Server-sent events: 'history', then 'sample' as they are taken, and 'subject' for"
                  + " the job or workflow that is watched.",
              List.of("job", "workflow"),
              SignIn::elsewhere));

  private static final Duration ASK_AGAIN = Duration.ofSeconds(3);

  private final ConsoleOptions options;
  private final Sessions sessions;
  private final Doorkeeper doorkeeper;
  private final Doc features;

  SignIn(ConsoleOptions options, Sessions sessions, Doorkeeper doorkeeper, Doc features) {
    this.options = options;
    this.sessions = sessions;
    this.doorkeeper = doorkeeper;
    this.features = features;
  }

  private static Doc elsewhere(Request request) {
    throw new IllegalStateException("Not answered by the table of routes");
  }

  void in(Incoming incoming, Answer answer) throws IOException {
    doorkeeper.refuseForeign(incoming.exchange());
    Object token = incoming.body().get("token");
    InetAddress from = incoming.exchange().address();
    Optional<Principal> who =
        token instanceof String text ? doorkeeper.byToken(text, from) : Optional.empty();
    if (who.isEmpty()) {
      Audit.refused(from.toString(), "sign in", 401, "wrong token");
      throw new Refusal(401, "wrong_token", "That is not a token of this console.");
    }
    Sessions.Session session = sessions.open(who.get());
    Audit.done(who.get(), "sign in", from, 1);
    answer.header("Set-Cookie", cookie(session.id(), -1));
    answer.json(Doc.of("name", who.get().name()).put("role", who.get().role()));
  }

  void out(Visitor visitor, Answer answer) throws IOException {
    visitor.session().ifPresent(sessions::close);
    answer.header("Set-Cookie", cookie("", 0));
    answer.json(new Doc());
  }

  /**
   * Whether somebody who listens may go on; to be asked again and again. A session is looked up
   * every time, others are identified anew every few seconds: who they are may be a directory's to
   * say.
   */
  BooleanSupplier isStillIn(Exchange exchange, Visitor visitor) {
    if (visitor.session().isPresent()) {
      return () -> sessions.find(visitor.session().get()).isPresent();
    }
    return new BooleanSupplier() {
      private long askedAt = System.nanoTime();

      @Override
      public boolean getAsBoolean() {
        if (System.nanoTime() - askedAt < ASK_AGAIN.toNanos()) {
          return true;
        }
        askedAt = System.nanoTime();
        return doorkeeper
            .identify(exchange)
            .filter(now -> now.who().name().equals(visitor.who().name()))
            .isPresent();
      }
    };
  }

  /** Who asks and what they may do, as far as they may know. */
  Doc document(Optional<Visitor> visitor) {
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
}

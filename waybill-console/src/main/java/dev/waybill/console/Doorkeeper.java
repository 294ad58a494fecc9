package dev.waybill.console;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides who comes in: by the host that was asked for, by who asks, and by where it comes from.
 */
final class Doorkeeper {
  static final String CSRF_HEADER = "X-Waybill-Csrf";

  private static final Logger log = LoggerFactory.getLogger(Doorkeeper.class);
  private static final Pattern IP_LITERAL =
      Pattern.compile("\\[[0-9a-f:.]+(%[^]]*)?]|[0-9]{1,3}(\\.[0-9]{1,3}){3}");
  private static final List<String> LOOPBACK = List.of("localhost", "127.0.0.1", "[::1]");

  private final ConsoleOptions options;
  private final Sessions sessions;
  private final byte[] secret;
  private final boolean anyAddress;
  private final Guesses guesses = new Guesses();

  /** If the console is mounted, the host's server decides where it listens. */
  Doorkeeper(ConsoleOptions options, Sessions sessions, boolean mounted) {
    this.options = options;
    this.sessions = sessions;
    this.anyAddress = mounted || options.address().isAnyLocalAddress();
    this.secret = sessions.secret().getBytes(StandardCharsets.UTF_8);
  }

  /** Refuses names that nobody allowed: a foreign page may have bound them to our address. */
  void checkHost(Exchange exchange) {
    String host = first(exchange, "Host").orElse("").toLowerCase(Locale.ROOT);
    int colon = host.lastIndexOf(':');
    String name = colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
    if (!isOurs(name)) {
      throw new Refusal(
          421, "wrong_host", "The console does not answer under this name; see allowHost.");
    }
  }

  private boolean isOurs(String name) {
    if (LOOPBACK.contains(name) || options.hosts().contains(name)) {
      return true;
    }
    // Nobody can bind a literal to another address, so it is no rebinding.
    return IP_LITERAL.matcher(name).matches() && (anyAddress || isAddress(name, options.address()));
  }

  private static boolean isAddress(String literal, InetAddress address) {
    try {
      return InetAddress.getByName(literal).equals(address);
    } catch (UnknownHostException notEvenALiteral) {
      return false;
    }
  }

  /** Who asks; empty for nobody who may. */
  Optional<Visitor> identify(Exchange exchange) {
    String authorization = first(exchange, "Authorization").orElse("");
    if (authorization.startsWith("Bearer ")) {
      return byToken(authorization.substring("Bearer ".length()).trim(), exchange.address())
          .map(who -> new Visitor(who, "", false, Optional.empty()));
    }
    Optional<Sessions.Session> session = cookie(exchange).flatMap(sessions::find);
    if (session.isPresent()) {
      String id = session.get().id();
      return Optional.of(
          new Visitor(session.get().who(), csrf("session " + id), true, Optional.of(id)));
    }
    return byApplication(exchange)
        .or(() -> options.anonymous().map(role -> new Principal("anonymous", role)))
        .map(who -> new Visitor(who, csrf("user " + who.name()), true, Optional.empty()));
  }

  /**
   * Whose token it is. After ten wrong ones an address is told to wait, but a right one is taken
   * even then: behind a proxy all have one address, and whoever guesses must not shut out those who
   * know. What keeps tokens from being guessed is their length.
   */
  Optional<Principal> byToken(String token, InetAddress from) {
    byte[] given = digest(token);
    Optional<Principal> found = Optional.empty();
    for (Map.Entry<String, Principal> entry : options.tokens().entrySet()) {
      if (MessageDigest.isEqual(given, digest(entry.getKey()))) {
        found = Optional.of(entry.getValue());
      }
    }
    if (found.isEmpty()) {
      if (!guesses.mayTry(from)) {
        throw new Refusal(
            429, "too_many_attempts", "Too many wrong tokens; try again in a minute.");
      }
      guesses.wrong(from);
    }
    return found;
  }

  private Optional<Principal> byApplication(Exchange exchange) {
    return options
        .authenticator()
        .flatMap(
            authenticator -> {
              try {
                return authenticator.authenticate(caller(exchange));
              } catch (RuntimeException e) {
                log.warn("The authenticator failed, so nobody is let in", e);
                return Optional.empty();
              }
            });
  }

  private static Authenticator.Caller caller(Exchange exchange) {
    return new Authenticator.Caller() {
      @Override
      public @Nullable String header(String name) {
        return first(exchange, name).orElse(null);
      }

      @Override
      public InetAddress address() {
        return exchange.address();
      }
    };
  }

  private static Optional<String> first(Exchange exchange, String header) {
    return exchange.headers(header).stream().findFirst();
  }

  private static Optional<String> cookie(Exchange exchange) {
    for (String line : exchange.headers("Cookie")) {
      for (String part : line.split(";", -1)) {
        String pair = part.trim();
        if (pair.startsWith(Sessions.COOKIE + "=")) {
          return Optional.of(pair.substring(Sessions.COOKIE.length() + 1));
        }
      }
    }
    return Optional.empty();
  }

  /** Refuses a change that a page of somebody else may have made the browser ask for. */
  void checkOrigin(Exchange exchange, Visitor visitor) {
    refuseForeign(exchange);
    if (visitor.forgeable()) {
      String given = first(exchange, CSRF_HEADER).orElse("");
      if (!MessageDigest.isEqual(digest(given), digest(visitor.csrf()))) {
        throw forged();
      }
    }
  }

  /** What browsers themselves say about where a request comes from. */
  void refuseForeign(Exchange exchange) {
    String site = first(exchange, "Sec-Fetch-Site").orElse("none");
    String host = first(exchange, "Host").orElse("");
    String origin = first(exchange, "Origin").orElse(host);
    boolean foreign =
        (!site.equals("same-origin") && !site.equals("none"))
            || !origin.replaceFirst("^https?://", "").equalsIgnoreCase(host);
    if (foreign) {
      throw forged();
    }
  }

  private static Refusal forged() {
    return new Refusal(
        403, "forged", "This did not come from the console's own page; reload it and try again.");
  }

  private String csrf(String whose) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(mac.doFinal(whose.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JDK has HmacSHA256", e);
    }
  }

  /** Of equal length whatever the text, so that a comparison tells nothing about it. */
  private static byte[] digest(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }
}

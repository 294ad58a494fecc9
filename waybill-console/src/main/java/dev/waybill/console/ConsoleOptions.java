package dev.waybill.console;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a console is to be. Gathers what is said, for one thread; {@link Console#start} checks it.
 *
 * <p>As it is, a console listens on the loopback address and lets whoever reaches that look, not
 * touch. To let people operate, set a token or an authenticator, or say so with {@link #anonymous}.
 */
public final class ConsoleOptions {
  /** The port if none is said. */
  public static final int DEFAULT_PORT = 8484;

  private static final int SHORTEST_TOKEN = 16;
  private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)*");
  private static final Pattern HOST = Pattern.compile("[a-z0-9]([a-z0-9.-]*[a-z0-9])?");

  private InetAddress address = InetAddress.getLoopbackAddress();
  private int port = DEFAULT_PORT;
  private String path = "";
  private final Map<String, Principal> tokens = new HashMap<>();
  private final Set<String> hosts = new TreeSet<>();
  private @Nullable Authenticator authenticator;
  private @Nullable Role anonymous;
  private @Nullable Redactor redactor;
  private Duration refresh = Duration.ofSeconds(1);
  private boolean secureCookies;
  private String title = "Waybill";

  private ConsoleOptions() {}

  /** Loopback, port {@value #DEFAULT_PORT}, looking only, payloads hidden. */
  public static ConsoleOptions defaults() {
    return new ConsoleOptions();
  }

  /** Listens on this address. Any but a loopback one needs a token or an authenticator. */
  public ConsoleOptions address(InetAddress value) {
    address = Objects.requireNonNull(value, "address");
    return this;
  }

  /** Listens on this port; 0 for a free one. */
  public ConsoleOptions port(int value) {
    require(value >= 0 && value <= 65_535, "port", "must be from 0 to 65535, but is " + value);
    port = value;
    return this;
  }

  /**
   * Lives under this path, such as {@code /ops/waybill}; a proxy, or the server that a console is
   * mounted in, must pass it on.
   */
  public ConsoleOptions path(String value) {
    require(
        PATH.matcher(value).matches() && !value.contains("/.."),
        "path",
        "must be like /ops/waybill: begin with a slash, end without one");
    path = value;
    return this;
  }

  /** Whoever knows the token is this principal. It can be called several times. */
  public ConsoleOptions token(String secret, Principal principal) {
    require(
        secret.length() >= SHORTEST_TOKEN,
        "token",
        "must have at least " + SHORTEST_TOKEN + " characters; take random ones");
    tokens.put(secret, Objects.requireNonNull(principal, "principal"));
    return this;
  }

  /** Has the host application say who somebody is. */
  public ConsoleOptions authenticator(Authenticator value) {
    authenticator = Objects.requireNonNull(value, "authenticator");
    return this;
  }

  /**
   * What those may do who do not say who they are; on a loopback address only. Default: look, as
   * long as there is neither a token nor an authenticator, and nothing otherwise.
   */
  public ConsoleOptions anonymous(Role value) {
    anonymous = Objects.requireNonNull(value, "anonymous");
    return this;
  }

  /**
   * Answers under this host name, too. Requests for names that nobody allowed are refused, so that
   * no foreign page reaches the console by a name of its own (DNS rebinding).
   */
  public ConsoleOptions allowHost(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    require(HOST.matcher(lower).matches(), "allowHost", "must be a host name without a port");
    hosts.add(lower);
    return this;
  }

  /** Shows payloads, outputs, keys and headers, after the redactor has seen them. */
  public ConsoleOptions payloads(Redactor value) {
    redactor = Objects.requireNonNull(value, "redactor");
    return this;
  }

  /** How often the database is asked while somebody watches. Default: every second. */
  public ConsoleOptions refresh(Duration value) {
    require(
        value.toMillis() >= 200 && value.toMinutes() < 10,
        "refresh",
        "must be between 200 ms and 10 minutes, but is " + value);
    refresh = value;
    return this;
  }

  /** Cookies travel over TLS only: for a console behind a proxy that speaks it. */
  public ConsoleOptions secureCookies() {
    secureCookies = true;
    return this;
  }

  /** What the page calls itself, such as the service's name. */
  public ConsoleOptions title(String value) {
    require(!value.isBlank() && value.length() <= 60, "title", "must have 1 to 60 characters");
    title = value;
    return this;
  }

  private static void require(boolean valid, String option, String complaint) {
    if (!valid) {
      throw new ConsoleException.InvalidOption(option, complaint);
    }
  }

  void check() {
    if (!address.isLoopbackAddress()) {
      if (tokens.isEmpty() && authenticator == null) {
        throw new ConsoleException.Unprotected(address.getHostAddress());
      }
      require(anonymous == null, "anonymous", "is for loopback addresses only");
    }
  }

  void checkMounted() {
    if (tokens.isEmpty() && authenticator == null) {
      throw new ConsoleException.Unprotected("the host application's server");
    }
    require(anonymous == null, "anonymous", "is for consoles that listen on a loopback address");
  }

  InetSocketAddress socketAddress() {
    return new InetSocketAddress(address, port);
  }

  InetAddress address() {
    return address;
  }

  String path() {
    return path;
  }

  Map<String, Principal> tokens() {
    return Map.copyOf(tokens);
  }

  Set<String> hosts() {
    return Set.copyOf(hosts);
  }

  Optional<Authenticator> authenticator() {
    return Optional.ofNullable(authenticator);
  }

  Optional<Role> anonymous() {
    if (anonymous != null) {
      return Optional.of(anonymous);
    }
    return tokens.isEmpty() && authenticator == null ? Optional.of(Role.VIEW) : Optional.empty();
  }

  Optional<Redactor> redactor() {
    return Optional.ofNullable(redactor);
  }

  Duration refresh() {
    return refresh;
  }

  boolean hasSecureCookies() {
    return secureCookies;
  }

  String title() {
    return title;
  }
}

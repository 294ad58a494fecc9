package dev.waybill.console;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Who has shown a token, by the secret that their browser keeps in a cookie. Thread-safe. */
final class Sessions {
  static final String COOKIE = "waybill_session";

  private static final Duration LIFETIME = Duration.ofHours(12);
  private static final int MOST = 1_000;

  private final LongSupplier nanos;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, Session> byId = new LinkedHashMap<>();

  /**
   * A session.
   *
   * @param id its secret
   * @param who has it
   */
  record Session(String id, Principal who, long openedAt) {}

  Sessions(LongSupplier nanos) {
    this.nanos = nanos;
  }

  synchronized Session open(Principal who) {
    Session session = new Session(secret(), who, nanos.getAsLong());
    byId.put(session.id(), session);
    if (byId.size() > MOST) {
      byId.remove(byId.keySet().iterator().next());
    }
    return session;
  }

  synchronized Optional<Session> find(String id) {
    Session session = byId.get(id);
    if (session != null && nanos.getAsLong() - session.openedAt() > LIFETIME.toNanos()) {
      byId.remove(id);
      return Optional.empty();
    }
    return Optional.ofNullable(session);
  }

  synchronized void close(String id) {
    byId.remove(id);
  }

  String secret() {
    byte[] bytes = new byte[32];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}

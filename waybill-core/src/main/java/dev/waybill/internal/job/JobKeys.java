package dev.waybill.internal.job;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * Keys as the database compares them: a digest, because collations disagree about what is equal and
 * indexes about how long a key may be.
 */
public final class JobKeys {
  private JobKeys() {}

  static String idempotency(String type, String tenant, String key) {
    return digest("idempotency", type, tenant, key);
  }

  static String active(String type, String tenant, String key) {
    return digest("active", type, tenant, key);
  }

  /** One resource for all tenants and types. */
  public static String resource(String key) {
    return digest("resource", key);
  }

  /** Tells lists of texts apart. */
  public static String digest(String... parts) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      for (String part : parts) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        // With the length, so that no two lists of parts are the same bytes.
        sha.update(Integer.toString(bytes.length).getBytes(StandardCharsets.UTF_8));
        sha.update((byte) ':');
        sha.update(bytes);
      }
      return Base64.getUrlEncoder().withoutPadding().encodeToString(sha.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JVM has SHA-256", e);
    }
  }
}

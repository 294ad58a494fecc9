package dev.waybill.internal.outbox;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a producer wrote, as it was stored. Owns its payload: who gives it away copies. */
final class MessageBody {
  private final String type;
  private final byte[] payload;
  private final Map<String, String> headers;
  private final @Nullable String key;
  private final Instant createdAt;

  /** The payload is not copied: it comes fresh from the database. */
  MessageBody(
      String type,
      byte[] payload,
      Map<String, String> headers,
      @Nullable String key,
      Instant createdAt) {
    this.type = type;
    this.payload = payload;
    this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    this.key = key;
    this.createdAt = createdAt;
  }

  String type() {
    return type;
  }

  byte[] copyOfPayload() {
    return payload.clone();
  }

  /** The payload as text, null if it is none. */
  @Nullable String text() {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  Map<String, String> headers() {
    return headers;
  }

  @Nullable String key() {
    return key;
  }

  Instant createdAt() {
    return createdAt;
  }

  @Override
  public String toString() {
    return type + ", " + payload.length + " bytes";
  }
}

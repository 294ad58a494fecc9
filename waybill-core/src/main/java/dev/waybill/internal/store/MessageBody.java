package dev.waybill.internal.store;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a producer wrote, as it was stored. Owns its payload: who gives it away copies. */
public final class MessageBody {
  /** Stands for one that is not there. */
  static final MessageBody MISSING =
      new MessageBody("", new byte[0], Map.of(), null, Instant.EPOCH);

  private final String type;
  private final byte[] payload;
  private final Map<String, String> headers;
  private final @Nullable String key;
  private final Instant createdAt;

  /** The payload is not copied: it comes fresh from the database. */
  public MessageBody(
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

  /** What kind of message it is. */
  public String type() {
    return type;
  }

  /** The bytes as they are, for the store that writes them elsewhere. */
  byte[] payload() {
    return payload;
  }

  /** The bytes, for whoever may change them. */
  public byte[] copyOfPayload() {
    return payload.clone();
  }

  /** The payload as text, null if it is none. */
  public @Nullable String text() {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /** Unmodifiable. */
  public Map<String, String> headers() {
    return headers;
  }

  /** The key it was enqueued with, if any. */
  public @Nullable String key() {
    return key;
  }

  /** When, by the database's clock. */
  public Instant createdAt() {
    return createdAt;
  }

  @Override
  public String toString() {
    return type + ", " + payload.length + " bytes";
  }
}

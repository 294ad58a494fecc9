package dev.waybill.outbox;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message to enqueue. Immutable: each method returns a changed copy.
 *
 * <p>It goes to the partition it names, or to the one of its key; not both. With neither it fits
 * only a queue of one partition. Everything is checked when it is enqueued, before any SQL; the
 * rules are the cases of {@link InvalidMessageException}.
 */
public final class EnqueueMessage {
  /** The header that carries a trace. */
  public static final String TRACEPARENT = "traceparent";

  private final String type;
  private final byte[] payload;
  private final @Nullable Integer partition;
  private final @Nullable String key;
  private final Map<String, String> headers;
  private final @Nullable Instant deliverAt;
  private final @Nullable Duration delay;
  private final @Nullable String dedupKey;

  private EnqueueMessage(
      String type,
      byte[] payload,
      @Nullable Integer partition,
      @Nullable String key,
      Map<String, String> headers,
      @Nullable Instant deliverAt,
      @Nullable Duration delay,
      @Nullable String dedupKey) {
    this.type = Objects.requireNonNull(type, "type");
    this.payload = payload;
    this.partition = partition;
    this.key = key;
    this.headers = headers;
    this.deliverAt = deliverAt;
    this.delay = delay;
    this.dedupKey = dedupKey;
  }

  /** A message with a text, stored as UTF-8. */
  public static EnqueueMessage of(String type, String payload) {
    return message(type, utf8(Objects.requireNonNull(payload, "payload")));
  }

  /** A message with these bytes, copied. */
  public static EnqueueMessage of(String type, byte[] payload) {
    return message(type, Objects.requireNonNull(payload, "payload").clone());
  }

  private static EnqueueMessage message(String type, byte[] payload) {
    return new EnqueueMessage(type, payload, null, null, Map.of(), null, null, null);
  }

  /** Strict: {@code getBytes} alone would store a question mark for half of a surrogate pair. */
  private static byte[] utf8(String text) {
    int at = 0;
    while (at < text.length()) {
      int point = text.codePointAt(at);
      if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
        throw new InvalidMessageException.InvalidPayload(
            0, "the text is not Unicode: it has half of a surrogate pair");
      }
      at += Character.charCount(point);
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** To this partition, counted from 0. */
  public EnqueueMessage partition(int number) {
    return new EnqueueMessage(type, payload, number, key, headers, deliverAt, delay, dedupKey);
  }

  /** To the partition of this key: messages with equal keys keep their order. */
  public EnqueueMessage key(String value) {
    Objects.requireNonNull(value, "key");
    return new EnqueueMessage(type, payload, partition, value, headers, deliverAt, delay, dedupKey);
  }

  /** With this header, instead of one of the same name. Names are case-sensitive. */
  public EnqueueMessage header(String name, String value) {
    Objects.requireNonNull(name, "header name");
    Objects.requireNonNull(value, "header value");
    var more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new EnqueueMessage(
        type,
        payload,
        partition,
        key,
        Collections.unmodifiableMap(more),
        deliverAt,
        delay,
        dedupKey);
  }

  /**
   * With the trace it belongs to, as W3C's Trace Context writes it, in the header {@code
   * traceparent}.
   */
  public EnqueueMessage traceparent(String value) {
    return header(TRACEPARENT, value);
  }

  /**
   * Not before this moment of the database's clock; a moment that has passed means at once. The
   * message takes its place in the order when it is due. Replaces a {@link #delay}.
   */
  public EnqueueMessage deliverAt(Instant moment) {
    Objects.requireNonNull(moment, "deliverAt");
    return new EnqueueMessage(type, payload, partition, key, headers, moment, null, dedupKey);
  }

  /** Not before this much time has passed since it was enqueued. Replaces {@link #deliverAt}. */
  public EnqueueMessage delay(Duration time) {
    Objects.requireNonNull(time, "delay");
    return new EnqueueMessage(type, payload, partition, key, headers, null, time, dedupKey);
  }

  /** At most one message of the queue with this de-duplication key, within the queue's window. */
  public EnqueueMessage dedupKey(String value) {
    Objects.requireNonNull(value, "dedupKey");
    return new EnqueueMessage(type, payload, partition, key, headers, deliverAt, delay, value);
  }

  /** What kind of message it is. */
  public String type() {
    return type;
  }

  /** A copy of the payload. */
  public byte[] payload() {
    return payload.clone();
  }

  /** How many bytes the payload has. */
  public int payloadSize() {
    return payload.length;
  }

  /** The partition it names, if it does. */
  public @Nullable Integer partition() {
    return partition;
  }

  /** The key, if it has one. */
  public @Nullable String key() {
    return key;
  }

  /** The headers in the order they were first given, unmodifiable. */
  public Map<String, String> headers() {
    return headers;
  }

  /** The moment it waits for, if it does. */
  public @Nullable Instant deliverAt() {
    return deliverAt;
  }

  /** How long it waits, if it does. */
  public @Nullable Duration delay() {
    return delay;
  }

  /** The de-duplication key, if it has one. */
  public @Nullable String dedupKey() {
    return dedupKey;
  }

  /** Without payload, key and header values: this text ends up in logs. */
  @Override
  public String toString() {
    return "EnqueueMessage[" + type + ", " + payload.length + " bytes]";
  }
}

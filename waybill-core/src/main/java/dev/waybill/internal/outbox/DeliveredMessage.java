package dev.waybill.internal.outbox;

import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.store.MessageBody;
import dev.waybill.internal.store.StoredMessage;
import dev.waybill.outbox.OutboxException.NotText;
import dev.waybill.outbox.OutboxMessage;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A stored message at its place in the order. */
record DeliveredMessage(
    String queue, int partition, long seq, long id, MessageBody body, int attempts)
    implements OutboxMessage {

  /** A message that has a body. */
  static DeliveredMessage of(Place place, StoredMessage message, int attempts) {
    return new DeliveredMessage(
        place.queue().name(),
        place.number(),
        message.seq(),
        message.id(),
        Objects.requireNonNull(message.body(), "body"),
        attempts);
  }

  @Override
  public String type() {
    return body.type();
  }

  @Override
  public byte[] payload() {
    return body.copyOfPayload();
  }

  @Override
  public String text() {
    String text = body.text();
    if (text == null) {
      throw new NotText(queue, partition, seq);
    }
    return text;
  }

  @Override
  public Map<String, String> headers() {
    return body.headers();
  }

  @Override
  public @Nullable String key() {
    return body.key();
  }

  @Override
  public Instant createdAt() {
    return body.createdAt();
  }

  @Override
  public String toString() {
    return queue + "/" + partition + "/" + seq + " (" + body + ")";
  }
}

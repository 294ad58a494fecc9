package dev.waybill.outbox;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as its handler sees it. An interface, so that a handler can be tested with messages of
 * the test's own making. {@code toString} never shows payload, key or header values.
 */
public interface OutboxMessage {
  /** The queue's name. */
  String queue();

  /** The partition within the queue, from 0. */
  int partition();

  /** Its number in the partition: 1, 2, 3, … without gaps. With queue and partition, unique. */
  long seq();

  /** The id that {@code enqueue} returned. */
  long id();

  /** What kind of message it is. */
  String type();

  /** A copy of the payload. */
  byte[] payload();

  /**
   * The payload as text.
   *
   * @throws OutboxException.NotText if the bytes are not UTF-8
   */
  String text();

  /** The headers, unmodifiable. */
  Map<String, String> headers();

  /** The key it was enqueued with, if any. */
  @Nullable String key();

  /** When it was enqueued, by the database's clock. */
  Instant createdAt();

  /**
   * How many times it was tried before this time: 0 at first. It also counts attempts that ended
   * with the process; it stops at a limit rather than overflow.
   */
  int attempts();
}

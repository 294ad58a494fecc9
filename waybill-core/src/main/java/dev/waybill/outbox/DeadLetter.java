package dev.waybill.outbox;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message that was given up. Its text shows neither payload nor key nor header values.
 *
 * @param id names the dead letter; the message has an id of its own
 * @param message as its handler saw it, fit to be given to it again; its {@code attempts} are those
 *     that failed, rejections of the dead letter included
 * @param status where it stands
 * @param failedAt when it was given up or rejected last, by the database's clock
 * @param lastError why
 * @param deadline until when its claim holds, while it is claimed
 * @param completedAt when it was resolved or discarded
 */
public record DeadLetter(
    long id,
    OutboxMessage message,
    DeadLetterStatus status,
    Instant failedAt,
    String lastError,
    @Nullable Instant deadline,
    @Nullable Instant completedAt) {

  /** Nothing but what the database says. */
  public DeadLetter {
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(failedAt, "failedAt");
    Objects.requireNonNull(lastError, "lastError");
  }
}

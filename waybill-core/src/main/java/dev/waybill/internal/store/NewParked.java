package dev.waybill.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A message that is to be parked. It has a key.
 *
 * @param attempts how often it was tried
 * @param reason why it failed; null if it waits for another one
 * @param delay the time until it is tried again; null if it waits for another one
 */
public record NewParked(
    StoredMessage message, int attempts, @Nullable String reason, @Nullable Duration delay) {

  /** Waits for those of its key that are parked already. */
  public static NewParked follower(StoredMessage message) {
    return new NewParked(message, 0, null, null);
  }
}

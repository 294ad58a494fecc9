package dev.waybill.internal.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A validated message on its way into the database.
 *
 * @param partitionId the partition's row
 * @param dueAt not before this moment, if set
 * @param delay not before this much time has passed, if set
 */
@SuppressWarnings("ArrayRecordComponent") // Lives from validation to insert; never compared.
public record NewMessage(
    long partitionId,
    String type,
    @Nullable String key,
    Map<String, String> headers,
    byte[] payload,
    @Nullable Instant dueAt,
    @Nullable Duration delay) {

  /** Whether it is to be delivered later. */
  public boolean isDelayed() {
    return dueAt != null || delay != null;
  }
}

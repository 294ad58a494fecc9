package dev.waybill.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a partition after a delivery.
 *
 * @param processedSeq the last message that is done
 * @param attempts how often the one behind it was tried
 * @param lastError why the last try failed, if it did
 * @param delay nobody tries again before this time has passed
 */
public record CursorMove(
    long processedSeq, int attempts, @Nullable String lastError, Duration delay) {

  /** All is done up to this message. */
  public static CursorMove doneUpTo(long processedSeq) {
    return new CursorMove(processedSeq, 0, null, Duration.ZERO);
  }
}

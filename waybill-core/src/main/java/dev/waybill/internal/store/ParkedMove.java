package dev.waybill.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a lane after a delivery.
 *
 * @param lane the key's
 * @param done how many of its messages are
 * @param doneSeq the number of the last of them; those up to it are removed
 * @param attempts how often the one behind them was tried
 * @param lastError why the last try failed, if it did
 * @param delay nobody tries again before this time has passed
 */
public record ParkedMove(
    long lane, int done, long doneSeq, int attempts, @Nullable String lastError, Duration delay) {}

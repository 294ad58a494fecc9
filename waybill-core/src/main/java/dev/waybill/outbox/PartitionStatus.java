package dev.waybill.outbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a partition stands, and why it does not move if it does not.
 *
 * @param number from 0
 * @param sequence the number of the last message that has one
 * @param processed the number of the last message that is done
 * @param attempts how often the message behind it was tried
 * @param lastError why its last try failed, if it did
 * @param parked how many messages up to {@code processed} are not done but parked, see {@link
 *     HeadFailure#parkKey}
 * @param paused whether an operator stopped the delivery
 * @param retryIn the time until the next try; zero if nothing waits for one
 * @param leaseOwner the process that delivers at this moment, if one does
 * @param leaseEpoch the number of the last lease
 * @param leaseFor the time until its lease ends, unless it renews it; zero if there is none
 * @param waiting how long ago the message behind the last one done got its number; null if there is
 *     none
 */
public record PartitionStatus(
    int number,
    long sequence,
    long processed,
    int attempts,
    @Nullable String lastError,
    int parked,
    boolean paused,
    Duration retryIn,
    @Nullable String leaseOwner,
    long leaseEpoch,
    Duration leaseFor,
    @Nullable Duration waiting) {

  /** How many messages have a number and are not done, except those that are parked. */
  public long lag() {
    return sequence - processed;
  }
}

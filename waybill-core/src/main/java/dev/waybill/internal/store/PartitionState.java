package dev.waybill.internal.store;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a partition could or could not be served.
 *
 * @param parked how many messages are parked
 * @param parkedDue if some are: the time until the first may be tried again; zero if it has passed
 * @param notBefore the time until somebody may try again; zero if it has passed
 * @param lease the time until the lease ends; zero if there is none
 */
public record PartitionState(
    long sequence,
    long processedSeq,
    int attempts,
    long epoch,
    @Nullable String leaseOwner,
    @Nullable String lastError,
    Duration notBefore,
    Duration lease,
    int parked,
    Duration parkedDue,
    boolean paused) {

  /** What was read from the partition, without taking it. */
  Delivery with(List<StoredMessage> messages) {
    return new Delivery(processedSeq, attempts, epoch, sequence, parked, messages);
  }
}

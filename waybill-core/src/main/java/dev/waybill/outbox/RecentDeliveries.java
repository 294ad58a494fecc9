package dev.waybill.outbox;

import java.time.Duration;

/**
 * What a process did with a queue lately: in the last half minute before it wrote this down, which
 * it does every few seconds while it delivers. Those of several processes add up: see {@link
 * DeliveryTimes#plus}.
 *
 * @param queue the queue's name
 * @param process the process, as in {@link PartitionStatus#leaseOwner}
 * @param times how long its deliveries took
 * @param retried failed deliveries
 * @param rejected messages that became dead letters
 * @param span the time in which that happened, half a minute at most
 * @param ago how long ago it was written down
 */
public record RecentDeliveries(
    String queue,
    String process,
    DeliveryTimes times,
    long retried,
    long rejected,
    Duration span,
    Duration ago) {}

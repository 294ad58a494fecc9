package dev.waybill.outbox;

/**
 * What this process has done since it started.
 *
 * @param enqueued messages that became part of a transaction, committed or not
 * @param sequenced messages that got a number
 * @param delivered messages that were done, dead letters included
 * @param retried failed deliveries
 * @param parked messages that were parked, because they failed or because one of their key had
 * @param rejected messages that became dead letters
 * @param leasesLost deliveries whose outcome was refused
 * @param vacuumed messages that were removed
 * @param times how long the deliveries took
 */
public record OutboxStatistics(
    long enqueued,
    long sequenced,
    long delivered,
    long retried,
    long parked,
    long rejected,
    long leasesLost,
    long vacuumed,
    DeliveryTimes times) {}

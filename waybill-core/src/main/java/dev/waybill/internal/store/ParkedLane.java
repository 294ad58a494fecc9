package dev.waybill.internal.store;

/**
 * The parked messages of one key, as many from the first on as were read.
 *
 * @param lane the key's
 * @param delivery its cursor and sequence mean nothing
 */
public record ParkedLane(long lane, Delivery delivery) {}

package dev.waybill.internal.store;

/**
 * A message that is given up.
 *
 * @param attempts how often it was tried before
 */
public record NewDeadLetter(long partitionId, StoredMessage message, String reason, int attempts) {}

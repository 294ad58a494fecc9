package dev.waybill.internal.store;

import org.jspecify.annotations.Nullable;

/**
 * A message at its place in a partition.
 *
 * @param body null if it is not there, which nothing but damage or foreign hands can cause
 */
public record StoredMessage(long seq, long id, @Nullable MessageBody body) {}

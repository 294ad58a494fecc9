package dev.waybill.internal.store;

import java.time.Duration;

/** A partition's lease, as its holder knows it: whatever it changes is conditional on this. */
public record Lease(long partitionId, String owner, long epoch, Duration duration) {}

package dev.waybill.internal.outbox;

import dev.waybill.outbox.OutboxProfile;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/** The modes of the partitions that are not as they were at first. Safe for use by many threads. */
final class Modes {
  private final OutboxProfile profile;
  private final DoubleSupplier random;
  private final Map<Long, PartitionMode> modes = new ConcurrentHashMap<>();

  Modes(OutboxProfile profile) {
    this(profile, () -> ThreadLocalRandom.current().nextDouble());
  }

  Modes(OutboxProfile profile, DoubleSupplier random) {
    this.profile = profile;
    this.random = random;
  }

  /** The mode of a partition; used only by whoever has its turn. */
  PartitionMode of(long partitionId) {
    return modes.computeIfAbsent(
        partitionId, id -> new PartitionMode(profile.processor(), profile.retry(), random));
  }

  /** The turn is over: a mode like any other need not be remembered. */
  void forgetIfNormal(long partitionId) {
    modes.computeIfPresent(partitionId, (id, mode) -> mode.isNormal() ? null : mode);
  }
}

package dev.waybill.outbox;

import java.nio.charset.StandardCharsets;

/**
 * The stable hash of a key; see {@link Partitions#partitionOf}. FNV-1a alone leaves similar keys
 * with similar low bits, and the low bits choose the partition: hence the finaliser.
 */
final class KeyHash {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private KeyHash() {}

  static long of(String key) {
    long hash = FNV_OFFSET;
    for (byte octet : key.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (octet & 0xff)) * FNV_PRIME;
    }
    return mix(hash);
  }

  private static long mix(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }
}

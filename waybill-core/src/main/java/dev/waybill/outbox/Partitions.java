package dev.waybill.outbox;

/**
 * How many partitions a queue has: a power of two from 1 to 64. Order holds within a partition, and
 * a partition is served by one handler at a time, so this is the queue's parallelism.
 *
 * @param count how many
 */
public record Partitions(int count) {
  /** The largest number of partitions of one queue. */
  public static final int MAX = 64;

  /** Refuses numbers that are no power of two from 1 to 64. */
  public Partitions {
    if (count < 1 || count > MAX || Integer.bitCount(count) != 1) {
      throw new OutboxException.InvalidPartitionCount(count);
    }
  }

  /** That many: 1, 2, 4, 8, 16, 32 or 64. */
  public static Partitions of(int count) {
    return new Partitions(count);
  }

  /** Whether partitions 0 to {@code count − 1} include this one. */
  public boolean contains(int partition) {
    return partition >= 0 && partition < count;
  }

  /**
   * The partition of a key, from 0. The function is part of the contract and never changes, across
   * releases and languages: the 64-bit FNV-1a hash of the key's UTF-8 bytes, finalised by Murmur3's
   * {@code fmix64}; of it, the lowest bits that the count needs. So when a queue grows from n to 2n
   * partitions, a key stays in partition p or moves to p + n.
   */
  public int partitionOf(String key) {
    return (int) KeyHash.of(key) & (count - 1);
  }
}

package dev.waybill.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * How long deliveries took, from reading messages to storing what became of them. Times are sorted
 * into buckets, four to each doubling, so a percentile is at most a fifth too long.
 *
 * @param counts how many messages took so long, by bucket; see {@link #longest}
 */
public record DeliveryTimes(List<Long> counts) {
  private static final double SHORTEST_NANOS = 100_000;
  private static final int PER_DOUBLING = 4;

  /** How many buckets there are: the last begins after more than an hour and has no end. */
  public static final int BUCKETS = 26 * PER_DOUBLING;

  /** Copies the list. */
  public DeliveryTimes {
    counts = List.copyOf(counts);
  }

  /** Of no message. */
  public static DeliveryTimes none() {
    return new DeliveryTimes(Collections.nCopies(BUCKETS, 0L));
  }

  /** The bucket of a time. */
  public static int bucketOf(Duration time) {
    double doublings = Math.log(time.toNanos() / SHORTEST_NANOS) / Math.log(2);
    return (int) Math.min(BUCKETS - 1, Math.max(0, Math.ceil(doublings * PER_DOUBLING)));
  }

  /** The longest time that belongs into a bucket, but for the last one. */
  public static Duration longest(int bucket) {
    return Duration.ofNanos(
        Math.round(SHORTEST_NANOS * Math.pow(2, (double) bucket / PER_DOUBLING)));
  }

  /** How many messages there were. */
  public long total() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }

  /** What was added since an earlier look. */
  public DeliveryTimes since(DeliveryTimes earlier) {
    List<Long> added = new ArrayList<>();
    for (int i = 0; i < counts.size(); i++) {
      added.add(counts.get(i) - earlier.counts.get(i));
    }
    return new DeliveryTimes(added);
  }

  /** Of the messages of both: percentiles are those of all of them. */
  public DeliveryTimes plus(DeliveryTimes others) {
    List<Long> sums = new ArrayList<>();
    for (int i = 0; i < counts.size(); i++) {
      sums.add(counts.get(i) + others.counts.get(i));
    }
    return new DeliveryTimes(sums);
  }

  /**
   * The time that this share of the messages did not exceed; empty if there were none.
   *
   * @param share more than 0 and at most 1; 0.99 for the 99th percentile
   */
  public Optional<Duration> percentile(double share) {
    long wanted = (long) Math.ceil(share * total());
    long seen = 0;
    for (int i = 0; i < counts.size() && wanted > 0; i++) {
      seen += counts.get(i);
      if (seen >= wanted) {
        return Optional.of(longest(i));
      }
    }
    return Optional.empty();
  }
}

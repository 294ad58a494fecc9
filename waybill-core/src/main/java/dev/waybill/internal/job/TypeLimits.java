package dev.waybill.internal.job;

import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Head;
import dev.waybill.internal.store.JobLimitStore;
import dev.waybill.internal.store.JobLimitStore.Limits;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How many jobs of limited types a claim may still take. Whoever counts holds the row of the type
 * until its claim has ended; a type that another counts has nothing to give meanwhile.
 */
final class TypeLimits {
  private final JobLimitStore store;
  private final Map<String, Integer> left = new HashMap<>();
  private final Map<String, Bucket> buckets = new HashMap<>();

  /** What may start of a type in one period, evenly refilled. */
  private static final class Bucket {
    private final Limits limits;
    private final long rate;
    private final double tokens;
    private final boolean setBack;
    private int taken;

    Bucket(Limits limits, long rate) {
      // What is remembered for later than now stems from a clock that was set back since.
      this.setBack = limits.now() < limits.tokensAt();
      double since = (double) Math.max(0, limits.now() - limits.tokensAt());
      this.limits = limits;
      this.rate = rate;
      this.tokens = Math.min((double) rate, limits.tokens() + since * rate / limits.rateMicros());
    }

    /** How long until one more may start; zero if it may now. */
    Duration untilToken() {
      double missing = Math.max(0, 1 - (tokens - taken));
      return Duration.of((long) Math.ceil(missing * limits.rateMicros() / rate), ChronoUnit.MICROS);
    }
  }

  private TypeLimits(JobLimitStore store) {
    this.store = store;
  }

  static TypeLimits lock(JobLeaseStore store, List<Head> heads) {
    TypeLimits all = new TypeLimits(store.limits());
    List<String> limited = heads.stream().filter(Head::limited).map(Head::type).toList();
    if (!limited.isEmpty()) {
      limited.forEach(type -> all.left.put(type, 0));
      all.store.lock(limited).forEach(all::count);
    }
    return all;
  }

  private void count(Limits limits) {
    long most = Integer.MAX_VALUE;
    Long rate = limits.rateCount();
    if (rate != null) {
      Bucket bucket = new Bucket(limits, rate);
      buckets.put(limits.type(), bucket);
      most = (long) Math.floor(bucket.tokens);
    }
    Long maxRunning = limits.maxRunning();
    if (maxRunning != null && most > 0) {
      most = Math.min(most, maxRunning - store.running(limits.type()));
    }
    left.put(limits.type(), (int) Math.max(0, most));
  }

  int left(String type) {
    return left.getOrDefault(type, Integer.MAX_VALUE);
  }

  /** How long until a type whose rate is used up may start one again; empty if there is none. */
  Optional<Duration> untilToken() {
    return buckets.values().stream()
        .map(Bucket::untilToken)
        .filter(wait -> !wait.isZero())
        .min(Comparator.naturalOrder());
  }

  void taken(String type, int count) {
    left.computeIfPresent(type, (same, before) -> before - count);
    Bucket bucket = buckets.get(type);
    if (bucket != null) {
      bucket.taken += count;
    }
  }

  /** Remembers how many starts are left. */
  void write() {
    for (Bucket bucket : buckets.values()) {
      if (bucket.taken > 0 || bucket.setBack) {
        store.takeTokens(bucket.limits, bucket.tokens - bucket.taken);
      }
    }
  }
}

package dev.waybill.internal.job;

import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobDefinitionStore;
import dev.waybill.job.RetryPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The retry policy of every type, as the database has it: also of types that this program does not
 * know, whose jobs it may have to reap. Read again after a few seconds, and at once for a type that
 * was not there: somebody has just defined it.
 */
final class RetryPolicies {
  private static final Duration FRESH = Duration.ofSeconds(5);

  private final Time time;
  private volatile @Nullable Loaded loaded;

  private record Loaded(Map<String, RetryPolicy> byType, long at) {}

  RetryPolicies(Time time) {
    this.time = time;
  }

  RetryPolicy of(Tx tx, String type) {
    Loaded current = loaded;
    if (current == null
        || time.nanos() - current.at() > FRESH.toNanos()
        || !current.byType().containsKey(type)) {
      Map<String, RetryPolicy> byType = new TreeMap<>();
      JobDefinitionStore.in(tx)
          .all()
          .forEach(
              row -> byType.put(row.type(), RetryPolicyText.of(row.type(), row.retryPolicy())));
      current = new Loaded(byType, time.nanos());
      loaded = current;
    }
    return current.byType().getOrDefault(type, RetryPolicy.standard());
  }
}

package dev.waybill.internal.job;

import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Head;
import dev.waybill.internal.store.JobLeaseStore.Limits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * One claim: finds the turn up to which the free slots are filled over all types, then takes from
 * each type what comes before it. Each statement reads only one type's line, from its front; types
 * whose first job comes too late are not asked.
 */
final class ClaimPlan {
  private final JobLeaseStore store;
  private final int slots;
  private final List<Claim> claimed = new ArrayList<>();
  private final Set<String> resources = new HashSet<>();

  ClaimPlan(JobLeaseStore store, int slots) {
    this.store = store;
    this.slots = slots;
  }

  List<Claim> claim(Set<String> types) {
    List<Head> heads = store.heads(types);
    Map<String, Limits> limits = limits(heads);
    long bound = bound(heads);
    for (Head head : heads) {
      if (claimed.size() == slots || head.turn() > bound) {
        break;
      }
      Limits own = limits.get(head.type());
      if (!head.limited()) {
        take(head.type(), bound, slots - claimed.size());
      } else if (own != null) {
        takeLimited(own, bound);
      }
    }
    claimed.sort(Comparator.comparingLong(Claim::turn));
    return claimed;
  }

  /** The turn of the last job that still gets a slot if all lines are merged into one. */
  private long bound(List<Head> heads) {
    if (heads.size() < 2) {
      return Long.MAX_VALUE;
    }
    PriorityQueue<Long> first = new PriorityQueue<>(Comparator.reverseOrder());
    for (Head head : heads) {
      if (first.size() == slots && head.turn() > first.element()) {
        break;
      }
      for (long turn : store.line(head.type(), slots)) {
        first.add(turn);
        if (first.size() > slots) {
          first.remove();
        }
      }
    }
    return first.size() < slots ? Long.MAX_VALUE : first.element();
  }

  private Map<String, Limits> limits(List<Head> heads) {
    List<String> limited = heads.stream().filter(Head::limited).map(Head::type).toList();
    Map<String, Limits> limits = new HashMap<>();
    if (!limited.isEmpty()) {
      store.lockLimits(limited).forEach(each -> limits.put(each.type(), each));
    }
    return limits;
  }

  private void takeLimited(Limits limits, long bound) {
    int most = slots - claimed.size();
    Long maxRunning = limits.maxRunning();
    if (maxRunning != null) {
      most = (int) Math.min(most, maxRunning - store.running(limits.type()));
    }
    Long rate = limits.rateCount();
    double tokens = rate == null ? most : refilled(limits, rate);
    most = (int) Math.min(most, Math.floor(tokens));
    if (most > 0) {
      int taken = take(limits.type(), bound, most);
      if (rate != null) {
        store.takeTokens(limits, tokens - taken);
      }
    }
  }

  /** A bucket that holds what may start in one period, and is refilled evenly. */
  private static double refilled(Limits limits, long rate) {
    double since = (double) Math.max(0, limits.now() - limits.tokensAt());
    return Math.min((double) rate, limits.tokens() + since * rate / limits.rateMicros());
  }

  private int take(String type, long bound, int most) {
    int before = claimed.size();
    for (Claim claim : store.lockForClaim(type, bound, most)) {
      String resource = claim.resourceHash();
      // Two that wait for the same resource were both free to go.
      if (resource == null || resources.add(resource)) {
        claimed.add(claim);
      }
    }
    return claimed.size() - before;
  }
}

package dev.waybill.internal.job;

import dev.waybill.internal.store.JobLeaseStore.Waiting;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Whose turn it is among tenants: who has the fewest jobs running here, of those who was served
 * longest ago, and of those whose first job has waited longest. Each process is fair with its own
 * slots and needs to agree with nobody. For one thread.
 */
final class TenantRounds {
  /** So many tenants are remembered; the others count as never served. */
  private static final int REMEMBERED = 10_000;

  private final Map<String, Long> served =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > REMEMBERED;
        }
      };
  private final Map<String, String> places = new HashMap<>();
  private long clock;

  /** A tenant and how many slots it gets. */
  record Share(String tenant, int slots) {}

  /** From which tenant on a type's are to be looked at next. */
  String place(String type) {
    return places.getOrDefault(type, "");
  }

  void place(String type, String tenant) {
    places.put(type, tenant);
  }

  /** A job of this tenant begins. */
  void served(String tenant) {
    clock++;
    served.put(tenant, clock);
  }

  /**
   * Tenants in the order in which they should be asked, and how much each may take if the first so
   * many have enough.
   *
   * @param running how many jobs each has here
   */
  List<Share> shares(List<Waiting> waiting, Map<String, Integer> running, int slots, int most) {
    List<Waiting> order = new ArrayList<>(waiting);
    order.sort(
        Comparator.<Waiting>comparingInt(each -> running.getOrDefault(each.tenant(), 0))
            .thenComparingLong(each -> served.getOrDefault(each.tenant(), 0L))
            .thenComparingLong(Waiting::turn));
    List<Waiting> first = order.subList(0, Math.min(most, order.size()));
    Map<String, Integer> given = new HashMap<>();
    for (int slot = 0; slot < slots; slot++) {
      Waiting next = first.get(0);
      for (Waiting each : first) {
        if (load(each, running, given) < load(next, running, given)) {
          next = each;
        }
      }
      given.merge(next.tenant(), 1, Integer::sum);
    }
    return order.stream()
        .map(each -> new Share(each.tenant(), given.getOrDefault(each.tenant(), 0)))
        .toList();
  }

  private static int load(Waiting of, Map<String, Integer> running, Map<String, Integer> given) {
    return running.getOrDefault(of.tenant(), 0) + given.getOrDefault(of.tenant(), 0);
  }
}

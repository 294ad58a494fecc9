package dev.waybill.internal.job;

import dev.waybill.internal.job.TenantRounds.Share;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Head;
import dev.waybill.internal.store.JobLeaseStore.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * One claim. What a tenant has of a type is a line, and each statement reads only the front of one.
 * Tenants share the slots; a tenant's slots go to the jobs whose turn comes first over all its
 * types. At most so many tenants are visited that the number of statements stays small, the others
 * come next time.
 */
final class ClaimPlan {
  /** Visited by one claim, if they have anything. */
  private static final int VISITED = 8;

  /** Looked at by one claim, to choose those. */
  private static final int WINDOW = 32;

  /** So often it looks further if all whom it saw have to wait for something. */
  private static final int MOST_WINDOWS = 8;

  private final JobLeaseStore store;
  private final TenantRounds rounds;
  private final Map<String, Integer> running;
  private final int slots;
  private final List<Claim> claimed = new ArrayList<>();
  private final Map<String, Set<Integer>> held = new HashMap<>();

  /**
   * Fills so many slots.
   *
   * @param running how many jobs of each tenant run here
   */
  ClaimPlan(JobLeaseStore store, TenantRounds rounds, Map<String, Integer> running, int slots) {
    this.store = store;
    this.rounds = rounds;
    this.running = running;
    this.slots = slots;
  }

  /**
   * What one claim took.
   *
   * @param simple whether nothing had to be weighed: the next claim may go the short way
   * @param waiting whether somebody waits who may begin, as far as can be told without a lock
   * @param untilToken when a type that somebody waits for, and whose rate is used up, may start one
   *     again
   */
  record Claimed(
      List<Claim> claims, boolean simple, boolean waiting, Optional<Duration> untilToken) {}

  Claimed claim(Set<String> types) {
    store.unloadFront(types, slots);
    List<Head> heads = store.heads(types);
    TypeLimits limits = TypeLimits.lock(store, heads);
    List<Head> open = heads.stream().filter(head -> limits.left(head.type()) > 0).toList();
    if (!open.isEmpty()) {
      if (open.stream().allMatch(head -> isAlone(head, open.get(0).firstTenant()))) {
        claim(open.get(0).firstTenant(), open.stream().map(Head::type).toList(), slots, limits);
      } else {
        int windows = 0;
        do {
          goRound(open, limits);
          windows++;
        } while (claimed.isEmpty() && windows < MOST_WINDOWS && isThereMore(open));
      }
    }
    limits.write();
    claimed.sort(Comparator.comparingLong(Claim::turn));
    return new Claimed(claimed, isSimple(heads), !open.isEmpty(), limits.untilToken());
  }

  private boolean isSimple(List<Head> heads) {
    return heads.stream()
            .allMatch(head -> !head.limited() && isAlone(head, heads.get(0).firstTenant()))
        && claimed.stream().allMatch(claim -> claim.resourceHash() == null);
  }

  private boolean isThereMore(List<Head> heads) {
    return heads.stream().anyMatch(head -> !rounds.place(head.type()).isEmpty());
  }

  private static boolean isAlone(Head head, String tenant) {
    return head.firstTenant().equals(tenant) && head.lastTenant().equals(tenant);
  }

  private void goRound(List<Head> heads, TypeLimits limits) {
    Map<String, List<String>> typesByTenant = new LinkedHashMap<>();
    Map<String, Long> turns = new LinkedHashMap<>();
    for (Head head : heads) {
      for (Waiting each : window(head.type())) {
        typesByTenant.computeIfAbsent(each.tenant(), tenant -> new ArrayList<>()).add(head.type());
        turns.merge(each.tenant(), each.turn(), Math::min);
      }
    }
    List<Waiting> waiting = new ArrayList<>();
    turns.forEach((tenant, turn) -> waiting.add(new Waiting(tenant, turn)));
    long room = heads.stream().mapToLong(head -> limits.left(head.type())).sum();
    int visited = 0;
    int spare = 0;
    for (Share share : waiting.isEmpty() ? List.<Share>of() : shares(waiting, room)) {
      // Beyond the first few only as long as nobody had anything to give.
      if (claimed.size() == slots || (visited >= VISITED && !claimed.isEmpty())) {
        break;
      }
      int most = share.slots() + spare;
      if (most > 0) {
        int before = claimed.size();
        claim(share.tenant(), typesByTenant.getOrDefault(share.tenant(), List.of()), most, limits);
        int taken = claimed.size() - before;
        spare = most - taken;
        if (taken == 0) {
          rounds.served(share.tenant());
        }
        visited++;
      }
    }
  }

  private List<Share> shares(List<Waiting> waiting, long room) {
    return rounds.shares(waiting, running, (int) Math.min(slots, room), VISITED);
  }

  /** Some of the tenants that wait for a type; where there are many, others each time. */
  private List<Waiting> window(String type) {
    String since = rounds.place(type);
    List<Waiting> some = store.tenants(type, since, WINDOW + 1);
    if (some.isEmpty() && !since.isEmpty()) {
      some = store.tenants(type, "", WINDOW + 1);
    }
    boolean more = some.size() > WINDOW;
    rounds.place(type, more ? some.get(WINDOW).tenant() : "");
    return more ? some.subList(0, WINDOW) : some;
  }

  private void claim(String tenant, List<String> types, int most, TypeLimits limits) {
    long bound = bound(tenant, types, most);
    int end = claimed.size() + most;
    for (String type : types) {
      int wanted = Math.min(end - claimed.size(), limits.left(type));
      if (wanted > 0) {
        limits.taken(type, take(type, tenant, bound, wanted));
      }
    }
  }

  /** The turn of the last job that still gets a slot if a tenant's lines are merged into one. */
  private long bound(String tenant, List<String> types, int most) {
    if (types.size() < 2) {
      return Long.MAX_VALUE;
    }
    PriorityQueue<Long> first = new PriorityQueue<>(Comparator.reverseOrder());
    for (String type : types) {
      for (long turn : store.line(type, tenant, most)) {
        first.add(turn);
        if (first.size() > most) {
          first.remove();
        }
      }
    }
    return first.size() < most ? Long.MAX_VALUE : first.element();
  }

  private int take(String type, String tenant, long bound, int most) {
    int before = claimed.size();
    List<Claim> found = store.lockForClaim(type, tenant, bound, most);
    learnWhoHolds(found);
    for (Claim claim : found) {
      String resource = claim.resourceHash();
      if (resource == null) {
        claimed.add(claim);
        continue;
      }
      // Several that wait for the same resource were all free to go.
      Set<Integer> inUse = held.computeIfAbsent(resource, hash -> new HashSet<>());
      if (inUse.size() < claim.permits()) {
        int permit = 0;
        while (!inUse.add(permit)) {
          permit++;
        }
        claimed.add(claim.with(permit));
      }
    }
    return claimed.size() - before;
  }

  private void learnWhoHolds(List<Claim> found) {
    Set<String> unknown = new HashSet<>();
    for (Claim claim : found) {
      String resource = claim.resourceHash();
      if (resource != null && claim.permits() > 1 && !held.containsKey(resource)) {
        unknown.add(resource);
      }
    }
    if (!unknown.isEmpty()) {
      held.putAll(store.held(unknown));
    }
  }
}

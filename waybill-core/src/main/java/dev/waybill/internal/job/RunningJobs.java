package dev.waybill.internal.job;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The attempts of this process, from the claim until they are settled: what is here is renewed and
 * watched. A slot is taken until the handler has ended. As many again may wait to be settled; if
 * there are more, the database is slow, and nothing is claimed.
 *
 * @param ended those whose handlers have
 * @param parked how many of them only wait for a run of a workflow that somebody holds; they hold
 *     up nothing, or one caller could stop a whole process
 * @param weighed whether the last claim had to respect limits, tenants or resources, so that the
 *     end of a job may let another one begin although there were free slots
 * @param ahead slots that are spoken for
 * @param full whether the claimer waits for a slot
 * @param given how often slots were given back
 * @param changed rung when there may be something to claim
 * @param watched rung when there is something to watch
 */
record RunningJobs(
    int slots,
    Map<Fence, JobRun> byFence,
    Set<Fence> ended,
    AtomicInteger parked,
    AtomicBoolean weighed,
    SlotsAhead ahead,
    AtomicBoolean full,
    AtomicLong given,
    Bell changed,
    Bell watched) {
  RunningJobs(int slots) {
    this(slots, ConcurrentHashMap.newKeySet());
  }

  RunningJobs(int slots, Set<Fence> ended) {
    this(
        slots,
        new ConcurrentHashMap<>(),
        ended,
        new AtomicInteger(),
        new AtomicBoolean(),
        new SlotsAhead(),
        new AtomicBoolean(),
        new AtomicLong(),
        new Bell(),
        new Bell());
  }

  int free() {
    int all = byFence.size();
    int idle = slots - (all - ended.size());
    int unsettled = 2 * slots - (all - parked.get());
    return Math.max(0, Math.min(idle, unsettled) - ahead.kept());
  }

  /** Whether there is no free slot; if so, the next one rings. */
  boolean isFull() {
    return isShortOf(1);
  }

  /** Whether there are fewer free slots than that; if so, the next one rings. */
  boolean isShortOf(int wanted) {
    if (free() >= wanted) {
      return false;
    }
    full.set(true);
    // One may have been given back before anybody could know that it is waited for.
    return free() < wanted;
  }

  /** Its handler has ended. */
  void end(JobRun run) {
    ended.add(run.fence());
    freed();
  }

  void add(List<JobRun> runs) {
    runs.forEach(run -> byFence.put(run.fence(), run));
    watched.ringAll();
  }

  void remove(List<JobRun> runs) {
    runs.forEach(run -> ended.remove(run.fence()));
    runs.forEach(run -> byFence.remove(run.fence()));
    freed();
  }

  /**
   * There may be more free slots than before. Whether the claimer waits for one is not told by how
   * many there are now: of two that are given back at the same time each would count both.
   */
  void freed() {
    given.incrementAndGet();
    if (weighed.get() || full.getAndSet(false)) {
      changed.ring();
    }
  }

  /** Whether it is at work here, or about to be. */
  boolean has(Fence fence) {
    return ahead.has(fence.id()) || byFence.containsKey(fence);
  }

  /** How many there are of each tenant. */
  Map<String, Integer> byTenant() {
    Map<String, Integer> count = new HashMap<>();
    byFence.values().forEach(run -> count.merge(run.claim().tenant(), 1, Integer::sum));
    return count;
  }

  List<JobRun> all() {
    return List.copyOf(byFence.values());
  }
}

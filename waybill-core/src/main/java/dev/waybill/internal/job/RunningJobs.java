package dev.waybill.internal.job;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The attempts of this process, from the claim until they are settled: what is here takes a slot,
 * is renewed, and is watched.
 *
 * @param parked how many of them have ended and only wait for a run of a workflow that somebody
 *     holds; they take no slot, or one caller could stop a whole process
 * @param changed rung when a slot becomes free
 * @param watched rung when there is something to watch
 */
record RunningJobs(
    int slots, Map<Fence, JobRun> byFence, AtomicInteger parked, Bell changed, Bell watched) {
  RunningJobs(int slots) {
    this(slots, new ConcurrentHashMap<>(), new AtomicInteger(), new Bell(), new Bell());
  }

  int free() {
    return Math.max(0, slots - byFence.size() + parked.get());
  }

  void add(List<JobRun> runs) {
    runs.forEach(run -> byFence.put(run.fence(), run));
    watched.ringAll();
  }

  void remove(List<JobRun> runs) {
    runs.forEach(run -> byFence.remove(run.fence()));
    changed.ring();
  }

  boolean has(Fence fence) {
    return byFence.containsKey(fence);
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

package dev.waybill.workflow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds a way from a step back to itself. Without recursion: a chain may be long. */
final class Cycle {
  private Cycle() {}

  /** The steps of a cycle, the first again as the last; empty if there is none. */
  static List<String> in(List<Step> steps) {
    Map<String, List<String>> followers = new LinkedHashMap<>();
    steps.forEach(step -> followers.put(step.key(), new ArrayList<>()));
    for (Step step : steps) {
      for (Dependency edge : step.after()) {
        List<String> known = followers.get(edge.step());
        // A step that waits for itself, and one that there is not, are told apart elsewhere.
        if (known != null && !edge.step().equals(step.key())) {
          known.add(step.key());
        }
      }
    }
    Set<String> done = new HashSet<>();
    for (String root : followers.keySet()) {
      List<String> cycle = from(root, followers, done);
      if (!cycle.isEmpty()) {
        return cycle;
      }
    }
    return List.of();
  }

  private static List<String> from(
      String root, Map<String, List<String>> followers, Set<String> done) {
    if (done.contains(root)) {
      return List.of();
    }
    Map<String, Iterator<String>> open = new HashMap<>();
    Deque<String> path = new ArrayDeque<>();
    path.addLast(root);
    open.put(root, followers.getOrDefault(root, List.of()).iterator());
    while (!path.isEmpty()) {
      String at = path.getLast();
      Iterator<String> next = open.getOrDefault(at, List.<String>of().iterator());
      if (!next.hasNext()) {
        path.removeLast();
        open.remove(at);
        done.add(at);
        continue;
      }
      String step = next.next();
      if (open.containsKey(step)) {
        List<String> cycle = new ArrayList<>(path);
        cycle.subList(0, cycle.indexOf(step)).clear();
        cycle.add(step);
        return cycle;
      }
      if (!done.contains(step)) {
        path.addLast(step);
        open.put(step, followers.getOrDefault(step, List.of()).iterator());
      }
    }
    return List.of();
  }
}

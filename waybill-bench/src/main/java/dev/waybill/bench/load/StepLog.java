package dev.waybill.bench.load;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Which steps of which runs ran, and when. */
public final class StepLog {
  private final Queue<Ran> all = new ConcurrentLinkedQueue<>();

  private record Step(int run, String key) {}

  private record Ran(Step step, long began, long ended) {}

  /**
   * What came out.
   *
   * @param missing steps that did not run
   * @param early steps that began before one of their prerequisites had ended
   * @param repeated steps that ran more than once
   */
  public record Verdict(int missing, int early, int repeated) {}

  /** Runs a step, which does nothing but to say that it ran. */
  public void run(int run, String key) {
    long began = System.nanoTime();
    all.add(new Ran(new Step(run, key), began, System.nanoTime()));
  }

  /** Forgets all. */
  public void clear() {
    all.clear();
  }

  /**
   * Compares with what each of so many runs should have done.
   *
   * @param graph the prerequisites of each step
   */
  public Verdict judge(int runs, Map<String, List<String>> graph) {
    Map<Step, Ran> first = new HashMap<>();
    int repeated = 0;
    for (Ran each : all) {
      repeated += first.putIfAbsent(each.step(), each) == null ? 0 : 1;
    }
    int missing = 0;
    int early = 0;
    for (int run = 0; run < runs; run++) {
      for (Map.Entry<String, List<String>> step : graph.entrySet()) {
        Ran ran = first.get(new Step(run, step.getKey()));
        if (ran == null) {
          missing++;
          continue;
        }
        for (String prerequisite : step.getValue()) {
          Ran before = first.get(new Step(run, prerequisite));
          early += before == null || before.ended() > ran.began() ? 1 : 0;
        }
      }
    }
    return new Verdict(missing, early, repeated);
  }
}

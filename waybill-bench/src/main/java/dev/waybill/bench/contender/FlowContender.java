package dev.waybill.bench.contender;

import dev.waybill.bench.load.StepLog;
import java.time.Duration;

/**
 * Somebody who runs graphs of steps. The calls come in the order of the methods here; only the two
 * that begin runs are called by many threads.
 */
public interface FlowContender {
  /** Makes its tables in an empty database. */
  void prepare(Stage stage) throws Exception;

  /** Runs steps from now on. */
  void start(Stage stage, StepLog log) throws Exception;

  /** Begins a run of {@code a}, then {@code b} and {@code c}, then {@code d}. */
  void diamond(int run) throws Exception;

  /**
   * Begins a run of {@code first}, then {@code 0} to so many, then {@code last}; how many is known
   * when the first has run.
   */
  void fan(int run, int width) throws Exception;

  /**
   * Begins the same, with as many as it says from the start: a step each, and an edge to the last.
   */
  void knownFan(int run, int width) throws Exception;

  /** Waits for the ends of all runs that were begun; how many succeeded. */
  int successes(Duration patience) throws Exception;

  /** Runs no more and gives back all it holds. */
  void stop() throws Exception;
}

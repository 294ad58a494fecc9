package dev.waybill.bench.scenario;

import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.bench.contender.FlowContender;
import dev.waybill.bench.contender.Stage;
import dev.waybill.bench.load.StepLog;
import dev.waybill.bench.measure.Calls;
import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Metric;
import dev.waybill.bench.measure.Storage;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Graphs of steps: begun by several threads, run to their ends, and every step looked at. */
final class Flows {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int STARTERS = 4;
  private static final int WORKERS = 24;

  private Flows() {}

  /**
   * A kind of graph.
   *
   * @param steps the prerequisites of each
   * @param begin a run of it
   */
  record Graph(Map<String, List<String>> steps, Begin begin) {}

  /** Begins a run. */
  @FunctionalInterface
  interface Begin {
    /** With this number. */
    void run(FlowContender contender, int number) throws Exception;
  }

  /** Runs some to warm up, and then so many. */
  static Figures measured(Trial trial, Graph graph, int warmUp, int runs) throws Exception {
    Figures figures = new Figures();
    Calls calls = new Calls();
    try (TestDatabase database = trial.ground().database();
        HikariDataSource pool = Course.pool(database, calls, STARTERS + WORKERS)) {
      Stage stage = new Stage(database.product(), pool, 1, STARTERS, Stage.Pace.THROUGHPUT);
      FlowContender contender = trial.entry().newFlows();
      contender.prepare(stage);
      StepLog log = new StepLog();
      contender.start(stage, log);
      try {
        run(contender, log, graph, warmUp);
        Storage storage = new Storage(database.product(), database.dataSource());
        Lap lap = Lap.begin(new Gauges(trial, database.product(), calls, storage));
        double seconds = run(contender, log, graph, runs);
        int steps = runs * graph.steps().size();
        lap.endSteps(figures, steps);
        figures.put(Metric.RUNS, runs / seconds);
        figures.put(Metric.STEPS, steps / seconds);
        figures.put(Metric.SECONDS, seconds);
        judge(figures, log.judge(runs, graph.steps()));
      } finally {
        contender.stop();
      }
    }
    return figures;
  }

  private static double run(FlowContender contender, StepLog log, Graph graph, int runs)
      throws Exception {
    log.clear();
    AtomicInteger next = new AtomicInteger();
    ExecutorService starters = Executors.newFixedThreadPool(STARTERS);
    long began = System.nanoTime();
    try {
      List<Future<?>> open = new ArrayList<>();
      for (int i = 0; i < STARTERS; i++) {
        open.add(
            starters.submit(
                () -> {
                  for (int run = next.getAndIncrement(); run < runs; run = next.getAndIncrement()) {
                    graph.begin().run(contender, run);
                  }
                  return null;
                }));
      }
      for (Future<?> each : open) {
        each.get();
      }
    } finally {
      starters.shutdownNow();
    }
    int successes = contender.successes(PATIENCE);
    double seconds = (System.nanoTime() - began) / NANOS;
    if (successes != runs) {
      throw new BrokenPromise("only " + successes + " of " + runs + " runs succeeded");
    }
    return seconds;
  }

  private static void judge(Figures figures, StepLog.Verdict verdict) {
    figures.put(Metric.DUPLICATES, verdict.repeated());
    if (verdict.missing() > 0) {
      throw new BrokenPromise(verdict.missing() + " steps did not run");
    }
    if (verdict.early() > 0) {
      throw new BrokenPromise(verdict.early() + " steps ran before their prerequisites");
    }
  }
}

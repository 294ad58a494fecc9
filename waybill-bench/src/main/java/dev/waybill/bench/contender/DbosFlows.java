package dev.waybill.bench.contender;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Queue;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import dev.waybill.bench.load.StepLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * DBOS: a graph is a function. Either all of its steps are steps of that function, which run one
 * after the other in one process, or those that may run side by side are workflows of their own on
 * a queue, as its documentation advises for that; the function waits for them.
 */
final class DbosFlows implements FlowContender {
  private static final String QUEUE = "steps";
  private static final int WORKERS = 100;

  private final boolean sideBySide;
  private final ConcurrentLinkedQueue<WorkflowHandle<Void, Exception>> runs =
      new ConcurrentLinkedQueue<>();
  private @Nullable DBOS dbos;
  private @Nullable Graphs graphs;

  DbosFlows(boolean sideBySide) {
    this.sideBySide = sideBySide;
  }

  @Override
  public void prepare(Stage stage) {
    try (DBOS migrating = configured(stage)) {
      migrating.registerProxy(Graphs.class, new Functions(migrating, new StepLog(), sideBySide));
      migrating.launch();
      migrating.shutdown();
    }
  }

  private static DBOS configured(Stage stage) {
    DBOS dbos =
        new DBOS(DBOSConfig.defaults("bench").withDataSource(stage.pool()).withAppVersion("1"));
    dbos.registerQueue(
        new Queue(QUEUE)
            .withWorkerConcurrency(WORKERS)
            .withPollingInterval(Duration.ofMillis(100)));
    return dbos;
  }

  @Override
  public void start(Stage stage, StepLog log) {
    dbos = configured(stage);
    Functions functions = new Functions(dbos, log, sideBySide);
    graphs = dbos.registerProxy(Graphs.class, functions);
    functions.proxy = graphs;
    dbos.launch();
  }

  @Override
  public void diamond(int run) {
    Graphs on = Given.here(graphs);
    runs.add(Given.here(dbos).startWorkflow(() -> on.diamond(run)));
  }

  @Override
  public void fan(int run, int width) {
    Graphs on = Given.here(graphs);
    runs.add(Given.here(dbos).startWorkflow(() -> on.fan(run, width)));
  }

  /** A function has no graph that could be known before. */
  @Override
  public void knownFan(int run, int width) {
    fan(run, width);
  }

  @Override
  public int successes(Duration patience) throws Exception {
    int successes = 0;
    for (WorkflowHandle<Void, Exception> run = runs.poll(); run != null; run = runs.poll()) {
      run.getResult();
      successes++;
    }
    return successes;
  }

  @Override
  public void stop() {
    Given.here(dbos).shutdown();
  }

  /** What DBOS makes a proxy of. */
  public interface Graphs {
    /** Four steps. */
    void diamond(int run) throws Exception;

    /** Many steps. */
    void fan(int run, int width) throws Exception;

    /** A step that is a workflow. */
    void item(int run, String key);
  }

  /** The functions. */
  public static final class Functions implements Graphs {
    private final DBOS dbos;
    private final StepLog log;
    private final boolean sideBySide;
    private @Nullable Graphs proxy;

    Functions(DBOS dbos, StepLog log, boolean sideBySide) {
      this.dbos = dbos;
      this.log = log;
      this.sideBySide = sideBySide;
    }

    @Override
    @Workflow(name = "diamond")
    public void diamond(int run) throws Exception {
      step(run, "a");
      all(run, List.of("b", "c"));
      step(run, "d");
    }

    @Override
    @Workflow(name = "fan")
    public void fan(int run, int width) throws Exception {
      step(run, "first");
      List<String> keys = new ArrayList<>();
      for (int i = 0; i < width; i++) {
        keys.add("" + i);
      }
      all(run, keys);
      step(run, "last");
    }

    @Override
    @Workflow(name = "item")
    public void item(int run, String key) {
      log.run(run, key);
    }

    private void step(int run, String key) {
      dbos.runStep(() -> log.run(run, key), key);
    }

    private void all(int run, List<String> keys) throws Exception {
      if (!sideBySide) {
        keys.forEach(key -> step(run, key));
        return;
      }
      Graphs on = Given.here(proxy);
      List<WorkflowHandle<Void, RuntimeException>> open = new ArrayList<>();
      for (String key : keys) {
        open.add(
            dbos.startWorkflow(
                () -> on.item(run, key), new StartWorkflowOptions().withQueue(QUEUE)));
      }
      for (WorkflowHandle<Void, RuntimeException> each : open) {
        each.getResult();
      }
    }
  }
}

package dev.waybill.bench.contender;

import dev.waybill.Waybill;
import dev.waybill.bench.load.StepLog;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.schema.Schema;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Waybill with its defaults: every step is a job that any process could run. */
final class WaybillFlows implements FlowContender {
  private final Queue<UUID> runs = new ConcurrentLinkedQueue<>();
  private @Nullable Waybill running;

  @Override
  public void prepare(Stage stage) {
    Schema.migrate(stage.pool());
  }

  @Override
  public void start(Stage stage, StepLog log) {
    running =
        Waybill.builder(stage.pool())
            .workflows(
                workflows ->
                    workflows
                        .step(
                            JobDefinition.of("step"),
                            step -> {
                              log.run(Integer.parseInt(step.payload()), step.step());
                              return JobResult.success();
                            })
                        .step(
                            JobDefinition.of("first"),
                            step -> {
                              log.run(Integer.parseInt(step.payload()), step.step());
                              return JobResult.success(step.workflowInput());
                            })
                        .step(
                            JobDefinition.of("item"),
                            step -> {
                              String item = step.payload().replace("\"", "");
                              int slash = item.indexOf('/');
                              int run = Integer.parseInt(item.substring(0, slash));
                              log.run(run, item.substring(slash + 1));
                              return JobResult.success();
                            }))
            .start();
  }

  private static Step.Builder step(int run, String key) {
    return Step.job(key, "step").payload("" + run);
  }

  private void begin(Workflow.Builder workflow) {
    runs.add(Given.here(running).workflows().start(workflow.build()).id());
  }

  @Override
  public void diamond(int run) {
    begin(
        Workflow.of("diamond")
            .step(step(run, "a"))
            .step(step(run, "b").after("a"))
            .step(step(run, "c").after("a"))
            .step(step(run, "d").after("b", "c")));
  }

  /** The first step finds out how many there are. */
  @Override
  public void fan(int run, int width) {
    String items =
        IntStream.range(0, width)
            .mapToObj(i -> "\"" + run + "/" + i + "\"")
            .collect(Collectors.joining(","));
    begin(
        Workflow.of("fan")
            .input("[" + items + "]")
            .step(Step.job("first", "first").payload("" + run))
            .step(Step.map("items", "item").over("first", ""))
            .step(step(run, "last").after("items")));
  }

  @Override
  public void knownFan(int run, int width) {
    Workflow.Builder fan = Workflow.of("known-fan").step(step(run, "first"));
    Step.Builder last = step(run, "last");
    for (int i = 0; i < width; i++) {
      fan.step(step(run, "" + i).after("first"));
      last.after("" + i);
    }
    begin(fan.step(last));
  }

  @Override
  public int successes(Duration patience) throws InterruptedException {
    int successes = 0;
    for (UUID run = runs.poll(); run != null; run = runs.poll()) {
      WorkflowStatus end =
          Given.here(running).workflows().await(Scope.global(), run, patience).status();
      successes += end == WorkflowStatus.SUCCEEDED ? 1 : 0;
    }
    return successes;
  }

  @Override
  public void stop() {
    Given.here(running).close();
  }
}

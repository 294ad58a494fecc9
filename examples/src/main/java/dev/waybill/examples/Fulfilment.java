package dev.waybill.examples;

import dev.waybill.Waybill;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.schema.Schema;
import dev.waybill.workflow.Compensation;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepContext;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowPicture;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * The way of an order: paid, approved by somebody within a day, picked by as many hands at once as
 * it has items, shipped. What was done is undone, last things first, if it cannot be shipped.
 */
public final class Fulfilment implements AutoCloseable {
  private static final Scope SCOPE = Scope.global();

  private final Hands hands;
  private final Waybill waybill;

  /** Makes the tables if need be, and starts to work. */
  public Fulfilment(DataSource dataSource, Hands hands) {
    this.hands = hands;
    Schema.migrate(dataSource);
    this.waybill =
        Waybill.builder(dataSource)
            .workflows(
                workflows ->
                    workflows
                        .step(JobDefinition.of("pay"), step -> done("pay " + order(step)))
                        .step(JobDefinition.of("plan"), Fulfilment::plan)
                        .step(JobDefinition.of("pick"), step -> done("pick " + text(step)))
                        .step(JobDefinition.of("ship"), step -> done("ship " + order(step)))
                        .step(JobDefinition.of("refund"), step -> done("refund " + order(step)))
                        .step(
                            JobDefinition.of("put-back"), step -> done("put back " + step.step())))
            .start();
  }

  /** Begins with an order; to do so twice is to do it once. */
  public UUID begin(String order, List<String> items) {
    return waybill
        .workflows()
        .start(
            Workflow.of("fulfilment")
                .input("[\"" + order + "\",\"" + String.join("\",\"", items) + "\"]")
                .idempotencyKey(order)
                .step(Step.job("pay", "pay"))
                .step(Step.gate("approve").after("pay").deadline(Duration.ofDays(1)))
                .step(Step.job("plan", "plan").after("pay"))
                .step(Step.map("pick", "pick").over("plan", ""))
                .step(Step.job("ship", "ship").after("approve", "pick"))
                .build())
        .id();
  }

  /** What there is to pick is known only now. */
  private static JobResult plan(StepContext step) {
    List<String> words = words(step.workflowInput());
    String items = String.join("\",\"", words.subList(1, words.size()));
    return JobResult.success("[\"" + items + "\"]");
  }

  private JobResult done(String deed) {
    return hands.does(deed)
        ? JobResult.success()
        : JobResult.fail("refused", "Nobody can " + deed.substring(0, deed.indexOf(' ')));
  }

  private static String order(StepContext step) {
    return words(step.workflowInput()).get(0);
  }

  private static String text(StepContext step) {
    return words(step.payload()).get(0);
  }

  private static List<String> words(String json) {
    return List.of(json.replaceAll("[\\[\\]\"]", "").split(","));
  }

  /** Somebody agrees; false if the order is not that far yet. */
  public boolean approve(UUID run) {
    boolean open =
        waybill.workflows().steps(SCOPE, run).stream()
            .anyMatch(step -> step.key().equals("approve") && step.releasedAt() != null);
    if (open) {
      waybill.workflows().completeGate(GateCompletion.succeed(SCOPE, run, "approve"));
    }
    return open;
  }

  /**
   * Waits for the end of an order, and undoes it if it failed.
   *
   * @return the run that undoes it, if there is one
   */
  public Optional<UUID> settle(UUID run, Duration patience) throws InterruptedException {
    WorkflowInfo end = waybill.workflows().await(SCOPE, run, patience);
    if (end.status() != WorkflowStatus.FAILED) {
      return Optional.empty();
    }
    Compensation undo =
        Compensation.of(SCOPE, run, "it cannot be shipped")
            .undo("pay", "refund")
            .undo("pick", "put-back")
            .build();
    UUID undoing = waybill.workflows().compensate(undo).id();
    waybill.workflows().await(SCOPE, undoing, patience);
    return Optional.of(undoing);
  }

  /** How a run is. */
  public WorkflowStatus status(UUID run) {
    return waybill.workflows().find(SCOPE, run).orElseThrow().status();
  }

  /** A run as a picture. */
  public String picture(UUID run) {
    WorkflowInfo info = waybill.workflows().find(SCOPE, run).orElseThrow();
    return WorkflowPicture.of(info, waybill.workflows().steps(SCOPE, run)).svg();
  }

  @Override
  public void close() {
    waybill.close();
  }
}

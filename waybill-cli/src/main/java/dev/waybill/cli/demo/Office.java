package dev.waybill.cli.demo;

import dev.waybill.Waybill;
import dev.waybill.cli.demo.Shop.Order;
import dev.waybill.job.JobContext;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobsBuilder;
import dev.waybill.job.RetryPolicy;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowsBuilder;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What the service does besides: a confirmation by mail is a job of the order's transaction, one in
 * ten fails at first; and every few seconds the shelves are counted and, once somebody has agreed,
 * filled up: a workflow with a gate.
 */
final class Office {
  static final String APPROVE = "approve";

  /** The attribute of runs that says of which demo they are. */
  static final String DEMO = "demo";

  private static final RetryPolicy SOON =
      RetryPolicy.standard().withBase(Duration.ofMillis(200)).withCap(Duration.ofSeconds(1));

  private Office() {}

  static void jobs(JobsBuilder jobs) {
    jobs.define(JobDefinition.of("mail").withRetryPolicy(SOON), Office::mail)
        .options(
            options ->
                // Short, so that the demo shows another process taking over.
                options.withLease(Duration.ofSeconds(2)).withReap(Duration.ofMillis(500)));
  }

  private static JobResult mail(JobContext job) {
    if (job.attempt() == 1 && ThreadLocalRandom.current().nextInt(10) == 0) {
      return JobResult.retry("mailbox_full", "The mailbox is full");
    }
    String order = job.payload().replace("\"", "");
    return JobResult.success().inTransaction(connection -> Shop.noteMail(connection, order));
  }

  static void steps(WorkflowsBuilder workflows) {
    workflows
        .step(
            JobDefinition.of("count-shelves"),
            step ->
                JobResult.success(
                    "{\"missing\": " + (1 + ThreadLocalRandom.current().nextInt(500)) + "}"))
        .step(
            JobDefinition.of("buy-goods"),
            step -> JobResult.success(step.input("count").orElse("{}")));
  }

  /** In the order's transaction. */
  static void confirm(Waybill waybill, Connection connection, Order order) {
    if (order.wantsMail()) {
      waybill
          .jobs()
          .enqueue(
              connection,
              JobRequest.of("mail")
                  .payload("\"" + order.id() + "\"")
                  .idempotencyKey(order.id())
                  .build());
    }
  }

  static void restock(Waybill waybill, String run) {
    waybill
        .workflows()
        .start(
            Workflow.of("restock")
                .attribute(DEMO, run)
                .step(Step.job("count", "count-shelves"))
                .step(Step.gate(APPROVE).after("count"))
                .step(Step.job("buy", "buy-goods").after("count", APPROVE))
                .resultStep("buy")
                .build());
  }
}

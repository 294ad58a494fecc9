package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.OutboxProfile;
import dev.waybill.outbox.Partitions;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.Compensation;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Who stores work in a transaction that Waybill ends need not say so: whoever is to do it hears of
 * it after the commit. Nobody here finds it by looking, as that takes ten minutes.
 */
@EveryDatabase
@Timeout(120)
class InTransactionTest {
  private static final Duration SELDOM = Duration.ofMinutes(10);
  private static final Duration SOON = Duration.ofSeconds(10);

  /** Who stores something. */
  private static final List<String> NAMES =
      List.of("producer", "message1", "message2", "message3", "batch", "job");

  private final LinkedBlockingQueue<String> begun = new LinkedBlockingQueue<>();

  /** For those who are called before the start has returned it. */
  private final CompletableFuture<Waybill> started = new CompletableFuture<>();

  private final Map<String, UUID> waiting = new ConcurrentHashMap<>();
  private final TestDatabase home;

  InTransactionTest(TestDatabase database) {
    this.home = Migrated.on(database);
  }

  private interface Work {
    void with(Waybill waybill, Connection connection, String name);
  }

  /** Work of a job's end, or of a message's handler, is told the name that they were given. */
  private Waybill start(Work work) {
    boolean file = home.product() == DatabaseProduct.SQLITE;
    Waybill waybill =
        Waybill.builder(file ? home.dataSource() : home.pool(10))
            .outbox(
                outbox ->
                    outbox
                        .profile(OutboxProfile.lowLatency().withReconcileInterval(SELDOM))
                        .queue("first", Partitions.of(1))
                        .transactional(
                            (tx, message) -> {
                              work.with(started.get(), tx.connection(), message.text());
                              return HandlerResult.success();
                            })
                        .queue("batches", Partitions.of(1))
                        .batchTransactional(
                            (tx, messages) -> {
                              work.with(started.get(), tx.connection(), messages.get(0).text());
                              return HandlerResult.success();
                            })
                        .queue("then", Partitions.of(1))
                        .leased(
                            message -> {
                              begun.add(message.text());
                              return MessageResult.ok();
                            }))
            .jobs(
                jobs ->
                    jobs.define(
                            JobDefinition.of("first"),
                            job ->
                                JobResult.success()
                                    .inTransaction(
                                        connection -> work.with(started.join(), connection, "job")))
                        .define(
                            JobDefinition.of("then"),
                            job -> {
                              begun.add(job.payload().replace("\"", ""));
                              return JobResult.success();
                            })
                        .options(options -> options.withPoll(SELDOM, SELDOM)))
            .workflows(
                workflows ->
                    workflows.step(
                        JobDefinition.of("step"),
                        step -> {
                          begun.add(step.step());
                          return JobResult.success();
                        }))
            .start();
    started.complete(waybill);
    return waybill;
  }

  private Waybill start() {
    return start((waybill, connection, name) -> {});
  }

  private static Workflow workflow(String step) {
    return Workflow.of("run").step(Step.job(step, "step")).build();
  }

  private void assertBegins(String name) throws InterruptedException {
    assertThat(begun.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(name);
  }

  private static void send(Waybill waybill, String queue, String text) throws Exception {
    waybill.outbox().inTransaction(queue, connection -> List.of(EnqueueMessage.of("test", text)));
  }

  private void assertBeginsWhereverItIsStored(Work work) throws Exception {
    assertBeginsWhereverItIsStored(waybill -> {}, work);
  }

  private void assertBeginsWhereverItIsStored(Consumer<Waybill> first, Work work) throws Exception {
    try (Waybill waybill = start(work)) {
      first.accept(waybill);
      waybill.outbox().inTransaction(connection -> work.with(waybill, connection, "producer"));
      assertBegins("producer");
      for (int i = 1; i <= 3; i++) {
        send(waybill, "first", "message" + i);
        assertBegins("message" + i);
      }
      send(waybill, "batches", "batch");
      assertBegins("batch");
      waybill.jobs().enqueue(JobRequest.of("first").build());
      assertBegins("job");
    }
  }

  @Test
  void aWorkflowBegins() throws Exception {
    assertBeginsWhereverItIsStored(
        (waybill, connection, name) -> waybill.workflows().start(connection, workflow(name)));
  }

  @Test
  void aJobBegins() throws Exception {
    assertBeginsWhereverItIsStored(
        (waybill, connection, name) ->
            waybill
                .jobs()
                .enqueue(connection, JobRequest.of("then").payload("\"" + name + "\"").build()));
  }

  /** On MySQL and MariaDB the reconciler would find it before long, for want of notices. */
  @Test
  void aMessageIsDelivered() throws Exception {
    assertBeginsWhereverItIsStored(
        (waybill, connection, name) ->
            waybill.outbox().enqueue(connection, "then", EnqueueMessage.of("test", name)));
  }

  /** For each name a run with a gate, and a step of that name behind it if that is wanted. */
  private void gates(Waybill waybill, boolean behind) {
    for (String name : NAMES) {
      Workflow.Builder run = Workflow.of("run").step(Step.gate("gate"));
      if (behind) {
        run.step(Step.job(name, "step").after("gate"));
      }
      waiting.put(name, waybill.workflows().start(run.build()).id());
    }
  }

  private UUID waiting(String name) {
    return Objects.requireNonNull(waiting.get(name));
  }

  @Test
  void whatWaitedForAGateBegins() throws Exception {
    assertBeginsWhereverItIsStored(
        waybill -> gates(waybill, true),
        (waybill, connection, name) ->
            waybill
                .workflows()
                .completeGate(
                    connection, GateCompletion.succeed(Scope.global(), waiting(name), "gate")));
  }

  @Test
  void aStepThatIsAppendedBegins() throws Exception {
    assertBeginsWhereverItIsStored(
        waybill -> gates(waybill, false),
        (waybill, connection, name) ->
            waybill
                .workflows()
                .append(
                    connection,
                    Append.to(Scope.global(), waiting(name), "more")
                        .step(Step.job(name, "step"))
                        .build()));
  }

  @Test
  void whatUndoesARunBegins() throws Exception {
    try (Waybill waybill = start()) {
      for (int i = 0; i < 3; i++) {
        UUID run = waybill.workflows().start(workflow("done")).id();
        assertBegins("done");
        waybill.workflows().await(Scope.global(), run, SOON);
        waybill
            .outbox()
            .inTransaction(
                connection ->
                    waybill
                        .workflows()
                        .compensate(
                            connection,
                            Compensation.of(Scope.global(), run, "no")
                                .undo("done", "then")
                                .build()));
        assertThat(begun.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isNotNull();
      }
    }
  }
}

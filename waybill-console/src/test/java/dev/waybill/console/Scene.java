package dev.waybill.console;

import dev.waybill.Waybill;
import dev.waybill.job.JobContext;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.Schedule;
import dev.waybill.job.Scope;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.Partitions;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** A service with something of everything: what moves, what is stuck, and what was given up. */
final class Scene implements AutoCloseable {
  /** What a hostile producer might send. */
  static final String HOSTILE = "<img src=x onerror=\"document.title='pwned'\"><script>1</script>";

  /** Turns the rest of a line around, unless it is kept apart. */
  static final String RIGHT_TO_LEFT = "\u202Egnp.exe \u05E9\u05DC\u05D5\u05DD";

  final Waybill waybill;
  private final String addition;
  private final CountDownLatch closing = new CountDownLatch(1);

  Scene(TestDatabase database) {
    this(database, database.pool(12), "");
  }

  /** One in which handlers end what they tell people with that. */
  Scene(TestDatabase database, DataSource dataSource, String addition) {
    this.addition = addition;
    Schema.migrate(database.dataSource());
    waybill =
        Waybill.builder(dataSource)
            .stopGrace(Duration.ofMillis(200))
            .outbox(
                outbox ->
                    outbox
                        .queue("orders", Partitions.of(4))
                        .leased(message -> MessageResult.ok())
                        .queue("payments", Partitions.of(2))
                        .leased(message -> MessageResult.retry("gateway times out"))
                        .queue("mail", Partitions.of(1))
                        .leased(message -> MessageResult.reject("no such mailbox" + addition))
                        .queue("audit", Partitions.of(2))
                        .leased(message -> MessageResult.ok()))
            .jobs(
                jobs ->
                    jobs.define(JobDefinition.of("report"), this::report)
                        .define(
                            JobDefinition.of("invoice"),
                            job -> JobResult.fail("tax.unknown", "No tax rate for this country"))
                        .define(JobDefinition.of("import").withMaxRunning(2), this::importing)
                        .define(JobDefinition.of("sync")))
            .workflows(
                workflows ->
                    workflows
                        .step(JobDefinition.of("reserve"), step -> JobResult.success("{\"n\":2}"))
                        .step(
                            JobDefinition.of("charge"),
                            step -> JobResult.success("{\"total\":120}"))
                        .step(
                            JobDefinition.of("pack"),
                            step -> JobResult.fail("stock.gone", "Shelf 14 is empty"))
                        .step(JobDefinition.of("notify"), step -> JobResult.success()))
            .start();
  }

  private JobResult report(JobContext job) {
    job.log(JobContext.Level.INFO, "Reading 3 regions");
    job.progress(3L, 3L);
    job.log(JobContext.Level.WARN, "Region north has no sales" + addition);
    return JobResult.success("{\"pages\":12}");
  }

  private JobResult importing(JobContext job) throws InterruptedException {
    job.progress(140L, 400L);
    job.log(JobContext.Level.INFO, "File customers.csv has 400 lines");
    closing.await(60, TimeUnit.SECONDS);
    return JobResult.success();
  }

  /** Sends messages, of which so many are the queue's first. */
  void send(String queue, int messages) throws Exception {
    waybill
        .outbox()
        .inTransaction(
            connection -> {
              for (int i = 0; i < messages; i++) {
                waybill
                    .outbox()
                    .enqueue(
                        connection,
                        queue,
                        EnqueueMessage.of(queue + ".placed", "{\"text\":\"" + i + " <b>x</b>\"}")
                            .key("customer-" + i)
                            .header("origin", "web"));
              }
            });
  }

  /** Messages that are given up and carry what no page likes. */
  void sendOddities() throws Exception {
    Map<String, byte[]> payloads =
        Map.of(
            "odd.binary",
            new byte[] {(byte) 0xff, 0, (byte) 0xc0},
            "odd.huge",
            "x".repeat(60_000).getBytes(StandardCharsets.UTF_8),
            "odd.rtl",
            RIGHT_TO_LEFT.getBytes(StandardCharsets.UTF_8));
    waybill
        .outbox()
        .inTransaction(
            connection ->
                payloads.forEach(
                    (type, payload) ->
                        waybill
                            .outbox()
                            .enqueue(connection, "mail", EnqueueMessage.of(type, payload))));
  }

  UUID enqueue(String type) {
    UUID id = waybill.jobs().enqueue(JobRequest.of(type).build()).id();
    waybill.jobs().wake();
    return id;
  }

  void schedules() {
    waybill.jobs().schedules().put(Schedule.of("nightly-report", "report", "30 3 * * *"));
    waybill.jobs().schedules().put(Schedule.of("sync-stock", "sync", "every PT15M"));
    waybill.jobs().schedules().setActive("sync-stock", false);
  }

  /** A run that waits at a gate. */
  UUID order(String customer) {
    UUID run =
        waybill
            .workflows()
            .start(
                Workflow.of("fulfilment")
                    .attribute("customer", customer)
                    .input("{\"customer\":\"" + customer + "\"}")
                    .step(Step.job("reserve", "reserve"))
                    .step(Step.job("charge", "charge").after("reserve"))
                    .step(
                        Step.gate("approve")
                            .after("charge", Condition.at("/total").isGreaterThan("100"))
                            .deadline(Duration.ofDays(2)))
                    .step(Step.delay("cool-off", Duration.ofHours(1)).after("charge"))
                    .step(Step.job("ship", "notify").after("approve", "reserve"))
                    .step(Step.job("thank", "notify").after("ship", "cool-off"))
                    .step(Step.job("book", "notify").afterEnd("ship"))
                    .resultStep("charge")
                    .build())
            .id();
    waybill.workflows().wake();
    return run;
  }

  /** A run that fails. */
  UUID failingOrder() {
    UUID run =
        waybill
            .workflows()
            .start(
                Workflow.of("returns")
                    .step(Step.job("receive", "reserve"))
                    .step(Step.job("pack", "pack").after("receive").maxAttempts(1))
                    .step(Step.job("refund", "charge").after("pack"))
                    .build())
            .id();
    waybill.workflows().wake();
    return run;
  }

  static final Scope ALL = Scope.admin();

  /** Waits until something is so. */
  static void until(String what, Callable<Boolean> condition) throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.call()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("Still not so after 30 s: " + what);
      }
      never.await(20, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void close() {
    closing.countDown();
    waybill.close();
  }
}

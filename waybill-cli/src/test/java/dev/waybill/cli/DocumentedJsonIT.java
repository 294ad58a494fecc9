package dev.waybill.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Waybill;
import dev.waybill.job.JobContext;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Schedule;
import dev.waybill.job.Scope;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxMessage;
import dev.waybill.outbox.Partitions;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What docs/cli.md says of the JSON of each command, compared with what the commands really answer
 * about a service in which everything happens. {@code -Dwaybill.update.cli=true} writes the
 * examples of the page anew.
 */
@EveryDatabase
@Timeout(120)
class DocumentedJsonIT {
  private static final Path PAGE = Path.of(System.getProperty("waybill.root"), "docs", "cli.md");
  private static final Pattern EXAMPLE =
      Pattern.compile("### `([a-z -]+)`\n(.*?)```json\n(.*?)```", Pattern.DOTALL);

  private final Map<String, Object> answers = new LinkedHashMap<>();
  private final CountDownLatch end = new CountDownLatch(1);

  private final TestDatabase database;

  DocumentedJsonIT(TestDatabase database) {
    this.database = database.fresh();
  }

  /** Runs a command; what it answers belongs to the section of its name. */
  private Map<?, ?> ask(String command, String... arguments) throws Exception {
    Map<?, ?> answer = answer(command, arguments);
    answers.merge(command, answer, JsonTree::merged);
    return answer;
  }

  private Map<?, ?> answer(String name, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(name.split(" ", -1)));
    command.addAll(List.of(arguments));
    command.add("--json");
    if (!name.equals("schema print")) {
      String where = name.equals("demo") ? "--db" : "--url";
      command.addAll(List.of(where, database.url(), "--user", database.user()));
      command.addAll(List.of("--password-env", "DB_PASSWORD"));
    }
    Map<String, String> password = Map.of("DB_PASSWORD", database.password());
    String[] words = command.toArray(String[]::new);
    // The demo starts its service from its own class path.
    Cli cli = name.equals("demo") ? Cli.process(password, words) : Cli.jar(password, words);
    if (name.equals("doctor") && database.isOnUsersServer()) {
      // What ails a server of the user's own is not ours to heal.
      assertThat(cli.exit()).as("%s: %s", command, cli.err()).isLessThanOrEqualTo(1);
    } else {
      assertThat(cli.exit()).as("%s: %s", command, cli.err()).isZero();
    }
    return (Map<?, ?>) JsonTree.parse(cli.out());
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.SQLITE, DatabaseProduct.POSTGRESQL, DatabaseProduct.MARIADB},
      why =
          "The shape is made by the commands, so one server is enough; and two copies of SQLite in"
              + " this process would undo each other's locks")
  void thePageSaysWhatTheCommandsAnswer() throws Exception {
    ask("schema plan");
    ask("schema migrate");
    for (String command : List.of("check", "status")) {
      ask("schema " + command);
    }
    ask("schema print", "--database", "sqlite");
    try (Waybill waybill = service()) {
      askOutbox(waybill);
      askJobs(waybill);
      askWorkflows(waybill);
      ask("status");
      ask("doctor");
    } finally {
      end.countDown();
    }
    ask("demo", "--seconds", "2", "--rate", "20", "--no-console");
    compare();
  }

  private Waybill service() {
    return Waybill.builder(database.pool(12))
        .stopGrace(Duration.ofMillis(200))
        .outbox(
            outbox ->
                outbox
                    .queue("orders", Partitions.of(1))
                    .leased(this::holdUp)
                    .queue("payments", Partitions.of(1))
                    .leased(message -> MessageResult.retry("gateway times out"))
                    .queue("mail", Partitions.of(1))
                    .leased(message -> MessageResult.reject("no such mailbox"))
                    .queue("audit", Partitions.of(1))
                    .produceOnly())
        .jobs(
            jobs ->
                jobs.define(JobDefinition.of("report"), this::report)
                    .define(
                        JobDefinition.of("sync"),
                        job -> JobResult.retry("busy", "The warehouse is busy"))
                    .define(
                        JobDefinition.of("invoice"),
                        job -> JobResult.fail("tax.unknown", "No tax rate for this country"))
                    .define(JobDefinition.of("import"), this::linger))
        .workflows(workflows -> {})
        .start();
  }

  private MessageResult holdUp(OutboxMessage message) throws InterruptedException {
    end.await(60, TimeUnit.SECONDS);
    return MessageResult.ok();
  }

  private JobResult report(JobContext job) {
    job.log(JobContext.Level.INFO, "Reading 3 regions");
    job.progress(3L, 3L);
    job.checkpoint("{\"region\":3}");
    return JobResult.success("{\"pages\":12}");
  }

  private JobResult linger(JobContext job) throws InterruptedException {
    end.await(60, TimeUnit.SECONDS);
    return JobResult.success();
  }

  private void askOutbox(Waybill waybill) throws Exception {
    Outbox outbox = waybill.outbox();
    outbox.inTransaction(
        connection -> {
          for (String queue : List.of("orders", "payments", "audit", "mail", "mail", "mail")) {
            EnqueueMessage message =
                EnqueueMessage.of("order.placed", "4711").key("customer-7").header("origin", "web");
            outbox.enqueue(connection, queue, message);
          }
        });
    Until.holds(() -> outbox.deadLetters().count(DeadLetterFilter.defaults()) == 3);
    Until.holds(() -> outbox.status().toString().contains("gateway times out"));
    Until.holds(
        () ->
            outbox.status().stream()
                .flatMap(queue -> queue.partitions().stream())
                .anyMatch(partition -> partition.leaseOwner() != null));
    Until.holds(
        () -> outbox.recentDeliveries().stream().anyMatch(each -> each.times().total() == 3));
    ask("queues list");
    ask("queues pause", "audit", "--partition", "0");
    ask("queues resume", "audit", "--partition", "0");
    Until.holds(() -> outbox.peek("audit", 0, 0, 1).size() == 1);
    ask("messages peek", "audit", "--payload");
    Map<?, ?> claim = ask("dead-letters replay", "--limit", "1");
    List<?> letters = (List<?>) Objects.requireNonNull(claim.get("dead_letters"));
    Object claimed = ((Map<?, ?>) letters.get(0)).get("id");
    ask("dead-letters resolve", "--token", "" + claim.get("token"), "" + claimed);
    ask("dead-letters show", "" + claimed);
    ask("dead-letters list", "--any-status");
    answers.put("--dry-run", answer("dead-letters requeue", "--dry-run"));
    ask("dead-letters discard", "--limit", "1", "--yes");
    ask("dead-letters cleanup", "--older-than", "1", "--yes");
    ask("dead-letters requeue", "--yes");
  }

  private void askJobs(Waybill waybill) throws Exception {
    UUID done =
        waybill
            .jobs()
            .enqueue(JobRequest.of("report").idempotencyKey("march").resourceKey("disk").build())
            .id();
    UUID dead = waybill.jobs().enqueue(JobRequest.of("invoice").build()).id();
    UUID busy = waybill.jobs().enqueue(JobRequest.of("sync").build()).id();
    UUID running = waybill.jobs().enqueue(JobRequest.of("import").build()).id();
    waybill.jobs().wake();
    Until.holds(() -> status(waybill, done) == JobStatus.SUCCEEDED);
    Until.holds(() -> status(waybill, dead) == JobStatus.DEAD_LETTERED);
    Until.holds(() -> waybill.jobs().attempts(Scope.admin(), busy).size() == 1);
    Until.holds(() -> status(waybill, running) == JobStatus.LEASED);
    ask("jobs enqueue", "report", "--delay", "PT1H");
    ask("jobs requeue", "" + dead, "--reason", "rate added", "--yes");
    Until.holds(() -> status(waybill, dead) == JobStatus.DEAD_LETTERED);
    ask("jobs cancel", "" + busy, "--reason", "not wanted", "--yes");
    for (UUID job : List.of(done, dead, busy, running)) {
      ask("jobs show", "" + job, "--payload");
    }
    ask("jobs logs", "" + done, "--latest", "10");
    waybill.jobs().schedules().put(Schedule.of("nightly", "report", "30 2 * * *"));
    ask("schedules trigger", "nightly");
    ask("schedules list");
    ask("schedules next", "nightly");
    ask("schedules pause", "nightly");
    ask("schedules resume", "nightly");
  }

  private static JobStatus status(Waybill waybill, UUID job) {
    return waybill.jobs().find(Scope.admin(), job).orElseThrow().status();
  }

  private void askWorkflows(Waybill waybill) throws Exception {
    UUID run =
        waybill
            .workflows()
            .start(
                Workflow.of("order")
                    .idempotencyKey("4711")
                    .activeKey("customer-7")
                    .attribute("customer", "7")
                    .input("{\"customer\":7}")
                    .step(Step.gate("approve").deadline(Duration.ofDays(2)))
                    .step(Step.job("print", "report"))
                    .step(Step.job("pay", "invoice").mayFail())
                    .step(Step.job("tell", "report").after("approve"))
                    .resultStep("print")
                    .build())
            .id();
    waybill.workflows().wake();
    Until.holds(
        () -> waybill.workflows().steps(Scope.admin(), run).toString().contains("tax.unknown"));
    Until.holds(
        () ->
            waybill.workflows().stepBody(Scope.admin(), run, "print").orElseThrow().output()
                != null);
    ask("workflows show", "" + run, "--payload");
    ask("workflows graph", "" + run);
    ask("workflows gates", "--limit", "1");
    ask("workflows complete-gate", "" + run, "approve");
    Until.holds(
        () -> waybill.workflows().find(Scope.admin(), run).orElseThrow().status().isTerminal());
    ask("workflows compensate", "" + run, "--undo", "print=report", "--reason", "no", "--yes");
    waybill.workflows().rerun(new Rerun(Scope.global(), run, "again", "why not", "print", null));
    UUID busy = start(waybill, Step.job("fetch", "import"));
    UUID gate = start(waybill, Step.gate("approve"));
    Until.holds(() -> waybill.workflows().steps(Scope.admin(), busy).get(0).worker() != null);
    ask("workflows cancel", "" + gate, "--reason", "not wanted", "--yes");
    ask("workflows retry", "" + gate, "--reason", "after all", "--yes");
    Until.holds(() -> runs(waybill, WorkflowStatus.RUNNING) == 1);
    Until.holds(() -> runs(waybill, WorkflowStatus.WAITING) == 1);
    ask("workflows list", "--limit", "3");
    ask("workflows list");
    ask("workflows show", "" + run, "--payload");
    ask("workflows show", "" + busy);
    ask("jobs show", "" + waybill.workflows().steps(Scope.admin(), busy).get(0).id());
    ask("jobs list", "--limit", "10");
    ask("jobs list");
  }

  private static UUID start(Waybill waybill, Step.Builder step) {
    UUID run = waybill.workflows().start(Workflow.of("order").step(step).build()).id();
    waybill.workflows().wake();
    return run;
  }

  private static long runs(Waybill waybill, WorkflowStatus status) {
    return waybill.workflows().list(WorkflowFilter.in(Scope.admin()).withStatus(status)).size();
  }

  private void compare() throws Exception {
    if (Boolean.getBoolean("waybill.update.cli")) {
      Files.writeString(
          PAGE, EXAMPLE.matcher(Files.readString(PAGE)).replaceAll(this::withRealExample));
    }
    Map<String, Set<String>> documented = new LinkedHashMap<>();
    EXAMPLE
        .matcher(Files.readString(PAGE))
        .results()
        .forEach(found -> documented.put(found.group(1), shape(JsonTree.parse(found.group(3)))));
    Map<String, Set<String>> real = new LinkedHashMap<>();
    answers.forEach((command, answer) -> real.put(command, shape(answer)));
    assertThat(documented.keySet()).containsExactlyInAnyOrderElementsOf(real.keySet());
    for (Map.Entry<String, Set<String>> each : real.entrySet()) {
      assertThat(documented.get(each.getKey()))
          .as("docs/cli.md about %s", each.getKey())
          .containsExactlyElementsOf(each.getValue());
    }
  }

  /** Whether the doctor has something to suggest is the database's business. */
  private static Set<String> shape(Object answer) {
    Set<String> lines = JsonTree.shape(answer);
    lines.remove("findings[].remedy: text");
    return lines;
  }

  private String withRealExample(MatchResult found) {
    Object answer = answers.get(found.group(1));
    String example = answer == null ? found.group(3) : Json.write(JsonTree.example(answer)) + "\n";
    return Matcher.quoteReplacement(
        "### `" + found.group(1) + "`\n" + found.group(2) + "```json\n" + example + "```");
  }
}

package dev.waybill.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.job.JobStatus;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Everything the page can ask for and do, on a service where much goes on. */
@EveryDatabase
@Timeout(120)
class ConsoleApiTest {
  private final Scene scene;
  private final Console console;
  private final Client client;

  ConsoleApiTest(TestDatabase database) {
    scene = new Scene(database.fresh());
    console =
        Console.start(
            scene.waybill,
            ConsoleOptions.defaults()
                .port(0)
                .path("/ops/waybill")
                .refresh(Duration.ofMillis(200))
                .token("a-long-secret-token", new Principal("olga", Role.OPERATE))
                .payloads(
                    (place, text) -> place.kind() == Redactor.Kind.MESSAGE_KEY ? "***" : text));
    client = new Client(console).bearer("a-long-secret-token");
  }

  @AfterEach
  void close() {
    console.close();
    scene.close();
  }

  @Test
  void queuesTellWhyTheyDoNotMoveAndArePausedAndResumed() throws Exception {
    scene.waybill.outbox().pause("audit");
    scene.send("audit", 3);
    scene.send("payments", 4);
    Scene.until("a payment failed", () -> partition("payments", "retrying").size() > 0);
    Scene.until(
        "audit's messages are numbered", () -> client.get("queues/audit").at("lag").equals(3L));

    Map<String, Object> stuck = partition("payments", "retrying").get(0);
    assertThat(String.valueOf(stuck.get("why")))
        .startsWith("Message 1 failed")
        .contains("gateway times out");
    assertThat(attention())
        .anySatisfy(
            item -> assertThat(item).contains("Queue payments").contains("gateway times out"))
        .anySatisfy(item -> assertThat(item).contains("Queue audit").contains("Paused"));

    String messages = "queues/payments/partitions/" + stuck.get("number") + "/messages";
    Map<String, Object> first = client.get(messages).list("messages").get(0);
    assertThat(first).containsEntry("seq", 1L).containsEntry("key", "***");
    assertThat(String.valueOf(first.get("payload"))).contains("<b>x</b>");
    assertThat((Long) first.get("attempts")).isPositive();
    assertThat(client.get(messages + "?limit=1").at("next")).isEqualTo(1L);
    assertThat(client.get(messages + "?after=1000").list("messages")).isEmpty();
    assertThat(client.get("queues/payments/partitions/9/messages").status()).isEqualTo(400);
    assertThat(client.get("queues/nowhere/partitions/0/messages").status()).isEqualTo(404);

    assertThat(client.post("queues/audit/resume", "{}").status()).isEqualTo(200);
    Scene.until("audit moves", () -> client.get("queues/audit").at("lag").equals(0L));
    assertThat(client.post("queues/audit/pause", "{\"partition\":1}").status()).isEqualTo(200);
    assertThat(partition("audit", "paused")).hasSize(1);
    assertThat(client.post("queues/nowhere/pause", "{}").status()).isEqualTo(404);
    assertThat(client.post("queues/audit/pause", "{\"partition\":\"x\"}").status()).isEqualTo(400);
  }

  private List<Map<String, Object>> partition(String queue, String state) throws Exception {
    return client.get("queues/" + queue).list("partitions").stream()
        .filter(each -> state.equals(each.get("state")))
        .toList();
  }

  private List<String> attention() throws Exception {
    return client.get("overview").list("attention").stream().map(Object::toString).toList();
  }

  @Test
  void deadLettersAreRequeuedResolvedAndDiscardedSinglyAndByFilter() throws Exception {
    scene.send("mail", 6);
    Scene.until(
        "all are rejected",
        () -> scene.waybill.outbox().deadLetters().count(DeadLetterFilter.defaults()) == 6);
    Client.Answer page = client.get("dead-letters?queue=mail&limit=4");
    assertThat(page.list("deadLetters")).hasSize(4);
    assertThat(page.at("more")).isEqualTo(true);
    Map<String, Object> last = page.list("deadLetters").get(3);
    Client.Answer rest =
        client.get(
            "dead-letters?queue=mail&beforeTime="
                + last.get("failedAt")
                + "&beforeId="
                + last.get("id"));
    assertThat(rest.list("deadLetters")).hasSize(2);

    Object id = last.get("id");
    Client.Answer one = client.get("dead-letters/" + id);
    assertThat(one.at("key")).isEqualTo("***");
    assertThat(String.valueOf(one.at("payload"))).contains("<b>x</b>");
    assertThat(client.post("dead-letters/discard", "{\"ids\":[" + id + "]}").at("changed"))
        .isEqualTo(1L);
    assertThat(client.get("dead-letters/" + id).at("status")).isEqualTo("DISCARDED");
    assertThat(
            client.post("dead-letters/resolve", "{\"queue\":\"mail\",\"limit\":2}").at("changed"))
        .isEqualTo(2L);
    assertThat(client.post("dead-letters/requeue", "{\"type\":\"nothing\"}").at("changed"))
        .isEqualTo(0L);
    assertThat(client.post("dead-letters/requeue", "{\"queue\":\"mail\"}").at("changed"))
        .isEqualTo(3L);
    Scene.until(
        "the requeued ones are rejected again",
        () -> scene.waybill.outbox().deadLetters().count(DeadLetterFilter.defaults()) == 3);
    assertThat(client.get("dead-letters?status=nonsense").status()).isEqualTo(400);
    assertThat(client.get("dead-letters/4711000").status()).isEqualTo(404);
  }

  @Test
  void deadLettersAreReplayedByWhoeverHasTakenThemUp() throws Exception {
    scene.send("mail", 4);
    Scene.until(
        "all are rejected",
        () -> scene.waybill.outbox().deadLetters().count(DeadLetterFilter.defaults()) == 4);
    Client.Answer claim = client.post("dead-letters/replay", "{\"queue\":\"mail\",\"limit\":3}");
    List<Object> ids = claim.list("deadLetters").stream().map(letter -> letter.get("id")).toList();
    assertThat(ids).hasSize(3);
    assertThat(claim.list("deadLetters").get(0).toString()).contains("<b>x</b>");
    assertThat(client.get("dead-letters?status=REPROCESSING").list("deadLetters")).hasSize(3);
    assertThat(client.post("dead-letters/replay", "{}").at("changed"))
        .as("nobody else gets those")
        .isEqualTo(1L);

    String token = "{\"token\":\"" + claim.at("token") + "\",\"ids\":[";
    assertThat(client.post("dead-letters/resolve", token + ids.get(0) + "]}").at("changed"))
        .isEqualTo(1L);
    assertThat(
            client
                .post("dead-letters/reject", token + ids.get(1) + "],\"reason\":\"still shut\"}")
                .at("changed"))
        .isEqualTo(1L);
    assertThat(client.get("dead-letters/" + ids.get(0)).at("status")).isEqualTo("RESOLVED");
    assertThat(client.get("dead-letters/" + ids.get(1)).body())
        .containsEntry("status", "PENDING")
        .containsEntry("lastError", "still shut");
    Client.Answer late = client.post("dead-letters/reject", token + ids.get(0) + "]}");
    assertThat(late.status()).isEqualTo(409);
    assertThat(late.at("error")).isEqualTo("claim.lost");
    assertThat(client.post("dead-letters/reject", "{\"ids\":[1]}").status()).isEqualTo(400);
    assertThat(client.post("dead-letters/replay", "{\"minutes\":0}").status()).isEqualTo(400);
  }

  @Test
  void jobsShowAttemptsAndLogsAndAreCanceledRequeuedAndReplayed() throws Exception {
    UUID done = scene.enqueue("report");
    UUID dead = scene.enqueue("invoice");
    UUID running = scene.enqueue("import");
    await(done, JobStatus.SUCCEEDED);
    await(dead, JobStatus.DEAD_LETTERED);
    Scene.until(
        "the import has begun",
        () -> Long.valueOf(140).equals(client.get("jobs/" + running).body().get("progressDone")));

    Client.Answer job = client.get("jobs/" + done);
    assertThat(job.list("attempts")).hasSize(1);
    assertThat(job.list("log")).hasSize(2);
    assertThat(job.list("log").get(0).get("message")).isEqualTo("Region north has no sales");
    assertThat(job.at("output")).isEqualTo("{\"pages\":12}");
    assertThat(client.get("jobs?status=DEAD_LETTERED").list("jobs")).hasSize(1);
    assertThat(client.get("jobs?type=report&status=PENDING").list("jobs")).isEmpty();
    Scene.until(
        "the dead one is counted",
        () -> attention().stream().anyMatch(item -> item.contains("Jobs invoice")));

    assertThat(client.post("jobs/" + done + "/requeue", "{}").status()).isEqualTo(400);
    Object copy = client.post("jobs/" + done + "/replay", "{}").at("id");
    await(UUID.fromString(copy.toString()), JobStatus.SUCCEEDED);
    assertThat(client.post("jobs/" + dead + "/requeue", "{\"reason\":\"rate added\"}").at("run"))
        .isEqualTo(2L);
    await(dead, JobStatus.DEAD_LETTERED);
    assertThat(client.get("jobs/" + dead).list("events").toString()).contains("rate added");
    assertThat(client.post("jobs/requeue", "{\"type\":\"invoice\"}").at("changed")).isEqualTo(1L);
    assertThat(client.post("jobs/" + running + "/cancel", "{}").at("status")).isEqualTo("CANCELED");
    assertThat(client.post("jobs/" + running + "/cancel", "{}").status()).isEqualTo(409);
    assertThat(client.get("jobs/" + UUID.randomUUID()).status()).isEqualTo(404);

    assertThat(client.post("job-types/report/pause", "{}").at("paused")).isEqualTo(true);
    assertThat(client.get("job-types").list("types"))
        .anySatisfy(
            type -> assertThat(type).containsEntry("type", "report").containsEntry("paused", true));
  }

  private void await(UUID job, JobStatus status) throws Exception {
    Scene.until(
        job + " is " + status,
        () -> scene.waybill.jobs().find(Scene.ALL, job).orElseThrow().status() == status);
  }

  @Test
  void schedulesShowTheirNextTimesAndAreTriggered() throws Exception {
    scene.schedules();
    Client.Answer all = client.get("schedules");
    assertThat(all.list("schedules")).hasSize(2);
    assertThat((List<?>) all.list("schedules").get(0).get("next")).hasSize(5);
    assertThat(client.post("schedules/nightly-report/trigger", "{}").body()).containsKey("job");
    assertThat(client.get("schedules/nightly-report").list("fires").toString())
        .contains("TRIGGERED");
    client.post("schedules/sync-stock/resume", "{}");
    assertThat(client.get("schedules/sync-stock").at("active")).isEqualTo(true);
  }

  @Test
  void aWorkflowIsDrawnAndItsGateCompleted() throws Exception {
    UUID run = scene.order("4711");
    UUID failing = scene.failingOrder();
    Scene.until(
        "the failing run has failed",
        () ->
            scene.waybill.workflows().find(Scene.ALL, failing).orElseThrow().status()
                == WorkflowStatus.FAILED);
    Scene.until("the gate is open", () -> "WAITING".equals(step(run, "approve").get("status")));
    assertThat(String.valueOf(step(run, "ship").get("blockedBy"))).contains("approve");
    assertThat(client.get("workflows?attribute=customer=4711").list("runs")).hasSize(1);
    assertThat(client.get("workflows?status=FAILED").list("runs"))
        .singleElement()
        .satisfies(each -> assertThat(each).containsEntry("why", "pack: Shelf 14 is empty"));
    Scene.until("the gate is listed", () -> client.get("gates").list("gates").size() == 1);
    assertThat(client.get("gates").list("gates").get(0))
        .containsEntry("workflow", run.toString())
        .containsEntry("step", "approve")
        .containsKeys("since", "timerAt");
    assertThat(client.get("workflows/" + run + "/steps/charge").at("output"))
        .isEqualTo("{\"total\":120}");
    assertThat(
            client
                .post("workflows/" + run + "/gates/approve", "{\"output\":\"{\\\"by\\\":1}\"}")
                .at("outcome"))
        .isEqualTo("COMPLETED");
    Scene.until("shipped", () -> "SUCCEEDED".equals(step(run, "ship").get("status")));
    assertThat(client.post("workflows/" + failing + "/retry", "{}").status()).isEqualTo(200);
    assertThat(client.post("workflows/" + run + "/cancel", "{}").at("status"))
        .isEqualTo("CANCELED");
    assertThat(client.post("workflows/" + run + "/rerun", "{}").body()).containsKey("id");
  }

  private Map<String, Object> step(UUID run, String key) throws Exception {
    return client.get("workflows/" + run).list("steps").stream()
        .filter(step -> key.equals(step.get("key")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theSchemaTheHealthAndTheDescription() throws Exception {
    assertThat(client.get("schema").at("verdict")).isEqualTo("fine");
    assertThat(client.get("schema").list("migrations")).isNotEmpty();
    assertThat(client.get("health").at("healthy")).isEqualTo(true);
    Client.Answer description = client.get("openapi.json");
    assertThat(description.at("openapi")).isEqualTo("3.1.0");
    assertThat(description.at("paths").toString())
        .contains("/dead-letters/requeue", "/stream", "/workflows/{id}/gates/{step}");
    assertThat(client.page("").body()).contains("app.js");
    assertThat(client.page("app.js").headers().firstValue("Content-Type").orElse(""))
        .startsWith("text/javascript");
  }
}

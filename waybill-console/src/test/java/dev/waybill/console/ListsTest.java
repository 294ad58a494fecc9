package dev.waybill.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.job.JobRequest;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is old is found by its status, however much has come since. */
@EveryDatabase
@Timeout(120)
class ListsTest {
  /** More than a list looks at, one by one. */
  private static final int MANY = 2_500;

  private final Scene scene;
  private final Console console;
  private final Client client;

  ListsTest(TestDatabase database) {
    scene = new Scene(database.fresh());
    console =
        Console.start(
            scene.waybill, ConsoleOptions.defaults().port(0).refresh(Duration.ofMillis(200)));
    client = new Client(console);
  }

  @AfterEach
  void close() {
    console.close();
    scene.close();
  }

  private void enqueueMany() throws Exception {
    List<JobRequest> requests =
        IntStream.range(0, MANY).mapToObj(i -> JobRequest.of("sync").build()).toList();
    scene
        .waybill
        .outbox()
        .inTransaction(
            connection -> {
              for (int from = 0; from < MANY; from += 500) {
                scene.waybill.jobs().enqueueAll(connection, requests.subList(from, from + 500));
              }
            });
  }

  /** Of all pages. */
  private List<Object> ids(String list, String query) throws Exception {
    List<Object> ids = new ArrayList<>();
    Client.Answer page = client.get(list + query);
    while (true) {
      page.list(list.equals("jobs") ? "jobs" : "runs").forEach(each -> ids.add(each.get("id")));
      Object next = page.body().get("next");
      if (next == null) {
        return ids;
      }
      page = client.get(list + query + "&after=" + next);
    }
  }

  @Test
  void jobsOfAStatusAreFoundBehindThousandsOfNewerOnes() throws Exception {
    UUID canceled = scene.waybill.jobs().enqueue(JobRequest.of("sync").build()).id();
    scene.waybill.jobs().cancel(Scene.ALL, canceled, "long ago");
    UUID later =
        scene.waybill.jobs().enqueue(JobRequest.of("sync").delay(Duration.ofDays(1)).build()).id();
    UUID running = scene.enqueue("import");
    Scene.until(
        "the import has begun",
        () -> Long.valueOf(140).equals(client.get("jobs/" + running).body().get("progressDone")));
    enqueueMany();

    assertThat(ids("jobs", "?status=CANCELED")).containsExactly(canceled.toString());
    assertThat(ids("jobs", "?status=SCHEDULED")).containsExactly(later.toString());
    assertThat(ids("jobs", "?status=LEASED")).containsExactly(running.toString());
    assertThat(ids("jobs", "?status=PENDING&type=sync&limit=200"))
        .hasSize(MANY)
        .doesNotHaveDuplicates();
    Client.Answer rare = client.get("jobs?type=import&limit=1");
    assertThat(rare.list("jobs")).as("a type alone is looked for one by one").isEmpty();
    assertThat(rare.at("lookedAt")).isEqualTo(2_000L);
    assertThat(client.get("jobs?type=import&limit=1&after=" + rare.at("next")).list("jobs"))
        .hasSize(1);
  }

  @Test
  void gatesAndRunsOfAStatusAreFoundBehindNewerRuns() throws Exception {
    UUID first = gated("first");
    UUID second = gated("second");
    UUID failed = scene.failingOrder();
    for (int i = 0; i < Sample.MOST_RUNS + 20; i++) {
      scene.waybill.workflows().start(Workflow.of("busy").step(Step.job("only", "sync")).build());
    }
    Scene.until(
        "the failed run is told",
        () -> client.get("overview").list("attention").toString().contains("Shelf 14 is empty"));
    assertThat(client.get("overview").list("attention").toString())
        .contains("Gate first")
        .contains("Gate second");
    assertThat(ids("workflows", "?status=WAITING&limit=1"))
        .containsExactly(second.toString(), first.toString());
    assertThat(ids("workflows", "?status=FAILED")).containsExactly(failed.toString());
    assertThat(ids("workflows", "?status=RUNNING&limit=50")).hasSize(Sample.MOST_RUNS + 20);

    Client.Answer page = client.get("gates?limit=1");
    assertThat(page.list("gates")).extracting(gate -> gate.get("step")).containsExactly("first");
    Client.Answer rest = client.get("gates?limit=1&after=" + page.at("next"));
    assertThat(rest.list("gates")).extracting(gate -> gate.get("step")).containsExactly("second");
    assertThat(rest.body()).doesNotContainKey("next");
    for (String nonsense : List.of("x", "x_y", "2026-01-31T12:00:00Z_y")) {
      assertThat(client.get("gates?after=" + nonsense).status()).isEqualTo(400);
    }
    assertThat(page.list("gates").get(0))
        .isEqualTo(
            Map.of(
                "workflow",
                first.toString(),
                "type",
                "approval",
                "step",
                "first",
                "since",
                page.list("gates").get(0).get("since")));
  }

  private UUID gated(String gate) {
    return scene
        .waybill
        .workflows()
        .start(Workflow.of("approval").step(Step.gate(gate)).build())
        .id();
  }
}

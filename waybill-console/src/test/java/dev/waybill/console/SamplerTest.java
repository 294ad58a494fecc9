package dev.waybill.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.Waybill;
import dev.waybill.outbox.OutboxBuilder;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.io.InputStream;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What watching costs the database. */
@EveryDatabase
@Timeout(120)
class SamplerTest {
  private final WatchedDataSource watched;
  private final HikariDataSource pool;
  private final Scene scene;
  private final Console console;
  private final List<Tab> tabs = new ArrayList<>();

  SamplerTest(TestDatabase database) {
    TestDatabase fresh = database.fresh();
    watched = new WatchedDataSource(fresh.dataSource());
    // Around what is watched: a pool that hears of a broken connection does not lend it again.
    HikariConfig config = new HikariConfig();
    config.setDataSource(watched.dataSource());
    config.setMaximumPoolSize(12);
    pool = new HikariDataSource(config);
    scene = new Scene(fresh, pool, "");
    console =
        Console.start(
            scene.waybill, ConsoleOptions.defaults().port(0).refresh(Duration.ofMillis(200)));
  }

  @AfterEach
  void close() throws Exception {
    for (Tab tab : tabs) {
      tab.close();
    }
    console.close();
    scene.close();
    pool.close();
  }

  /** An open page: it hears events. */
  private static final class Tab {
    private final InputStream in;
    private final Scanner events;

    Tab(Console console, String query) throws Exception {
      Client client = new Client(console);
      in =
          client
              .http()
              .send(client.request("stream" + query).build(), BodyHandlers.ofInputStream())
              .body();
      events = new Scanner(in, "UTF-8").useDelimiter(Pattern.compile("\n\n"));
    }

    String next(String kind) {
      while (true) {
        String event = events.next();
        if (event.startsWith("event: " + kind + "\n")) {
          return event;
        }
      }
    }

    void close() throws Exception {
      in.close();
    }
  }

  private Tab open(String query) throws Exception {
    Tab tab = new Tab(console, query);
    tabs.add(tab);
    return tab;
  }

  /** The queries of so many samples. */
  private long cost(Tab tab, int samples) {
    tab.next("sample");
    long before = watched.queries.size();
    for (int i = 0; i < samples; i++) {
      tab.next("sample");
    }
    return watched.queries.size() - before;
  }

  @Test
  void manyTabsCostAsMuchAsOneAndNobodyNothing() throws Exception {
    assertThat(watched.queries.size()).as("before anybody came").isZero();
    Tab first = open("");
    first.next("history");
    for (int i = 0; i < 10; i++) {
      first.next("sample");
    }
    long alone = cost(first, 10);
    for (int i = 0; i < 10; i++) {
      open("").next("sample");
    }
    long together = cost(first, 10);
    // The same samples ask for slow things more or less often, so not to the statement.
    assertThat(together).isLessThanOrEqualTo(alone + 4);
    assertThat(alone / 10.0).as("queries per sample").isLessThan(6);

    for (Tab tab : tabs) {
      tab.close();
    }
    awaitRest();
    long resting = watched.queries.size();
    scene.send("orders", 5);
    Scene.until(
        "the orders are delivered", () -> scene.waybill.outbox().statistics().delivered() >= 5);
    assertThat(watched.queries.size()).isEqualTo(resting);
  }

  /** A sample per second for all, and each page looks at its list again every five seconds. */
  @Test
  void tenTabsOnTenPagesCostLessThanTwentyQueriesASecond() throws Exception {
    assertThat(ConsoleOptions.defaults().refresh()).isEqualTo(Duration.ofSeconds(1));
    UUID run = scene.order("4711");
    UUID job = scene.enqueue("import");
    scene.failingOrder();
    scene.send("mail", 3);
    for (String page : List.of("?workflow=" + run, "?job=" + job, "", "", "", "", "", "", "")) {
      open(page).next("sample");
    }
    double samples = cost(open(""), 20) / 20.0;
    for (Tab tab : tabs) {
      tab.close();
    }
    awaitRest();

    Client client = new Client(console);
    long before = watched.queries.size();
    for (String list :
        List.of(
            "jobs?limit=50",
            "jobs?status=PENDING&limit=50",
            "jobs?type=import&status=DEAD_LETTERED&limit=50",
            "workflows?limit=50",
            "workflows?status=FAILED&limit=50",
            "gates?limit=20",
            "dead-letters?limit=50",
            "queues/mail/partitions/0/messages?limit=50",
            "dead-letters?queue=mail&limit=50",
            "jobs?status=SCHEDULED&limit=50")) {
      assertThat(client.get(list).status()).as(list).isEqualTo(200);
    }
    double lists = (watched.queries.size() - before) / 5.0;
    assertThat(samples + lists)
        .as("queries per second, %s for samples and %s for lists", samples, lists)
        .isBetween(1.0, 20.0);
  }

  private static void awaitRest() throws Exception {
    Scene.until(
        "the sampler rests",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("waybill-console-sampler")));
  }

  @Test
  void whatOneLooksAtIsSentWhenItChanges() throws Exception {
    UUID run = scene.order("4711");
    Tab watching = open("?workflow=" + run);
    String picture = watching.next("subject");
    while (!picture.contains("\"status\":\"WAITING\"")) {
      picture = watching.next("subject");
    }
    assertThat(picture).contains("\"key\":\"approve\"");
    scene.waybill.workflows().cancel(Scene.ALL, run, "enough");
    while (!picture.contains("enough")) {
      picture = watching.next("subject");
    }
  }

  @Test
  void aProcessThatDeliversNothingTellsHowLongDeliveriesTake() throws Exception {
    try (Waybill looks = Waybill.builder(pool).outbox(OutboxBuilder::withoutWorkers).start();
        Console alone =
            Console.start(
                looks, ConsoleOptions.defaults().port(0).refresh(Duration.ofMillis(200)))) {
      Tab tab = new Tab(alone, "");
      tabs.add(tab);
      tab.next("sample");
      assertThat(tab.next("sample")).doesNotContain("\"p99\"").doesNotContain("\"retries\"");
      scene.send("orders", 20);
      scene.send("payments", 1);
      String seen = tab.next("sample");
      while (!seen.contains("\"p50\"") || !seen.contains("\"retries\"")) {
        seen = tab.next("sample");
      }
      assertThat(seen)
          .containsPattern("\"p50\":[0-9.]+,\"p95\":[0-9.]+,\"p99\":[0-9.]+")
          .containsPattern("\"delivery\":\\{\"messages\":[0-9]+,\"p50\":[0-9.]+");
    }
  }

  @Test
  void aDatabaseThatDoesNotAnswerIsSaid() throws Exception {
    Tab tab = open("");
    tab.next("sample");
    assertThat(tab.next("sample")).doesNotContain("does not answer");
    watched.down = true;
    String sample = tab.next("sample");
    while (!sample.contains("does not answer")) {
      sample = tab.next("sample");
    }
    assertThat(sample).as("what was seen before stays").contains("\"name\":\"payments\"");
    watched.down = false;
    while (sample.contains("does not answer")) {
      sample = tab.next("sample");
    }
  }
}

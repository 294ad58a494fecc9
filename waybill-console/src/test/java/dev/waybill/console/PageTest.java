package dev.waybill.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.waybill.Waybill;
import dev.waybill.job.JobRequest;
import dev.waybill.outbox.OutboxBuilder;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.WorkflowStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The page in a real browser. On SQLite alone: it knows the database only through the REST API,
 * which {@link ConsoleApiTest} tries on every one.
 */
@Timeout(180)
@SuppressWarnings("NullAway.Init") // set before each test
class PageTest {
  /** The folder for pictures of the pages, if they are wanted: -Dwaybill.screenshots=docs/img. */
  private static final String PICTURES = System.getProperty("waybill.screenshots", "");

  /** The types of messages that carry oddities, by what is to be seen of them. */
  private static final Map<String, String> ROWS =
      Map.of(
          "3 bytes that are not text",
          "odd.binary",
          "xxxxxxxxxxxxxxxxxxxx",
          "odd.huge",
          Scene.RIGHT_TO_LEFT,
          "odd.rtl");

  private TestDatabase database;
  private Scene scene;
  private Console console;
  private Browser browser;

  @BeforeEach
  void open() throws Exception {
    assumeTrue(
        Browser.program().isPresent(),
        "No chromium on the PATH: the page is not tried in a browser. Install it, for example with"
            + " apt-get install chromium.");
    database = TestDatabase.inFile();
    scene = new Scene(database);
    console = start();
    browser = Browser.start();
    browser.size(1280, 900, false);
  }

  private Console start() {
    return Console.start(
        scene.waybill,
        ConsoleOptions.defaults()
            .port(0)
            .path("/ops")
            .title("Shop")
            .anonymous(Role.OPERATE)
            .payloads((place, text) -> text));
  }

  @AfterEach
  void close() throws Exception {
    if (browser != null) {
      browser.close();
    }
    if (console != null) {
      console.close();
      scene.close();
      database.close();
    }
  }

  private void go(String fragment) throws Exception {
    browser.open(console.address() + "#" + fragment);
  }

  @Test
  void anOperatorFindsWhatIsStuckAndRepairsItByKeyboard() throws Exception {
    scene.send("mail", 3);
    scene.waybill.outbox().pause("audit");
    scene.send("audit", 2);
    go("/");
    browser.sees("Needs attention");
    browser.sees("Paused by an operator; 2 messages wait");
    browser.sees("3 messages were given up");

    browser.key("g");
    browser.key("q");
    browser.until("the queues are listed", "document.querySelector('h1')?.innerText === 'Queues'");
    browser.key("j");
    browser.key("Enter");
    browser.sees("Resume all");
    browser.click("Resume all");
    browser.sees("Resumed audit.");
    browser.until(
        "nothing is paused any more",
        "!document.querySelector('main').innerText.includes('paused')");

    go("/dead-letters?queue=mail");
    browser.sees("3 shown");
    browser.click("Discard");
    browser.sees("Discard all that meet the filter?");
    browser.click("Discard");
    browser.sees("Discarded 3.");
    browser.sees("No dead letters here");
    assertThat(browser.complaints).isEmpty();
  }

  @Test
  void whatWasGivenUpIsTakenUpByHandAndGoneThroughOneByOne() throws Exception {
    scene.send("mail", 3);
    go("/dead-letters");
    browser.sees("3 shown");
    browser.click("Replay");
    browser.sees("Replay all pending?");
    browser.click("Replay");
    browser.sees("You have 3 of them now.");
    browser.sees("yours, in 14 min");
    browser.eval("document.querySelector('tbody input[type=checkbox]').click()");
    browser.sees("1 chosen");
    browser.click("Give back");
    browser.type("the mailbox is still full");
    browser.click("Give back");
    browser.sees("Gave back 1.");
    browser.sees("2 shown");
    browser.eval("document.querySelector('a.row').click()");
    browser.sees(", by you");
    browser.click("Resolve");
    browser.click("Resolve");
    browser.sees("resolved");
    go("/dead-letters");
    browser.sees("the mailbox is still full");
    browser.click("Requeue");
    browser.click("Requeue");
    browser.sees("Requeued 1.");
    assertThat(browser.complaints).isEmpty();
  }

  @Test
  void numbersAreTrueAndActionsActOnALiveEngine() throws Exception {
    scene.waybill.outbox().pause("audit");
    scene.send("audit", 12);
    scene.schedules();
    UUID dead = scene.enqueue("invoice");
    UUID running = scene.enqueue("import");
    go("/queues/audit");
    browser.sees("12 waiting");
    browser.eval("document.querySelector('a.row').click()");
    browser.sees("Messages that wait");
    long waiting = scene.waybill.outbox().status().get(0).partitions().get(0).lag();
    browser.until(
        "each message that waits is a row",
        "document.querySelectorAll('tbody tr').length === " + waiting);
    browser.eval("document.querySelector('summary').click()");
    browser.sees("<b>x</b>");

    go("/jobs/" + dead);
    browser.sees("No tax rate for this country");
    browser.click("Requeue");
    browser.type("rate added");
    browser.click("Requeue");
    browser.sees("Run 2 waits for a worker.");
    browser.sees("rate added");
    go("/jobs/" + running);
    browser.sees("140 of 400");
    browser.click("Cancel");
    browser.click("Cancel the job");
    browser.sees("canceled");
    go("/jobs?type=sync");
    browser.click("Pause type");
    browser.sees("Paused sync.");
    go("/schedules?name=sync-stock");
    browser.sees("Next times");
    browser.click("Resume");
    browser.sees("Resumed");
    UUID failing = scene.failingOrder();
    go("/workflows/" + failing);
    browser.sees("Shelf 14 is empty");
    browser.click("Retry");
    browser.click("Retry");
    browser.sees("It goes on.");
    UUID order = scene.order("7");
    go("/workflows");
    browser.sees("Gates that wait for somebody");
    go("/workflows/" + order);
    browser.click("Cancel run");
    browser.click("Cancel the run");
    browser.sees("Canceled.");
    Scene.until(
        "the run is canceled",
        () ->
            scene.waybill.workflows().find(Scene.ALL, order).orElseThrow().status()
                == WorkflowStatus.CANCELED);
    assertThat(scene.waybill.jobs().pausedTypes()).containsExactly("sync");
    assertThat(browser.complaints).isEmpty();
  }

  @Test
  void aConsoleOfItsOwnTellsHowLongDeliveriesTake() throws Exception {
    console.close();
    try (Waybill looks =
        Waybill.builder(database.pool(4)).outbox(OutboxBuilder::withoutWorkers).start()) {
      console = Console.start(looks, ConsoleOptions.defaults().port(0));
      go("/");
      browser.sees("Nothing needs attention");
      scene.send("orders", 40);
      browser.until(
          "the chart has percentiles",
          "/p50\\s+[0-9.]+ m?s\\s+p95\\s+[0-9.]+ m?s\\s+p99\\s+[0-9.]+ m?s/.test("
              + "document.querySelector('[data-key=\"Delivery time\"]').innerText)");
      go("/queues/orders");
      browser.sees("Delivered lately: half within ");
      assertThat(browser.complaints).isEmpty();
      console.close();
    }
  }

  @Test
  void aListThatIsPickedFromThousandsSaysThatThereMayBeMore() throws Exception {
    UUID old = scene.enqueue("report");
    List<JobRequest> many =
        Collections.nCopies(2_500, JobRequest.of("sync").delay(Duration.ofDays(1)).build());
    scene
        .waybill
        .outbox()
        .inTransaction(connection -> scene.waybill.jobs().enqueueAll(connection, many));
    go("/jobs?type=report");
    browser.sees("None found so far");
    browser.sees("None of the 2,000 jobs looked at meets the filter.");
    browser.click("Look further");
    browser.sees("1 shown of 501 looked at; there are no more");

    scene.enqueue("report");
    go("/jobs?type=report&limit=50");
    browser.sees("1 shown of 2,000 looked at; there may be more");
    browser.click("Look further");
    browser.sees("there are no more");
    assertThat(browser.eval("document.querySelector('a.row').getAttribute('href')"))
        .isEqualTo("#/jobs/" + old);
    go("/jobs?type=report&status=DEAD_LETTERED");
    browser.sees("Nothing else meets the filter.");
    assertThat(browser.complaints).isEmpty();
  }

  @Test
  void anAnswerThatComesLateIsNotDrawnOverAnotherPage() throws Exception {
    scene.schedules();
    go("/jobs");
    browser.sees("Jobs");
    browser.eval(
        "(() => { const real = window.fetch; const held = []; window.asked = 0;"
            + " window.fetch = (address, ...more) => {"
            + " if (!String(address).includes('schedules')) return real(address, ...more);"
            + " window.asked++;"
            + " return new Promise((answer) => held.push(() => real(address, ...more).then((given) =>"
            + " { answer(given); setTimeout(() => { window.drawn = true; }, 100); }))); };"
            + " window.release = () => held.forEach((each) => each()); })()");
    browser.eval("location.hash = '/schedules'");
    browser.until("the schedules are asked for", "window.asked > 0");
    browser.eval("location.hash = '/queues'");
    browser.until("the queues are shown", "document.querySelector('h1')?.innerText === 'Queues'");
    browser.eval("window.release()");
    browser.until("the answer has come", "window.drawn === true");
    assertThat(browser.eval("document.querySelector('h1').innerText")).isEqualTo("Queues");
  }

  @Test
  void aWorkflowIsDrawnLiveAndItsGateApproved() throws Exception {
    UUID run = scene.order("4711");
    go("/workflows/" + run);
    browser.until(
        "the gate waits", "document.querySelector('.node.waiting')?.dataset.key === 'approve'");
    assertThat(browser.eval("document.querySelectorAll('.node').length")).isEqualTo(7L);
    browser.click("Approve");
    browser.sees("What waits for this gate goes on at once.");
    browser.type("{\"by\":\"olga\"}");
    browser.click("Approve");
    browser.sees("The gate is completed.");
    browser.until(
        "the picture follows by itself",
        "document.querySelector('[data-key=ship]').classList.contains('succeeded')");
    assertThat(browser.complaints).isEmpty();
  }

  @Test
  void aConsoleWithATokenIsClosedUntilSomebodySignsIn() throws Exception {
    console.close();
    console =
        Console.start(
            scene.waybill,
            ConsoleOptions.defaults()
                .port(0)
                .token("sesame-open-yourself", new Principal("ali", Role.VIEW)));
    go("/queues");
    browser.sees("This console is closed.");
    browser.eval("document.querySelector('input').focus()");
    browser.type("sesame-close-yourself");
    browser.key("Enter");
    browser.sees("That is not a token of this console.");
    browser.eval("document.querySelector('input').value = ''");
    browser.eval("document.querySelector('input').focus()");
    browser.type("sesame-open-yourself");
    browser.key("Enter");
    browser.sees("ali (may look)");
    browser.sees("payments");
    browser.click("Sign out");
    browser.sees("This console is closed.");
    browser.open("about:blank");
    browser.open(console.address() + "#token=sesame-open-yourself");
    browser.sees("Nothing needs attention");
    assertThat(String.valueOf(browser.eval("location.href"))).doesNotContain("sesame");
    browser.eval("location.hash = '/queues/payments'");
    browser.sees("Partitions");
    assertThat(browser.text()).doesNotContain("Pause");
  }

  @Test
  void hostileTextStaysTextAndNothingIsAskedOfOthers() throws Exception {
    console.close();
    scene.close();
    scene = new Scene(database, database.pool(12), Scene.HOSTILE);
    console = start();
    scene.send("mail", 1);
    UUID job = scene.enqueue("report");
    go("/dead-letters");
    browser.sees(Scene.HOSTILE);
    browser.eval("document.querySelector('a.row').click()");
    browser.sees("<b>x</b>");
    scene.sendOddities();
    for (String shown :
        List.of("3 bytes that are not text", "xxxxxxxxxxxxxxxxxxxx", Scene.RIGHT_TO_LEFT)) {
      go("/dead-letters");
      browser.sees("4 shown");
      String row = ROWS.get(shown);
      browser.eval(
          "[...document.querySelectorAll('tbody tr')].find(row => row.innerText.includes('"
              + row
              + "')).querySelector('a').click()");
      browser.sees(shown);
    }
    go("/jobs/" + job);
    browser.sees("Region north has no sales" + Scene.HOSTILE);
    assertThat(browser.eval("document.querySelectorAll('main img, main script, main b b').length"))
        .isEqualTo(0L);
    assertThat(browser.eval("document.title")).isNotEqualTo("pwned");
    assertThat(browser.complaints).isEmpty();
    assertThat(browser.requests)
        .isNotEmpty()
        .allMatch(url -> url.startsWith("data:") || url.startsWith(console.address().toString()));
  }

  @Test
  void everyPageLooksRightInLightAndDarkAndOnAPhone() throws Exception {
    scene.schedules();
    scene.waybill.outbox().pause("audit");
    scene.send("orders", 400);
    scene.send("payments", 9);
    scene.send("mail", 4);
    scene.send("audit", 12);
    UUID report = scene.enqueue("report");
    scene.enqueue("invoice");
    UUID running = scene.enqueue("import");
    scene.enqueue("sync");
    UUID run = scene.order("4711");
    scene.order("0815");
    UUID failing = scene.failingOrder();
    Scene.until(
        "the failing run has failed",
        () ->
            scene.waybill.workflows().find(Scene.ALL, failing).orElseThrow().status()
                == WorkflowStatus.FAILED);
    go("/");
    browser.sees("Jobs invoice");
    browser.until("some seconds are charted", "document.querySelectorAll('canvas').length === 7");
    for (boolean dark : PICTURES.isEmpty() ? List.of(false) : List.of(false, true)) {
      browser.size(1280, 900, dark);
      sendForAWhile(PICTURES.isEmpty() ? 1 : dark ? 8 : 22);
      shoot("overview", "/", "Needs attention", dark);
      shoot("queues", "/queues", "payments", dark);
      shoot("queue", "/queues/payments", "gateway times out", dark);
      shoot("messages", "/queues/audit/0", "Messages that wait", dark);
      shoot("dead-letters", "/dead-letters", "no such mailbox", dark);
      shoot("jobs", "/jobs", " shown", dark);
      shoot("job", "/jobs/" + running, "customers.csv", dark);
      shoot("schedules", "/schedules?name=nightly-report", "Next times", dark);
      shoot("workflows", "/workflows", "fulfilment", dark);
      shoot("workflow", "/workflows/" + run, "Approve", dark);
      shoot("system", "/system", "All workers get on", dark);
    }
    browser.size(390, 844, false);
    sendForAWhile(PICTURES.isEmpty() ? 1 : 5);
    shoot("phone-overview", "/", "Needs attention", false);
    shoot("phone-workflow", "/workflows/" + run, "Approve", false);
    assertThat(
            browser.eval(
                "document.querySelector('.side [aria-current]').getBoundingClientRect().right <="
                    + " window.innerWidth"))
        .as("where one is can be seen")
        .isEqualTo(true);
    shoot("phone-job", "/jobs/" + report, "Region north", false);
    assertThat(browser.complaints).isEmpty();
  }

  /** So that the charts have something to show. */
  private void sendForAWhile(int seconds) throws Exception {
    for (int round = 0; round < seconds; round++) {
      scene.send("orders", 40 + 25 * (round % 4));
      String at = String.valueOf(browser.eval("performance.now()"));
      browser.until("a second passes", "performance.now() > " + at + " + 1000");
    }
  }

  private void shoot(String name, String fragment, String text, boolean dark) throws Exception {
    browser.open("about:blank");
    go(fragment);
    browser.sees(text);
    browser.sees("live");
    assertThat(browser.eval("document.documentElement.scrollWidth <= window.innerWidth"))
        .as("%s does not scroll sideways", name)
        .isEqualTo(true);
    if (!PICTURES.isEmpty()) {
      Path file = Path.of(PICTURES, name + (dark ? "-dark" : "") + ".png");
      Files.createDirectories(file.getParent());
      Picture.write(browser.screenshot(), file);
    }
  }
}

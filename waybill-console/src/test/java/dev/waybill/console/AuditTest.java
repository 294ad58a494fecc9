package dev.waybill.console;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.waybill.job.JobRequest;
import dev.waybill.testkit.TestDatabase;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Every change says who, what and how many. On SQLite alone: no database has a say in this. */
@Timeout(120)
class AuditTest {
  private static final String SECRET = "correct-horse-battery";
  private static final String LOOKING = "looking-is-allowed-here";

  private final TestDatabase database = TestDatabase.inFile();
  private final Scene scene = new Scene(database);
  private final Console console =
      Console.start(
          scene.waybill,
          ConsoleOptions.defaults()
              .port(0)
              .token(SECRET, new Principal("olga", Role.OPERATE))
              .token(LOOKING, new Principal("victor\n", Role.VIEW)));
  private final Client client = new Client(console).bearer(SECRET);
  private final Logger log = (Logger) LoggerFactory.getLogger("dev.waybill.console.audit");
  private final ListAppender<ILoggingEvent> heard = new ListAppender<>();

  @BeforeEach
  void listen() {
    heard.start();
    log.addAppender(heard);
    log.setLevel(Level.INFO);
  }

  @AfterEach
  void close() {
    log.detachAppender(heard);
    log.setLevel(null);
    console.close();
    scene.close();
    database.close();
  }

  private List<String> lines() {
    return heard.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void whoDidWhatToHowManyIsWrittenDown() throws Exception {
    UUID job = scene.waybill.jobs().enqueue(JobRequest.of("sync").build()).id();
    UUID run = scene.order("4711");
    scene.schedules();
    scene.send("mail", 3);
    Scene.until(
        "all are rejected", () -> client.get("dead-letters").list("deadLetters").size() == 3);
    client.post("queues/audit/pause", "{}");
    client.post("jobs/" + job + "/cancel", "{\"reason\":\"secret reason\"}");
    client.post("job-types/sync/pause", "{}");
    client.post("schedules/sync-stock/resume", "{}");
    client.post("dead-letters/discard", "{\"queue\":\"mail\"}");
    client.post("workflows/" + run + "/cancel", "{}");
    assertThat(lines())
        .containsExactly(
            "olga pause queue audit: 1",
            "olga cancel job " + job + ": 1",
            "olga pause job type sync: 1",
            "olga resume schedule sync-stock: 1",
            lines().get(4),
            "olga cancel run " + run + ": 1");
    assertThat(lines().get(4)).startsWith("olga discard").contains("mail").endsWith(": 3");
  }

  @Test
  void whatWasRefusedIsWrittenDownOnOneLineEach() throws Exception {
    Client looking = new Client(console).bearer(LOOKING);
    assertThat(looking.post("queues/audit/pause", "{}").status()).isEqualTo(403);
    client.post("queues/a%0Ab%C2%85c%E2%80%AEd/pause", "{}");
    assertThat(lines()).hasSize(2).noneMatch(line -> line.matches("(?s).*[\\p{Cc}\\p{Cf}].*"));
    assertThat(lines().get(0)).startsWith("victor? POST").contains("refused (403)");
    assertThat(lines().get(1)).startsWith("olga POST").contains("refused (404)");
  }
}

package dev.waybill.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Waybill;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A service with neither jobs nor workflows nor queues. */
@Timeout(60)
class OutboxOnlyTest {
  @Test
  void whatWasNotSetUpIsSaidAndTheRestWorks() throws Exception {
    try (TestDatabase database = TestDatabase.inFile()) {
      Schema.migrate(database.dataSource());
      try (Waybill waybill = Waybill.builder(database.pool(4)).start();
          Console console = Console.start(waybill, ConsoleOptions.defaults().port(0))) {
        Client client = new Client(console);
        assertThat(client.get("session").at("features").toString())
            .contains("jobs=false", "workflows=false", "payloads=false");
        assertThat(client.get("overview").list("attention")).isEmpty();
        assertThat(client.get("queues").list("queues")).isEmpty();
        assertThat(client.get("dead-letters").list("deadLetters")).isEmpty();
        assertThat(client.get("jobs").at("error")).isEqualTo("jobs.not_set_up");
        assertThat(client.get("schedules").at("error")).isEqualTo("jobs.not_set_up");
        assertThat(client.get("workflows").at("error")).isEqualTo("workflows.not_set_up");
      }
    }
  }
}

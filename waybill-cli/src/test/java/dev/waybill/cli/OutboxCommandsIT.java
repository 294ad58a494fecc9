package dev.waybill.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.Waybill;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.Partitions;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code waybill status} and {@code waybill queues} as an operator calls them. */
@EveryDatabase
class OutboxCommandsIT {
  private final TestDatabase database;

  OutboxCommandsIT(TestDatabase database) {
    this.database = database.fresh();
  }

  private Cli run(String... command) {
    List<String> args = new ArrayList<>(List.of(command));
    args.addAll(List.of("--url", database.url()));
    if (database.product() != DatabaseProduct.SQLITE) {
      args.addAll(List.of("--user", database.user(), "--password-env", "DB_PASSWORD"));
    }
    return Cli.jar(Map.of("DB_PASSWORD", database.password()), args.toArray(String[]::new));
  }

  @Test
  void theStatusShowsWhatWaitsAndQueuesArePausedAndResumed() throws Exception {
    Schema.migrate(database.dataSource());
    assertThat(run("status").out()).contains("No queue");
    try (Waybill waybill =
        Waybill.builder(database.dataSource())
            .outbox(o -> o.queue("orders", Partitions.of(2)).produceOnly())
            .start()) {
      Outbox outbox = waybill.outbox();
      outbox.inTransaction(
          connection ->
              outbox.enqueue(connection, "orders", EnqueueMessage.of("a", "b").partition(1)));
      Until.holds(() -> outbox.status().get(0).lag() > 0);
    }
    Cli status = run("status");
    assertThat(status.exit()).as(status.err()).isZero();
    assertThat(status.out())
        .contains("orders")
        .contains("partition 1")
        .contains("waiting for a process that serves this queue")
        .doesNotContain("partition 0");

    assertThat(run("queues", "list").out()).contains("orders").contains("partitions");
    assertThat(run("messages", "peek", "orders").out())
        .contains("orders/1/1")
        .doesNotContain("payload");
    assertThat(run("messages", "peek", "orders", "--partition", "1", "--payload", "--json").out())
        .contains("\"seq\" : 1")
        .contains("\"payload_base64\" : \"Yg==\"");
    assertThat(run("messages", "peek", "orders", "--after", "1").out())
        .startsWith("There are none.");
    assertThat(run("messages", "peek", "orders", "--limit", "0").exit()).isEqualTo(2);
    assertThat(run("messages", "peek", "nothing").err()).contains("'nothing' is not registered");

    assertThat(run("dead-letters", "list").out()).startsWith("There are none.");
    assertThat(run("dead-letters", "show", "4711").exit()).isEqualTo(1);
    assertThat(run("dead-letters", "discard", "--dry-run").out())
        .startsWith("Would discard 0 dead letters.");
    assertThat(run("dead-letters", "requeue", "--yes").out()).startsWith("Requeued 0.");
    assertThat(run("dead-letters", "cleanup", "--older-than", "0", "--yes").out())
        .startsWith("Removed 0.");
    assertThat(run("dead-letters", "replay").out()).startsWith("There are none.");

    assertThat(run("queues", "pause", "orders", "--partition", "1").out())
        .startsWith("Paused partition 1 of orders.");
    assertThat(run("status", "--json").out()).contains("\"paused\" : true").contains("\"lag\" : 1");
    assertThat(run("queues", "resume", "orders").exit()).isZero();
    assertThat(run("status", "--json").out()).doesNotContain("\"paused\" : true");
    Cli unknown = run("queues", "pause", "nothing");
    assertThat(unknown.exit()).isEqualTo(1);
    assertThat(unknown.err()).contains("'nothing' is not registered");
  }

  @Test
  void theStatusTellsHowLongDeliveriesTookInOtherProcesses() throws Exception {
    Schema.migrate(database.dataSource());
    try (HikariDataSource pool = database.pool(4);
        Waybill waybill =
            Waybill.builder(pool)
                .outbox(
                    o ->
                        o.queue("orders", Partitions.of(1))
                            .leased(message -> MessageResult.ok())
                            .queue("quiet", Partitions.of(1))
                            .produceOnly())
                .start()) {
      Outbox outbox = waybill.outbox();
      outbox.inTransaction(
          connection -> {
            for (int i = 0; i < 5; i++) {
              outbox.enqueue(connection, "orders", EnqueueMessage.of("a", "b"));
            }
          });
      Until.holds(
          () -> outbox.recentDeliveries().stream().anyMatch(each -> each.times().total() == 5));
    }
    String time = "[0-9.]+ m?s";
    assertThat(run("status").out())
        .containsPattern(
            "orders .* 1 partition, p50 " + time + ", p95 " + time + ", p99 " + time + "\\R")
        .containsPattern("quiet .* 1 partition\\R");
    assertThat(run("status", "--json").out())
        .containsPattern(
            "\"delivery\" : \\{\\s*\"messages\" : 5,\\s*\"retried\" : 0,\\s*\"rejected\" : 0,"
                + "\\s*\"p50_millis\" : [0-9.]+,\\s*\"p95_millis\" : [0-9.]+,"
                + "\\s*\"p99_millis\" : [0-9.]+\\s*}")
        .containsOnlyOnce("\"delivery\"");
  }
}

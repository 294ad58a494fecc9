package dev.waybill.internal.store;

import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Naming;
import dev.waybill.internal.sql.Retry;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A migrated database with one queue, and short ways to do what tests do all the time. */
public final class Stores {
  static final Duration MINUTE = Duration.ofMinutes(1);

  final Database database;
  final MessageStore messages;
  final QueueStore queues;

  Stores(TestDatabase database) {
    this(migrated(database));
  }

  Stores(DataSource dataSource) {
    this.database = open(dataSource);
    this.messages = MessageStore.of(database);
    this.queues = new QueueStore(database);
  }

  private static DataSource migrated(TestDatabase database) {
    Schema.migrate(database.dataSource());
    return database.dataSource();
  }

  /** Opens a database that is migrated. */
  public static Database open(DataSource dataSource) {
    return Database.open(
        dataSource,
        Naming.standard(),
        List.of("outbox", "parked", "dead_letters"),
        Retry.standard(Time.system()::sleep));
  }

  /** Registers a queue and gives the rows of its partitions. */
  List<Long> queue(String name, int partitions) {
    return queues
        .register(List.of(new QueueStore.Wanted(name, partitions, null)))
        .get(0)
        .partitionIds();
  }

  static NewMessage message(long partitionId, String payload) {
    return new NewMessage(
        partitionId, "test", null, Map.of(), payload.getBytes(StandardCharsets.UTF_8), null, null);
  }

  /** Commits messages with these payloads to a partition. */
  long[] enqueue(long partitionId, String... payloads) {
    List<NewMessage> all = new ArrayList<>();
    for (String payload : payloads) {
      all.add(message(partitionId, payload));
    }
    return database.transact(tx -> messages.enqueue(tx, all));
  }

  static @Nullable String text(StoredMessage message) {
    MessageBody body = message.body();
    return body == null ? null : body.text();
  }
}

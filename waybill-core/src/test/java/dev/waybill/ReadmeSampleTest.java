package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.Partitions;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The README's first sample, word for word: it compiles and does what it says. */
@EveryDatabase
class ReadmeSampleTest {
  private final TestDatabase database;

  ReadmeSampleTest(TestDatabase database) throws SQLException {
    this.database = database.fresh();
    this.database.execute("create table orders (id varchar(10) primary key)");
  }

  private static final class Warehouse {
    private final CountDownLatch shipped = new CountDownLatch(1);

    boolean ship(String order) {
      assertThat(order).isEqualTo("4711");
      shipped.countDown();
      return true;
    }

    void awaitShipment() throws InterruptedException {
      assertThat(shipped.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static final class Orders {
    void insert(Connection connection, String id) throws SQLException {
      try (var insert = connection.prepareStatement("insert into orders (id) values (?)")) {
        insert.setString(1, id);
        insert.executeUpdate();
      }
    }
  }

  @Test
  void theSampleRuns() throws Exception {
    DataSource dataSource = database.pool(5);
    var warehouse = new Warehouse();
    var orders = new Orders();
    // sample begins
    Schema.migrate(dataSource);
    try (Waybill waybill =
        Waybill.builder(dataSource)
            .outbox(
                outbox ->
                    outbox
                        .queue("orders", Partitions.of(4))
                        .leased(
                            message ->
                                warehouse.ship(message.text())
                                    ? MessageResult.ok()
                                    : MessageResult.retry("warehouse busy")))
            .start()) {
      Outbox outbox = waybill.outbox();
      outbox.inTransaction(
          connection -> {
            orders.insert(connection, "4711");
            outbox.enqueue(
                connection, "orders", EnqueueMessage.of("order.placed", "4711").key("customer-7"));
          });
      warehouse.awaitShipment();
    }
    // sample ends
  }

  @Test
  void theReadmeShowsThisSample() throws IOException {
    Path root = Path.of(System.getProperty("waybill.root", ".."));
    String readme = Files.readString(root.resolve("README.md"));
    String source =
        Files.readString(
            root.resolve("waybill-core/src/test/java/dev/waybill/ReadmeSampleTest.java"));
    String sample =
        between(source, "// sample begins\n", "    // sample ends").stripTrailing().stripIndent();
    assertThat(between(readme, "```java\n", "```").stripTrailing()).isEqualTo(sample);
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin) + begin.length();
    return text.substring(from, text.indexOf(end, from));
  }
}

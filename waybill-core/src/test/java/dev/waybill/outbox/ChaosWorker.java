package dev.waybill.outbox;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.Waybill;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.ChildJvmBuilder;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.LoggerFactory;

/**
 * A process that delivers, and produces if it is given a name for that. It says what it is given
 * before it answers for it. Told {@code hold}, it stops in its next handler for good; told {@code
 * enough}, it produces no more.
 */
final class ChaosWorker {
  static final int PARTITIONS = 4;

  private static final AtomicBoolean hold = new AtomicBoolean();
  private static final AtomicBoolean enough = new AtomicBoolean();

  private ChaosWorker() {}

  static ChildJvmBuilder child(String url, String user, String password, String producer) {
    return ChildJvm.of(ChaosWorker.class)
        .shortLived()
        .jvmArgs("-XX:TieredStopAtLevel=1", "-Xshare:auto")
        .args(url, user, password, producer);
  }

  /** The entry. */
  public static void main(String[] args) throws Exception {
    ChildJvm.exitWithParent(
        line -> {
          hold.set(hold.get() || line.equals("hold"));
          enough.set(enough.get() || line.equals("enough"));
        });
    // What goes wrong here is meant to.
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
    Waybill waybill =
        Waybill.builder(pool(args[0], args[1], args[2], 10)).outbox(ChaosWorker::setUp).start();
    System.out.println("ready");
    if (!args[3].isEmpty()) {
      produce(waybill.outbox(), args[3], enough);
    }
    new CountDownLatch(1).await();
  }

  static HikariDataSource pool(String url, String user, String password, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(user);
    config.setPassword(password);
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(2_000);
    // The server may be down when the process starts.
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  private static void setUp(OutboxBuilder outbox) {
    outbox
        .profile(OutboxProfile.lowLatency().withReconcileInterval(Duration.ofSeconds(2)))
        .queue("parcels", Partitions.of(PARTITIONS))
        .lease(new LeaseConfig(Duration.ofSeconds(1), Duration.ofMillis(200)))
        .batchLeased(ChaosWorker::handle)
        .queue("ledger", Partitions.of(2))
        .onFailure(HeadFailure.parkKey().withLimit(50))
        .transactional(ChaosWorker::book);
  }

  private static HandlerResult handle(Batch batch) throws InterruptedException {
    for (OutboxMessage each = batch.next(); each != null; each = batch.next()) {
      String place = each.partition() + " " + each.seq() + " " + batch.epoch();
      System.out.println("leased " + place + " " + each.text());
      if (hold.get()) {
        System.out.println("holding");
        new CountDownLatch(1).await();
      }
      batch.ack();
      if (batch.remaining().isZero()) {
        break;
      }
    }
    return HandlerResult.success();
  }

  /** Some fail at first and are parked. Those of a key must come in order all the same. */
  private static HandlerResult book(HandlerTransaction tx, OutboxMessage message)
      throws SQLException {
    try (var insert =
        tx.connection()
            .prepareStatement(
                "insert into effects (part, seq, note, message_key) values (?, ?, ?, ?)")) {
      insert.setInt(1, message.partition());
      insert.setLong(2, message.seq());
      insert.setString(3, message.text());
      insert.setString(4, message.key());
      insert.executeUpdate();
    }
    try (var later =
        tx.connection()
            .prepareStatement(
                "select count(*) from effects where part = ? and message_key = ? and seq > ?")) {
      later.setInt(1, message.partition());
      later.setString(2, message.key());
      later.setLong(3, message.seq());
      try (var count = later.executeQuery()) {
        if (count.next() && count.getLong(1) > 0) {
          System.out.println("disorder " + message);
        }
      }
    }
    return message.seq() % 7 == 0 && message.attempts() == 0
        ? HandlerResult.retry("not at first")
        : HandlerResult.success();
  }

  /** One transaction after the other, each with its row of business; every fifth is rolled back. */
  static void produce(Outbox outbox, String producer, AtomicBoolean enough) {
    for (int n = 1; !enough.get(); n++) {
      String note = producer + ":" + n;
      int number = n;
      try {
        outbox.inTransaction(
            connection -> {
              String queue = number % 2 == 0 ? "parcels" : "ledger";
              business(connection, queue, note);
              EnqueueMessage message = EnqueueMessage.of("test", note);
              outbox.enqueue(
                  connection,
                  queue,
                  number % 2 == 0
                      ? message.partition(number / 2 % PARTITIONS)
                      : message.key(producer + number / 2 % 3));
              if (number % 5 == 0) {
                throw new IllegalStateException("rolled back");
              }
            });
      } catch (Exception expected) {
        // Rolled back, or nobody knows: the table does.
      }
    }
  }

  private static void business(Connection connection, String queue, String note)
      throws SQLException {
    try (var insert =
        connection.prepareStatement("insert into business (queue, note) values (?, ?)")) {
      insert.setString(1, queue);
      insert.setString(2, note);
      insert.executeUpdate();
    }
  }
}

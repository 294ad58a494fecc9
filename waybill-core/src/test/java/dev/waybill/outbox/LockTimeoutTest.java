package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.DatabaseException;
import dev.waybill.Waybill;
import dev.waybill.internal.store.StoredRows;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Sessions that do not wait long for a lock, and somebody who has it: producers are told what was
 * in the way and nothing of their call stays, workers go on when it is free, and the log has one
 * line.
 */
@EveryDatabase
class LockTimeoutTest {
  private static final String QUEUE = "orders";

  private final TestDatabase database;
  private final FaultyDataSource faulty;
  private final HikariDataSource pool;
  private final Waybill waybill;
  private final Outbox outbox;
  private final Received received = new Received();
  private final Logged log = new Logged("dev.waybill");

  LockTimeoutTest(TestDatabase database) {
    this.database = database.fresh();
    Schema.migrate(this.database.dataSource());
    this.faulty = new FaultyDataSource(this.database.dataSource());
    HikariConfig config = new HikariConfig();
    config.setDataSource(faulty);
    config.setMaximumPoolSize(10);
    config.setConnectionInitSql(impatient());
    this.pool = new HikariDataSource(config);
    this.waybill =
        Waybill.builder(pool)
            .stopGrace(Duration.ofSeconds(1))
            .outbox(
                o ->
                    o.profile(OutboxProfile.lowLatency())
                        .queue(QUEUE, Partitions.of(1))
                        .leased(
                            message -> {
                              received.add(message);
                              return MessageResult.ok();
                            }))
            .start();
    this.outbox = waybill.outbox();
  }

  @AfterEach
  void stop() {
    faulty.reset();
    waybill.close();
    pool.close();
    log.close();
  }

  private String impatient() {
    return switch (database.product()) {
      case POSTGRESQL -> "set lock_timeout = '100ms'";
      case MYSQL, MARIADB -> "set session lock_wait_timeout = 1, innodb_lock_wait_timeout = 1";
      case SQLITE -> "pragma busy_timeout = 100";
    };
  }

  private Connection producer() throws SQLException {
    // On SQLite one that asks for the writer's place when it first writes.
    String url = database.url().replace("transaction_mode=IMMEDIATE", "transaction_mode=DEFERRED");
    Connection connection = DriverManager.getConnection(url, database.user(), database.password());
    try (Statement statement = connection.createStatement()) {
      statement.execute(impatient());
    }
    connection.setAutoCommit(false);
    return connection;
  }

  private static EnqueueMessage message(String text) {
    return EnqueueMessage.of("test", text);
  }

  @Test
  void aProducerThatWaitsTooLongIsToldAndNothingOfItsCallStays() throws Exception {
    List<EnqueueMessage> call = List.of(message("b"), message("c").dedupKey("taken"));
    try (Connection first = producer();
        Connection second = producer()) {
      outbox.enqueue(first, QUEUE, message("a").dedupKey("taken"));
      assertThatThrownBy(() -> outbox.enqueueBatch(second, QUEUE, call))
          .isInstanceOfSatisfying(
              DatabaseException.class,
              e -> assertThat(e.kind()).isEqualTo(DatabaseException.Kind.CONTENTION))
          .hasMessageContaining("other transactions were in the way");
      second.commit();
      first.commit();
      assertThat(outbox.enqueueBatch(second, QUEUE, call).duplicates()).containsExactly(1);
      second.commit();
    }
    outbox.flush();
    assertThat(received.await(2)).containsExactly("a", "b");
    try (Connection look = database.connect();
        Statement statement = look.createStatement();
        var rows = statement.executeQuery(StoredRows.count(database.product()))) {
      rows.next();
      assertThat(rows.getLong(1)).isLessThanOrEqualTo(2);
    }
  }

  @Test
  void workersThatWaitTooLongGoOnByThemselvesAndSayItOnce() throws Exception {
    Service.send(outbox, QUEUE, "a");
    received.await(1);
    try (Connection somebody = database.connect();
        Statement statement = somebody.createStatement()) {
      keepWorkersOut(statement);
      if (database.product() != DatabaseProduct.SQLITE) {
        try (Connection producer = producer()) {
          outbox.enqueue(producer, QUEUE, message("b")).flush();
          producer.commit();
        }
      }
      outbox.flush();
      Service.await(() -> log.count("failed (") >= 2);
      letThemIn(statement);
    }
    if (database.product() == DatabaseProduct.SQLITE) {
      Service.send(outbox, QUEUE, "b");
    }
    received.await(all -> all.stream().anyMatch(each -> each.text().equals("b")));
    Service.send(outbox, QUEUE, "c");
    received.await(all -> all.stream().anyMatch(each -> each.text().equals("c")));
    assertThat(received.soFar().stream().map(OutboxMessage::seq).distinct()).isSorted().hasSize(3);
    Map<String, Long> lines =
        log.warnings().stream()
            .map(line -> line.replaceFirst(" failed.*", ""))
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    assertThat(lines)
        .as("%s", log.warnings())
        .isNotEmpty()
        .allSatisfy((who, n) -> assertThat(n).isOne());
  }

  /** For longer than they wait. */
  private void keepWorkersOut(Statement statement) throws SQLException {
    switch (database.product()) {
      case POSTGRESQL -> {
        statement.getConnection().setAutoCommit(false);
        statement.execute(
            "lock table waybill_outbox_partitions, waybill_outbox_processor in access exclusive"
                + " mode");
      }
      case MYSQL, MARIADB ->
          statement.execute(
              "lock tables waybill_outbox_partitions write, waybill_outbox_processor write");
      case SQLITE ->
          // Our sessions wait for five seconds, which LockedFileTest does; this is how it ends.
          faulty
              .on(Fault.sql(sql -> sql.equals("begin immediate")))
              .always()
              .fail(Moment.BEFORE, () -> new SQLException("[SQLITE_BUSY]", null, 5));
    }
  }

  private void letThemIn(Statement statement) throws SQLException {
    switch (database.product()) {
      case POSTGRESQL -> statement.getConnection().commit();
      case MYSQL, MARIADB -> statement.execute("unlock tables");
      case SQLITE -> faulty.reset();
    }
  }
}

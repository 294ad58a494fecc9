package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.DatabaseException;
import dev.waybill.Waybill;
import dev.waybill.schema.Schema;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultProxy;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * The database cannot be reached, has no connection left, hangs, or keeps a row locked: nothing is
 * lost, the processes recover by themselves, and the log has a line per streak, not per try.
 */
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "a file is always there")
class OutageTest {
  private final TestDatabase database;
  private final String queue;
  private final Received received = new Received();
  private final Logged log = new Logged("dev.waybill");
  private final Logged pools = new Logged("com.zaxxer.hikari");
  private final FaultProxy proxy;
  private final HikariDataSource pool;
  private final List<Waybill> running = new ArrayList<>();

  OutageTest(TestDatabase database, TestInfo test) throws IOException {
    this.database = database;
    this.queue = test.getTestMethod().orElseThrow().getName();
    Schema.migrate(database.dataSource());
    URI address = URI.create(database.url().substring("jdbc:".length()));
    this.proxy = new FaultProxy(address.getHost(), address.getPort());
    String url = database.url().replace(":" + address.getPort(), ":" + proxy.port());
    this.pool = pool(url);
  }

  private HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(database.user());
    config.setPassword(database.password());
    config.setMaximumPoolSize(10);
    config.setConnectionTimeout(2_000);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  @AfterEach
  void stop() {
    running.forEach(Waybill::close);
    pool.close();
    proxy.close();
    pools.close();
    log.close();
  }

  private Waybill start(DataSource source, LeasedHandler handler) {
    Waybill waybill =
        Waybill.builder(source)
            .stopGrace(Duration.ofMillis(200))
            .outbox(
                o ->
                    o.profile(OutboxProfile.lowLatency())
                        .queue(queue, Partitions.of(2))
                        .leased(handler))
            .start();
    running.add(waybill);
    return waybill;
  }

  private long processed(Outbox outbox) {
    return outbox.status().stream()
        .filter(each -> each.name().equals(queue))
        .flatMap(each -> each.partitions().stream())
        .mapToLong(PartitionStatus::processed)
        .sum();
  }

  private MessageResult ok(OutboxMessage message) {
    received.add(message);
    return MessageResult.ok();
  }

  @Test
  void downAtTheStartIsATypedErrorAndTheNextStartWorks() throws Exception {
    proxy.refuse();
    assertThatThrownBy(() -> start(pool, this::ok))
        .isInstanceOfAny(DatabaseException.class, SchemaIncompatibleException.class);
    proxy.accept();
    Service.send(start(pool, this::ok).outbox(), queue, "a");
    assertThat(received.await(1)).containsExactly("a");
  }

  @Test
  void downDuringWorkIsOneLinePerWorkerAndNothingIsLost() throws Exception {
    CountDownLatch handling = new CountDownLatch(1);
    CountDownLatch down = new CountDownLatch(1);
    Outbox outbox =
        start(
                pool,
                message -> {
                  handling.countDown();
                  down.await();
                  return ok(message);
                })
            .outbox();
    Service.send(outbox, queue, "a", "b");
    handling.await();
    proxy.refuse();
    proxy.cutAll();
    down.countDown();
    received.await(2);
    // Long enough for several tries of everybody.
    Service.await(() -> log.count("deliver") >= 3);
    proxy.accept();
    received.await(4);
    Service.await(() -> undelivered() == 0);
    Service.send(outbox, queue, "c");
    received.await(all -> all.stream().anyMatch(each -> each.text().equals("c")));

    Map<String, Long> lines =
        log.warnings().stream()
            .map(line -> line.replaceFirst(" failed.*", ""))
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    assertThat(lines).as("%s", log.warnings()).allSatisfy((who, n) -> assertThat(n).isOne());
  }

  private long undelivered() throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        var rows =
            statement.executeQuery(
                "select count(*) from waybill_outbox_processor c"
                    + Service.of(queue, "c")
                    + " and p.sequence > c.processed_seq")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @Test
  void aStopIsBoundedThoughTheDatabaseHangs() throws Exception {
    Waybill waybill = start(pool, this::ok);
    Service.send(waybill.outbox(), queue, "a");
    received.await(1);
    proxy.pause();
    long began = System.nanoTime();
    waybill.close();
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
    proxy.resume();
  }

  @Test
  void aStopIsBoundedThoughTheDatabaseIsGoneAndTheNextStartGoesOn() throws Exception {
    CountDownLatch handling = new CountDownLatch(1);
    CountDownLatch down = new CountDownLatch(1);
    Waybill waybill =
        start(
            pool,
            message -> {
              handling.countDown();
              down.await();
              return MessageResult.ok();
            });
    Service.send(waybill.outbox(), queue, "a", "b");
    handling.await();
    proxy.refuse();
    proxy.cutAll();
    down.countDown();
    long began = System.nanoTime();
    waybill.close();
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
    proxy.accept();
    // That they were handled could not be stored, nor the lease handed back.
    database.execute("update waybill_outbox_processor set lease_until = 0");
    start(database.dataSource(), this::ok);
    assertThat(received.await(2)).containsExactly("a", "b");
  }

  @Test
  void handlersThatDeadlockAreTriedAgainAndHappenOnce() throws Exception {
    TestDatabase fresh = database.fresh();
    fresh.execute(
        "create table accounts (id int primary key, n int not null)",
        "insert into accounts values (0, 0), (1, 0)");
    Schema.migrate(fresh.dataSource());
    CyclicBarrier bothHaveOne = new CyclicBarrier(2);
    AtomicInteger calls = new AtomicInteger();
    try (HikariDataSource own = fresh.pool(8);
        Waybill waybill =
            Waybill.builder(own)
                .outbox(
                    o ->
                        o.profile(OutboxProfile.lowLatency())
                            .queue(queue, Partitions.of(2))
                            .transactional(
                                (tx, message) -> {
                                  add(tx.connection(), message.partition());
                                  if (calls.incrementAndGet() <= 2) {
                                    bothHaveOne.await();
                                  }
                                  add(tx.connection(), 1 - message.partition());
                                  return HandlerResult.success();
                                }))
                .start()) {
      Outbox outbox = waybill.outbox();
      outbox.inTransaction(
          connection -> {
            for (int partition : List.of(0, 1)) {
              outbox.enqueue(connection, queue, EnqueueMessage.of("test", "").partition(partition));
            }
          });
      Service.await(() -> sum(fresh) >= 4);
    }
    assertThat(sum(fresh)).isEqualTo(4);
    assertThat(calls).hasValueGreaterThan(2);
    assertThat(log.warnings()).noneMatch(line -> line.contains("sequencer"));
  }

  private static void add(Connection connection, int account) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("update accounts set n = n + 1 where id = " + account);
    }
  }

  private static long sum(TestDatabase database) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        var rows = statement.executeQuery("select sum(n) from accounts")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /** With the codes that servers give then: SqlFailureOnServersTest gets them from real ones. */
  @Test
  void withoutAConnectionLeftItWaitsAndGoesOn() throws Exception {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    boolean postgres = database.product() == DatabaseProduct.POSTGRESQL;
    Waybill waybill = start(faulty, this::ok);
    Service.send(waybill.outbox(), queue, "a");
    // Until it is stored, or it would come again.
    Service.await(() -> processed(waybill.outbox()) == 1);
    // The connections that it has are lost, and it gets no new ones.
    faulty.on(Fault.statement(1)).always().cut(Moment.BEFORE);
    faulty
        .on(Fault.connect(1))
        .always()
        .fail(
            Moment.BEFORE,
            () ->
                postgres
                    ? new SQLException("sorry, too many clients already", "53300")
                    : new SQLException("Too many connections", "08004", 1040));
    // Enqueued by somebody who has a connection.
    Outbox other = start(pool, message -> MessageResult.retry("not me")).outbox();
    other.pause(queue);
    Service.send(other, queue, "b");
    waybill.outbox().flush();
    Service.await(() -> log.count("failed (") >= 1);
    running.remove(1).close();
    faulty.reset();
    try (Connection operator = database.connect();
        Statement resume = operator.createStatement()) {
      resume.execute("update waybill_outbox_processor set paused_at = null, not_before = 0");
    }
    waybill.outbox().flush();
    assertThat(received.await(2)).containsExactly("a", "b");
  }

  @Test
  void aRowThatSomebodyKeepsLockedHoldsUpItsPartitionOnly() throws Exception {
    Outbox outbox = start(pool, this::ok).outbox();
    try (Connection operator = database.connect();
        Statement lock = operator.createStatement()) {
      operator.setAutoCommit(false);
      lock.execute(
          "update waybill_outbox_processor set last_error = null where partition_id = (select p.id"
              + " from waybill_outbox_partitions p join waybill_outbox_queues q on q.id ="
              + " p.queue_id where q.name = '"
              + queue
              + "' and p.number = 0)");
      Service.send(outbox, queue, "held");
      for (int i = 1; i <= 5; i++) {
        String text = "m" + i;
        outbox.inTransaction(
            connection ->
                outbox.enqueue(connection, queue, EnqueueMessage.of("test", text).partition(1)));
        received.await(i);
      }
      assertThat(received.soFar()).noneMatch(each -> each.text().equals("held"));
      operator.commit();
    }
    received.await(6);
  }
}

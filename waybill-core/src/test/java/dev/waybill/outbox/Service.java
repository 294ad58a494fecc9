package dev.waybill.outbox;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.Waybill;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A service with a database: its processes are Waybills, all in this JVM, each with a pool. */
public final class Service implements AutoCloseable {
  /** Nothing is found by a look; who works was told, or watches a clock. */
  public static final OutboxProfile NEVER_LOOKS =
      OutboxProfile.lowLatency().withReconcileInterval(Duration.ofHours(1));

  private final TestDatabase database;
  private final FaultyDataSource faulty;
  private final List<AutoCloseable> running = new ArrayList<>();

  /** On a database that is migrated if need be. */
  public Service(TestDatabase database) {
    this.database = database;
    this.faulty = new FaultyDataSource(database.dataSource());
    Schema.migrate(database.dataSource());
  }

  /** What is under all pools. */
  public FaultyDataSource faulty() {
    return faulty;
  }

  /** Starts a process. */
  public Waybill waybill(Duration stopGrace, Consumer<OutboxBuilder> setup) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(faulty);
    config.setMaximumPoolSize(12);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(5_000);
    HikariDataSource pool = new HikariDataSource(config);
    running.add(0, pool);
    Waybill waybill = Waybill.builder(pool).stopGrace(stopGrace).outbox(setup).start();
    running.add(0, waybill);
    return waybill;
  }

  /** Starts a process. */
  public Outbox start(Consumer<OutboxBuilder> setup) {
    return waybill(Duration.ofSeconds(5), setup).outbox();
  }

  /** Commits messages with these texts, in one transaction, to partition 0. */
  public static void send(Outbox outbox, String queue, String... texts) {
    try {
      outbox.inTransaction(
          connection -> {
            for (String text : texts) {
              outbox.enqueue(connection, queue, EnqueueMessage.of("test", text).partition(0));
            }
          });
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** The first column of the first row. */
  public long number(String sql) throws SQLException {
    try (Connection connection = database.connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /** Changes something behind everybody's back. */
  public void update(String sql) throws SQLException {
    database.execute(sql);
  }

  /** How many dead letters a queue has. */
  public long deadLetters(String queue) throws SQLException {
    return number("select count(*) from waybill_outbox_dead_letters d" + of(queue, "d"));
  }

  /** Joins what has a partition with the queue of that name. */
  public static String of(String queue, String alias) {
    return " join waybill_outbox_partitions p on p.id = "
        + alias
        + ".partition_id join waybill_outbox_queues q on q.id = p.queue_id where q.name = '"
        + queue
        + "'";
  }

  /** Whether a statement with this text was made since the last reset. */
  public boolean saw(String text) {
    return faulty.trace().stream().anyMatch(each -> each.sql().contains(text));
  }

  /** Whether no statement is made for so long. */
  public boolean isQuiet(Duration lasting) {
    long before = faulty.counts().statements();
    LockSupport.parkNanos(lasting.toNanos());
    return faulty.counts().statements() - before <= 2;
  }

  /** Something that becomes true by itself. */
  public interface Condition {
    boolean holds() throws SQLException;
  }

  /** Waits for it. */
  public static void await(Condition condition) throws SQLException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("Waited in vain");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  /** Stops all processes. */
  @Override
  public void close() {
    faulty.reset();
    for (AutoCloseable each : List.copyOf(running)) {
      try {
        each.close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
    running.clear();
  }
}

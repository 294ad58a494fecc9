package dev.waybill.cli.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.Waybill;
import dev.waybill.cli.demo.Shop.Order;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.LeaseConfig;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxMessage;
import dev.waybill.outbox.OutboxProfile;
import dev.waybill.outbox.Partitions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/**
 * A little order service. Every order is a row and two messages in one transaction: one that a
 * leased handler ships, in order per customer, and one that a transactional handler enters into the
 * ledger. One in twenty transactions is rolled back, one shipment in thirty fails at first, one
 * address in two hundred is wrong for ever. The {@link Office} adds jobs and a workflow.
 *
 * <p>It reports on stdout twice a second, stops producing when stdin says {@code drain}, says
 * {@code quiet} when it has, and ends when stdin is closed.
 */
public final class OrderService {
  static final String SHIPPING = "shipping";
  static final String LEDGER = "ledger";

  /** What it says when the last of its orders is committed or not. */
  static final String QUIET = "quiet";

  /** Short, so that the demo shows another process taking over. */
  private static final LeaseConfig LEASE =
      new LeaseConfig(Duration.ofSeconds(2), Duration.ofMillis(500));

  private static final Duration RESTOCK = Duration.ofSeconds(3);

  private final Settings settings;
  private final DataSource dataSource;
  private final PrintStream out;
  private final Latencies latencies = new Latencies();
  private final AtomicBoolean producing = new AtomicBoolean(true);
  private final AtomicBoolean running = new AtomicBoolean(true);

  /** A service that does nothing yet. */
  public OrderService(Settings settings, DataSource dataSource, PrintStream out) {
    this.settings = settings;
    this.dataSource = dataSource;
    this.out = out;
  }

  /** Works until stdin is closed. */
  public void run() throws Exception {
    var config = new HikariConfig();
    config.setDataSource(dataSource);
    config.setMaximumPoolSize(12);
    try (var pool = new HikariDataSource(config);
        var shipments = new Shipments(settings.shipments());
        Waybill waybill =
            Waybill.builder(pool)
                .outbox(
                    outbox ->
                        outbox
                            .profile(OutboxProfile.lowLatency())
                            .queue(SHIPPING, Partitions.of(4))
                            .lease(LEASE)
                            .leased(message -> ship(message, shipments))
                            .queue(LEDGER, Partitions.of(1))
                            .transactional(
                                (tx, message) -> {
                                  Shop.enterIntoLedger(
                                      tx.connection(), Order.parse(message.text()));
                                  return HandlerResult.success();
                                }))
                .jobs(Office::jobs)
                .workflows(Office::steps)
                .start()) {
      startThread("demo-orders", () -> produce(waybill));
      startThread("demo-reports", () -> report(waybill.outbox()));
      obey();
    } finally {
      running.set(false);
    }
  }

  private static void startThread(String name, Runnable task) {
    var thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private MessageResult ship(OutboxMessage message, Shipments shipments) {
    Order order = Order.parse(message.text());
    if (order.cents() % 200 == 0) {
      return MessageResult.reject("no such address");
    }
    if (message.attempts() == 0 && ThreadLocalRandom.current().nextInt(30) == 0) {
      return MessageResult.retry("the carrier is busy");
    }
    shipments.ship(message);
    latencies.add(Duration.between(message.createdAt(), Instant.now()));
    return MessageResult.ok();
  }

  private void produce(Waybill waybill) {
    long pause = TimeUnit.SECONDS.toNanos(1) / settings.rate();
    long next = System.nanoTime();
    long restock = next;
    while (running.get() && producing.get()) {
      try {
        if (System.nanoTime() - restock >= 0) {
          restock += RESTOCK.toNanos();
          Office.restock(waybill, settings.run());
        }
        order(waybill, settings.run());
        next += pause;
        long wait = next - System.nanoTime();
        if (wait > 0) {
          TimeUnit.NANOSECONDS.sleep(wait);
        }
      } catch (ChangedMind fine) {
        // Rolled back, as it should be.
      } catch (Exception e) {
        if (running.get()) {
          out.println("trouble " + e.getMessage());
        }
      }
    }
    out.println(QUIET);
    out.flush();
  }

  /** The customer does not want it after all. */
  private static final class ChangedMind extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private static void order(Waybill waybill, String run) throws Exception {
    Outbox outbox = waybill.outbox();
    ThreadLocalRandom random = ThreadLocalRandom.current();
    var order =
        new Order(
            run + "-" + UUID.randomUUID(),
            "customer-" + random.nextInt(50),
            1 + random.nextInt(100_000));
    outbox.inTransaction(
        connection -> {
          Shop.insertOrder(connection, order);
          outbox.enqueue(
              connection,
              SHIPPING,
              EnqueueMessage.of("order.placed", order.text()).key(order.customer()));
          outbox.enqueue(connection, LEDGER, EnqueueMessage.of("order.placed", order.text()));
          Office.confirm(waybill, connection, order);
          if (random.nextInt(20) == 0) {
            throw new ChangedMind();
          }
        });
  }

  private void report(Outbox outbox) {
    try {
      while (running.get()) {
        TimeUnit.MILLISECONDS.sleep(500);
        out.println(Report.of(outbox, latencies).text());
        out.flush();
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      out.println("trouble " + e.getMessage());
    }
  }

  private void obey() throws IOException {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.equals("drain")) {
        producing.set(false);
      }
    }
  }
}

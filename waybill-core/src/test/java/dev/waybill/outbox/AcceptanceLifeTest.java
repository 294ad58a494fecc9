package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Waybill;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Acceptance tests 9, 22 and 23 of the reference's specification (§23), and the lease between
 * processes: start, stop, idleness.
 */
@EveryDatabase
class AcceptanceLifeTest {
  private final Service service;
  private final String queue;
  private final Received received = new Received();
  private final Logged log = new Logged("dev.waybill");

  AcceptanceLifeTest(TestDatabase database, TestInfo test) {
    this.service = new Service(database);
    this.queue = test.getTestMethod().orElseThrow().getName();
  }

  @AfterEach
  void stop() {
    service.close();
    log.close();
  }

  private MessageResult ok(OutboxMessage message) {
    received.add(message);
    return MessageResult.ok();
  }

  @Test
  void aStopWaitsNoLongerThanItsGraceAndTheNextStartNeedsNoLease() throws Exception {
    CountDownLatch handling = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    Waybill first =
        service.waybill(
            Duration.ofMillis(100),
            o ->
                o.profile(Service.NEVER_LOOKS)
                    .queue(queue, Partitions.of(1))
                    .lease(new LeaseConfig(Duration.ofHours(1), Duration.ofSeconds(1)))
                    .leased(
                        message -> {
                          handling.countDown();
                          awaitUninterruptibly(never);
                          return MessageResult.ok();
                        }));
    Service.send(first.outbox(), queue, "a");
    handling.await();
    long began = System.nanoTime();
    first.close();
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));

    service.start(
        o -> o.profile(Service.NEVER_LOOKS).queue(queue, Partitions.of(1)).leased(this::ok));
    assertThat(received.await(1)).containsExactly("a");
    never.countDown();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean over = false;
    while (!over) {
      try {
        over = latch.await(60, TimeUnit.SECONDS);
      } catch (InterruptedException ignored) {
        // A handler that does not listen.
      }
    }
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "for one process")
  void whoFoundAPartitionLeasedElsewhereDeliversItsOwnMessagesWhenItIsFree() throws Exception {
    CountDownLatch handling = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    LeaseConfig hour = new LeaseConfig(Duration.ofHours(1), Duration.ofSeconds(1));
    OutboxProfile seldom = OutboxProfile.lowLatency().withReconcileInterval(Duration.ofHours(1));
    Waybill one =
        service.waybill(
            Duration.ofSeconds(5),
            o ->
                o.profile(seldom)
                    .queue(queue, Partitions.of(1))
                    .lease(hour)
                    .leased(
                        message -> {
                          handling.countDown();
                          go.await();
                          return ok(message);
                        }));
    Service.send(one.outbox(), queue, "a");
    handling.await();
    // It looks at its start, and sees that the partition is leased for an hour.
    Outbox two =
        service.start(
            o -> o.profile(seldom).queue(queue, Partitions.of(1)).lease(hour).leased(this::ok));
    service.faulty().reset();
    two.flush();
    Service.await(() -> service.saw("lease_until"));
    go.countDown();
    received.await(1);
    one.close();

    Service.send(two, queue, "b");
    assertThat(received.await(2)).containsExactly("a", "b");
  }

  @Test
  void anIdleOutboxWritesNothingAndReadsSeldom() throws Exception {
    Outbox outbox =
        service.start(
            o ->
                o.queue(queue, Partitions.of(64))
                    .leased(this::ok)
                    .queue(queue + ".ledger", Partitions.of(64))
                    .transactional((tx, message) -> HandlerResult.success()));
    Service.send(outbox, queue, "a");
    received.await(1);
    // The last that is written of it: the end of its lease, and how long it took.
    String held = "select count(*) from waybill_outbox_processor c" + Service.of(queue, "c");
    Service.await(() -> service.number(held + " and c.lease_owner is not null") == 0);
    Service.await(
        () ->
            service.number(
                    "select count(*) from waybill_outbox_pace s join waybill_outbox_queues q on"
                        + " q.id = s.queue_id where q.name = '"
                        + queue
                        + "'")
                > 0);
    Service.await(() -> service.isQuiet(Duration.ofSeconds(3)));
    service.faulty().reset();
    LockSupport.parkNanos(Duration.ofSeconds(6).toNanos());

    List<String> statements =
        service.faulty().trace().stream()
            .filter(each -> each.kind() == Operation.Kind.STATEMENT)
            .map(Operation::sql)
            .filter(sql -> sql.contains("waybill_"))
            .toList();
    assertThat(statements)
        .noneMatch(sql -> sql.startsWith("insert") || sql.startsWith("update"))
        .noneMatch(sql -> sql.startsWith("delete"));
    // Two in ten seconds where others have to be looked for.
    assertThat(statements).hasSizeLessThanOrEqualTo(4);
  }

  @Test
  void sixThousandPartitionsStartWithAHandfulOfStatements() throws Exception {
    // Without workers, whose own statements would be counted, too.
    service.faulty().reset();
    Waybill registering =
        service.waybill(
            Duration.ofSeconds(5),
            o -> {
              for (int n = 0; n < 100; n++) {
                o.withoutWorkers().queue(queue + n, Partitions.of(64)).produceOnly();
              }
            });
    assertThat(service.faulty().counts().statements()).isLessThan(150);
    registering.close();

    Duration[] took = new Duration[2];
    for (int i = 0; i < 2; i++) {
      service.faulty().reset();
      long began = System.nanoTime();
      Waybill waybill =
          service.waybill(
              Duration.ofSeconds(5),
              o -> {
                for (int n = 0; n < 100; n++) {
                  o.queue(queue + n, Partitions.of(64)).leased(this::ok);
                }
              });
      took[i] = Duration.ofNanos(System.nanoTime() - began);
      assertThat(service.faulty().counts().statements()).isLessThan(150);
      Service.send(waybill.outbox(), queue + "99", "a");
      received.await(i + 1);
      waybill.close();
    }
    // Two seconds on a machine that does nothing else.
    assertThat(took[1]).isLessThan(Duration.ofSeconds(10));
  }
}

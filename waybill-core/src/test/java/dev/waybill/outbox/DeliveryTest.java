package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Waybill;
import dev.waybill.schema.Schema;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** What becomes of batches, attempts and limits, from end to end; after the reference's tests. */
@EveryDatabase
class DeliveryTest {
  private static final OutboxProfile QUICK =
      Service.NEVER_LOOKS.withRetry(new RetryTuning(Duration.ofMillis(1), Duration.ofMillis(1), 1));

  private final TestDatabase database;
  private final Service service;
  private final String queue;
  private final Received received = new Received();
  private final Logged log = new Logged("dev.waybill");

  DeliveryTest(TestDatabase database, TestInfo test) {
    this.database = database;
    this.service = new Service(database);
    this.queue = test.getTestMethod().orElseThrow().getName();
  }

  @AfterEach
  void stop() {
    service.close();
    log.close();
  }

  private long processor(String column) throws SQLException {
    return service.number(
        "select c." + column + " from waybill_outbox_processor c" + Service.of(queue, "c"));
  }

  private MessageResult ok(OutboxMessage message) {
    received.add(message);
    return MessageResult.ok();
  }

  @Test
  void aBatchHandlerGetsSeveralAndARejectedOneIsFoundAmongThem() throws Exception {
    List<Integer> sizes = new CopyOnWriteArrayList<>();
    Outbox outbox =
        service.start(
            o ->
                o.profile(QUICK)
                    .queue(queue, Partitions.of(1))
                    .batchTransactional(
                        (tx, messages) -> {
                          sizes.add(messages.size());
                          if (messages.stream().anyMatch(each -> each.text().equals("bad"))) {
                            return HandlerResult.reject("bad");
                          }
                          messages.forEach(received::add);
                          return HandlerResult.success();
                        }));
    Service.send(outbox, queue, "a", "bad", "c", "d");
    received.await(3);
    Service.await(() -> processor("processed_seq") == 4);
    assertThat(received.soFar()).extracting(OutboxMessage::text).containsExactly("a", "c", "d");
    assertThat(service.deadLetters(queue)).isEqualTo(1);
    assertThat(sizes.get(0)).isEqualTo(4);
  }

  @Test
  void aRetryInABatchKeepsWhatWasDoneBefore() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    Outbox outbox =
        service.start(
            o ->
                o.profile(QUICK)
                    .queue(queue, Partitions.of(1))
                    .leased(
                        message ->
                            message.text().equals("c") && tries.incrementAndGet() < 3
                                ? MessageResult.retry("busy")
                                : ok(message)));
    Service.send(outbox, queue, "a", "b", "c", "d");
    assertThat(received.await(4)).containsExactly("a", "b", "c", "d");
    Service.await(() -> processor("processed_seq") == 4);
    assertThat(processor("attempts")).isZero();
    assertThat(
            service.number(
                "select count(*) from waybill_outbox_processor c"
                    + Service.of(queue, "c")
                    + " and c.lease_owner is null and c.last_error is null"))
        .isEqualTo(1);
  }

  @Test
  void whatAProcessLeftBehindWhenItDiedCountsAsAnAttempt() throws Exception {
    Outbox outbox =
        service.start(o -> o.profile(QUICK).queue(queue, Partitions.of(1)).leased(this::ok));
    outbox.pause(queue);
    Service.send(outbox, queue, "a", "b");
    // Two leases that were taken and never given back.
    service.update(
        "update waybill_outbox_processor set attempts = 2, lease_epoch = 2, lease_owner = 'gone',"
            + " lease_until = 1 where partition_id = (select p.id from waybill_outbox_partitions p"
            + " join waybill_outbox_queues q on q.id = p.queue_id where q.name = '"
            + queue
            + "')");
    outbox.resume(queue);
    received.await(2);
    assertThat(received.soFar()).extracting(OutboxMessage::attempts).containsExactly(2, 0);
    Service.await(() -> processor("attempts") == 0);
    assertThat(processor("lease_epoch")).isEqualTo(3);
  }

  @Test
  void noMorePartitionsAreServedAtATimeThanAllowed() throws Exception {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch two = new CountDownLatch(2);
    Outbox outbox =
        service.start(
            o ->
                o.profile(QUICK)
                    .queue(queue, Partitions.of(8))
                    .concurrency(2)
                    .leased(
                        message -> {
                          most.accumulateAndGet(now.incrementAndGet(), Math::max);
                          two.countDown();
                          two.await();
                          now.decrementAndGet();
                          return ok(message);
                        }));
    outbox.inTransaction(
        connection -> {
          for (int i = 0; i < 16; i++) {
            outbox.enqueue(connection, queue, EnqueueMessage.of("test", "m").partition(i % 8));
          }
        });
    received.await(16);
    assertThat(most).hasValue(2);
  }

  @Test
  void aStopLetsTheCurrentMessageEndAndStoresIt() throws Exception {
    CountDownLatch handling = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Waybill waybill =
        service.waybill(
            Duration.ofSeconds(20),
            o ->
                o.profile(QUICK)
                    .queue(queue, Partitions.of(1))
                    .leased(
                        message -> {
                          handling.countDown();
                          go.await();
                          return ok(message);
                        }));
    Service.send(waybill.outbox(), queue, "a", "b");
    handling.await();
    Thread closing = new Thread(waybill::close);
    closing.start();
    go.countDown();
    closing.join();
    int delivered = received.soFar().size();
    assertThat(delivered).isPositive();
    assertThat(processor("processed_seq")).isEqualTo(delivered);
    assertThat(processor("attempts")).isZero();
  }

  @Test
  void aQueueHasTheNumberOfPartitionsItWasRegisteredWith() throws Exception {
    service.start(o -> o.queue(queue, Partitions.of(4)).produceOnly());
    assertThatThrownBy(() -> service.start(o -> o.queue(queue, Partitions.of(2)).leased(this::ok)))
        .isInstanceOf(OutboxException.PartitionCountMismatch.class)
        .hasMessageContaining(queue)
        .hasMessageContaining("4");
    Outbox none = service.start(o -> {});
    assertThatThrownBy(() -> Service.send(none, queue, "a"))
        .hasCauseInstanceOf(OutboxException.QueueNotRegistered.class);
  }

  @Test
  void tablesWithAnotherPrefixAreAnotherOutbox() throws Exception {
    SchemaOptions other = SchemaOptions.defaults().withPrefix("depot_");
    assertThatThrownBy(() -> started(other)).isInstanceOf(SchemaIncompatibleException.class);
    Schema.migrate(database.dataSource(), other);
    Outbox usual = service.start(o -> o.queue(queue, Partitions.of(1)).leased(this::ok));
    try (Waybill depot = started(other)) {
      Service.send(usual, queue, "usual");
      Service.send(depot.outbox(), queue, "depot");
      received.await(2);
    }
    assertThat(received.soFar()).extracting(OutboxMessage::seq).containsExactly(1L, 1L);
    assertThat(service.number("select sum(sequence) from depot_outbox_partitions")).isEqualTo(1);
  }

  private Waybill started(SchemaOptions options) {
    return Waybill.builder(database.pool(8))
        .schema(options)
        .outbox(o -> o.queue(queue, Partitions.of(1)).leased(this::ok))
        .start();
  }
}

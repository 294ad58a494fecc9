package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.Waybill;
import dev.waybill.outbox.OutboxException.NoSuchPartition;
import dev.waybill.outbox.OutboxException.PartitionCountMismatch;
import dev.waybill.outbox.OutboxException.QueueFull;
import dev.waybill.outbox.OutboxException.QueueNotRegistered;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What operators do with a running outbox. */
@EveryDatabase
class OutboxOperationsTest {
  private final TestDatabase database;
  private final Received received = new Received();
  private final List<Waybill> running = new ArrayList<>();

  OutboxOperationsTest(TestDatabase database) {
    this.database = Migrated.on(database);
  }

  @AfterEach
  void stop() {
    running.forEach(Waybill::close);
  }

  private Outbox start(Consumer<OutboxBuilder> setup) {
    Waybill waybill = Waybill.builder(database.pool(10)).outbox(setup).start();
    running.add(waybill);
    return waybill.outbox();
  }

  private MessageResult receive(OutboxMessage message) {
    received.add(message);
    return MessageResult.ok();
  }

  private static void enqueue(Outbox outbox, String queue, String... texts) throws Exception {
    outbox.inTransaction(
        connection -> {
          for (String text : texts) {
            outbox.enqueue(connection, queue, EnqueueMessage.of("test", text).partition(0));
          }
        });
  }

  @Test
  void aPausedQueueWaitsAndGoesOnWhenResumed() throws Exception {
    Outbox outbox = start(o -> o.queue("orders", Partitions.of(2)).leased(this::receive));
    enqueue(outbox, "orders", "a");
    received.await(1);

    outbox.pause("orders", 0);
    enqueue(outbox, "orders", "b", "c");
    await(() -> outbox.status().get(0).partitions().get(0).sequence() == 3);
    QueueStatus status = outbox.status().get(0);
    assertThat(status.partitions().get(0).paused()).isTrue();
    assertThat(status.partitions().get(1).paused()).isFalse();
    assertThat(received.soFar()).hasSize(1);

    outbox.resume("orders");
    assertThat(received.await(3)).containsExactly("a", "b", "c");
    assertThatThrownBy(() -> outbox.pause("other")).isInstanceOf(QueueNotRegistered.class);
    assertThatThrownBy(() -> outbox.pause("orders", 2)).isInstanceOf(NoSuchPartition.class);
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.call()) {
      assertThat(System.nanoTime()).as("waited in vain").isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  @Test
  void theStatusSaysHowFarAPartitionIsAndWhyItWaits() throws Exception {
    Outbox outbox =
        start(
            o ->
                o.profile(
                        OutboxProfile.defaults()
                            .withRetry(
                                new RetryTuning(Duration.ofHours(1), Duration.ofHours(1), 1)))
                    .queue("orders", Partitions.of(1))
                    .leased(
                        message -> {
                          received.add(message);
                          return MessageResult.retry("warehouse closed");
                        }));
    enqueue(outbox, "orders", "a", "b");
    received.await(1);
    await(() -> outbox.statistics().retried() == 1);
    PartitionStatus partition = outbox.status().get(0).partitions().get(0);

    assertThat(partition.sequence()).isEqualTo(2);
    assertThat(partition.processed()).isZero();
    assertThat(partition.lag()).isEqualTo(2);
    assertThat(partition.attempts()).isEqualTo(1);
    assertThat(partition.lastError()).isEqualTo("warehouse closed");
    assertThat(partition.retryIn()).isGreaterThan(Duration.ofMinutes(40));
    assertThat(partition.waiting()).isNotNull();
    assertThat(partition.leaseOwner()).isNull();
    assertThat(outbox.statistics().times().total()).as("nothing was done yet").isZero();
    assertThat(outbox.statistics().enqueued()).isEqualTo(2);
    assertThat(running.get(0).health().isHealthy()).isTrue();
  }

  @Test
  void aFullQueueRefusesAndTakesMoreWhenThereIsRoom() throws Exception {
    var open = new CountDownLatch(1);
    Outbox outbox =
        start(
            o ->
                o.queue("orders", Partitions.of(1))
                    .admission(AdmissionLimit.messages(3))
                    .leased(
                        message -> {
                          open.await(30, TimeUnit.SECONDS);
                          return receive(message);
                        }));
    enqueue(outbox, "orders", "a", "b", "c");
    assertThatThrownBy(() -> enqueue(outbox, "orders", "d"))
        .isInstanceOf(QueueFull.class)
        .hasMessageContaining("admits 3 messages");
    open.countDown();
    received.await(3);
    await(
        () -> {
          try {
            enqueue(outbox, "orders", "e");
            return true;
          } catch (QueueFull stillFull) {
            return false;
          }
        });
    assertThat(received.await(4)).containsExactly("a", "b", "c", "e");
  }

  @Test
  void aQueueGrowsByTheExplicitOperationOnly() throws Exception {
    Outbox outbox = start(o -> o.queue("orders", Partitions.of(1)).leased(this::receive));
    enqueue(outbox, "orders", "a");
    received.await(1);
    assertThatThrownBy(() -> start(o -> o.queue("orders", Partitions.of(4)).produceOnly()))
        .isInstanceOf(PartitionCountMismatch.class);

    outbox.grow("orders", Partitions.of(4));
    outbox.inTransaction(
        connection ->
            outbox.enqueueBatch(
                connection,
                "orders",
                IntStream.range(0, 4)
                    .mapToObj(i -> EnqueueMessage.of("test", "p" + i).partition(i))
                    .toList()));

    assertThat(received.await(5)).contains("p0", "p1", "p2", "p3");
    assertThatThrownBy(() -> outbox.grow("orders", Partitions.of(2)))
        .isInstanceOf(PartitionCountMismatch.class);
  }

  @Test
  void aDelayedMessageComesWhenItIsDue() throws Exception {
    Outbox outbox = start(o -> o.queue("orders", Partitions.of(1)).leased(this::receive));
    outbox.inTransaction(
        connection ->
            outbox.enqueueBatch(
                connection,
                "orders",
                List.of(
                    EnqueueMessage.of("test", "later").delay(Duration.ofMillis(300)),
                    EnqueueMessage.of("test", "never").delay(Duration.ofHours(5)),
                    EnqueueMessage.of("test", "now"))));
    assertThat(received.await(2)).containsExactly("now", "later");
  }
}

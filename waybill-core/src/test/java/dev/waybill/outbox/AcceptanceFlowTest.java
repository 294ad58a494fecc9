package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.store.StoredRows;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Acceptance tests 1, 3, 8, 11, 14 and 18 of the reference's specification (§23): nobody waits for
 * others, and nothing waits for a timer.
 */
@EveryDatabase
class AcceptanceFlowTest {
  private final TestDatabase database;
  private final Service service;
  private final String queue;
  private final Received received = new Received();

  AcceptanceFlowTest(TestDatabase database, TestInfo test) {
    this.database = database;
    this.service = new Service(database);
    this.queue = test.getTestMethod().orElseThrow().getName();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private MessageResult ok(OutboxMessage message) {
    received.add(message);
    return MessageResult.ok();
  }

  private Outbox leased(int partitions) {
    return service.start(
        o ->
            o.profile(Service.NEVER_LOOKS)
                .queue(queue, Partitions.of(partitions))
                .leased(this::ok));
  }

  private Connection producer() throws SQLException {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    return connection;
  }

  private static EnqueueMessage message(String text, int partition) {
    return EnqueueMessage.of("test", text).partition(partition);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "an open transaction that writes keeps others out")
  void openProducersOfMorePartitionsThanThereAreSequencersDelayNobody() throws Exception {
    Outbox outbox = leased(8);
    List<Connection> open = new ArrayList<>();
    try {
      List<Enqueued> receipts = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        Connection connection = producer();
        open.add(connection);
        Enqueued receipt = outbox.enqueue(connection, queue, message("late", i));
        // Too early: a visit finds nothing, and must neither come again and again nor forget it.
        receipt.flush();
        receipts.add(receipt);
      }
      service.faulty().reset();
      for (int i = 0; i < 20; i++) {
        String text = "m" + i;
        outbox.inTransaction(
            connection -> outbox.enqueue(connection, queue, message(text, 5 + text.length() % 3)));
        received.await(i + 1);
      }
      // Per message: enqueue, sequence, lease and end, at most 30 statements on any database.
      assertThat(service.faulty().counts().statements()).isLessThan(20 * 30);
      assertThat(received.soFar()).noneMatch(each -> each.text().equals("late"));
      for (int i = 0; i < 5; i++) {
        open.get(i).commit();
        receipts.get(i).flush();
      }
    } finally {
      for (Connection each : open) {
        each.close();
      }
    }
    received.await(25);
  }

  @Test
  void aMessageIsDeliveredAfterItsCommitAndNotBeforeAndNotAtAllAfterARollback() throws Exception {
    Outbox outbox = leased(2);
    Enqueued late;
    try (Connection connection = producer()) {
      late = outbox.enqueue(connection, queue, message("late", 0));
      connection.commit();
      assertThat(received.soFar()).isEmpty();
    }
    late.flush();
    received.await(1);
    try (Connection connection = producer()) {
      outbox.enqueue(connection, queue, message("never", 0));
      connection.rollback();
    }
    Service.send(outbox, queue, "next");
    assertThat(received.await(2)).containsExactly("late", "next");
    assertThat(received.soFar()).extracting(OutboxMessage::seq).containsExactly(1L, 2L);
  }

  @Test
  void aTimeThatHasPassedIsNoReasonToWait() throws Exception {
    Outbox outbox = leased(1);
    // The look at the start must not be what finds it.
    Service.await(() -> service.isQuiet(Duration.ofMillis(500)));
    EnqueueMessage past = message("past", 0).deliverAt(Instant.now().minusSeconds(60));
    outbox.inTransaction(connection -> outbox.enqueue(connection, queue, past));
    received.await(1);
    EnqueueMessage soon = message("soon", 0).delay(Duration.ofMillis(50));
    outbox.inTransaction(connection -> outbox.enqueue(connection, queue, soon));
    assertThat(received.await(2)).containsExactly("past", "soon");
  }

  @Test
  void aBacklogOfNumberedMessagesIsDeliveredAtTheStart() throws Exception {
    Outbox producer =
        service.start(
            o -> o.profile(Service.NEVER_LOOKS).queue(queue, Partitions.of(2)).produceOnly());
    Service.send(producer, queue, "a", "b");
    Service.await(() -> sequence() == 2);
    service.close();

    leased(2);
    assertThat(received.await(2)).containsExactly("a", "b");
  }

  private long sequence() throws SQLException {
    return service.number(
        "select sum(p.sequence) from waybill_outbox_partitions p join waybill_outbox_queues q on"
            + " q.id = p.queue_id where q.name = '"
            + queue
            + "'");
  }

  @Test
  void slowHandlersOfOneQueueLeaveTheOthersAlone() throws Exception {
    CountDownLatch slow = new CountDownLatch(1);
    CountDownLatch busy = new CountDownLatch(8);
    Outbox outbox =
        service.start(
            o ->
                o.profile(Service.NEVER_LOOKS)
                    .queue(queue + ".slow", Partitions.of(8))
                    .concurrency(8)
                    .leased(
                        message -> {
                          busy.countDown();
                          slow.await();
                          return MessageResult.ok();
                        })
                    .queue(queue + ".quick", Partitions.of(2))
                    .leased(this::ok));
    try {
      outbox.inTransaction(
          connection -> {
            for (int i = 0; i < 8; i++) {
              outbox.enqueue(connection, queue + ".slow", message("slow", i));
            }
          });
      busy.await();
      for (int i = 0; i < 20; i++) {
        Service.send(outbox, queue + ".quick", "m" + i);
        received.await(i + 1);
      }
    } finally {
      slow.countDown();
    }
  }

  @Test
  void twoVacuumsLeaveNothingBehind() throws Exception {
    OutboxProfile tidy =
        Service.NEVER_LOOKS
            .withVacuum(new WorkerTuning(5, Duration.ZERO, Duration.ZERO, Duration.ZERO))
            .withVacuumPoll(Duration.ofMillis(100));
    Outbox one =
        service.start(o -> o.profile(tidy).queue(queue, Partitions.of(4)).leased(this::ok));
    // SQLite is for one process; there the vacuum has no rival.
    Outbox two =
        database.product() == DatabaseProduct.SQLITE
            ? one
            : service.start(o -> o.profile(tidy).queue(queue, Partitions.of(4)).leased(this::ok));
    for (int i = 0; i < 60; i++) {
      Outbox each = i % 2 == 0 ? one : two;
      int partition = i % 4;
      each.inTransaction(
          connection -> {
            each.enqueue(connection, queue, message("x", partition));
            each.enqueue(connection, queue, message("y", partition));
          });
    }
    received.await(all -> distinct(all) == 120);
    for (String table : StoredRows.tables(database.product())) {
      Service.await(() -> service.number("select count(*) from waybill_outbox_" + table) == 0);
    }
  }

  private static long distinct(List<OutboxMessage> all) {
    return all.stream().map(OutboxMessage::id).distinct().count();
  }

  @Test
  void inBatchesOfAnySizeEveryMessageFindsItsPartitionAndItsId() throws Exception {
    Outbox outbox =
        service.start(o -> o.withoutWorkers().queue(queue, Partitions.of(16)).produceOnly());
    for (int size : List.of(1, 2, 999, 1_001, 10_000)) {
      List<EnqueueMessage> batch = new ArrayList<>(size);
      for (int i = 0; i < size; i++) {
        batch.add(message(size + ":" + i, i * 7 % 16));
      }
      List<Long> ids = new ArrayList<>();
      outbox.inTransaction(
          connection -> ids.addAll(outbox.enqueueBatch(connection, queue, batch).ids()));
      assertThat(ids).hasSize(size).doesNotHaveDuplicates();
      Map<Long, String> stored = stored();
      for (int i = 0; i < size; i++) {
        assertThat(stored.get(ids.get(i))).isEqualTo(size + ":" + i + " in " + i * 7 % 16);
      }
    }
    for (String lose : StoredRows.loseWaiting(database.product())) {
      service.update(lose);
    }
  }

  @Test
  void aBatchBeyondAnyPacketIsEnqueuedInPieces() throws Exception {
    Outbox outbox =
        service.start(o -> o.withoutWorkers().queue(queue, Partitions.of(1)).produceOnly());
    byte[] payload = new byte[64 * 1024];
    List<EnqueueMessage> batch = Collections.nCopies(300, EnqueueMessage.of("test", payload));
    outbox.inTransaction(
        connection ->
            assertThat(outbox.enqueueBatch(connection, queue, batch).ids())
                .hasSize(300)
                .doesNotHaveDuplicates()
                .isSorted());
    assertThat(
            service.number(
                "select sum(length(b.payload))"
                    + StoredRows.waiting(database.product())
                    + Service.of(queue, "i")))
        .isEqualTo(300L * payload.length);
    for (String lose : StoredRows.loseWaiting(database.product())) {
      service.update(lose);
    }
  }

  private Map<Long, String> stored() throws SQLException {
    Map<Long, String> stored = new HashMap<>();
    try (Connection connection = database.connect();
        var statement = connection.createStatement();
        var rows =
            statement.executeQuery(
                "select p.number, "
                    + StoredRows.columns(database.product())
                    + StoredRows.waiting(database.product())
                    + Service.of(queue, "i"))) {
      while (rows.next()) {
        int number = rows.getInt("number");
        StoredRows.texts(database.product(), rows)
            .forEach((id, text) -> stored.put(id, text + " in " + number));
      }
    }
    return stored;
  }
}

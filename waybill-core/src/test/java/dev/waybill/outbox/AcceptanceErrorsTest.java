package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.DatabaseException;
import dev.waybill.internal.store.StoredRows;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Acceptance tests 4, 5, 10, 13, 15 and 16 of the reference's specification (§23): errors, and what
 * comes after them. Nobody looks for forgotten work here, so whatever goes on does so by its timer.
 */
@EveryDatabase
class AcceptanceErrorsTest {
  private final TestDatabase database;
  private final Service service;
  private final String queue;
  private final Received received = new Received();
  private final Logged log = new Logged("dev.waybill");

  AcceptanceErrorsTest(TestDatabase database, TestInfo test) {
    this.database = database;
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
  void aHandlerThatThrowsIsCalledAgainThoughAllIsSilent() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Outbox outbox =
        service.start(
            o ->
                o.profile(Service.NEVER_LOOKS)
                    .queue(queue, Partitions.of(1))
                    .leased(
                        message -> {
                          switch (calls.incrementAndGet()) {
                            case 1 -> throw new IllegalStateException("not today");
                            case 2 -> throw new AssertionError("not today either");
                            default -> {
                              return ok(message);
                            }
                          }
                        }));
    Service.send(outbox, queue, "a");
    assertThat(received.await(1)).containsExactly("a");
    assertThat(received.soFar().get(0).attempts()).isEqualTo(2);
  }

  @Test
  void anErrorOfTheDatabaseInAnyStageIsOvercomeThoughAllIsSilent() throws Exception {
    Outbox outbox =
        service.start(
            o ->
                o.profile(Service.NEVER_LOOKS)
                    .queue(queue + ".leased", Partitions.of(1))
                    .leased(this::ok)
                    .queue(queue + ".ledger", Partitions.of(1))
                    .transactional(
                        (tx, message) -> {
                          received.add(message);
                          return HandlerResult.success();
                        }));
    List<String> expected = new ArrayList<>();
    for (String table : List.of("outgoing", "processor", "body")) {
      if (!table.equals("processor") && !StoredRows.tables(database.product()).contains(table)) {
        continue;
      }
      for (String kind : List.of(".leased", ".ledger")) {
        service
            .faulty()
            .on(Fault.sql(2, sql -> sql.contains("waybill_outbox_" + table)))
            .fail(Moment.BEFORE);
        String text = table + kind;
        expected.add(text);
        sendWhateverStrikes(outbox, queue + kind, text);
        received.await(all -> all.stream().anyMatch(each -> each.text().equals(text)));
      }
    }
    assertThat(received.soFar()).extracting(OutboxMessage::text).containsAll(expected);
  }

  /** A fault armed for an earlier message may be pending still, so several tries may be struck. */
  private static void sendWhateverStrikes(Outbox outbox, String queue, String text)
      throws Exception {
    for (boolean sent = false; !sent; ) {
      try {
        outbox.inTransaction(
            connection -> outbox.enqueue(connection, queue, EnqueueMessage.of("test", text)));
        sent = true;
      } catch (DatabaseException e) {
        assertThat(e).hasMessageContaining("injected");
      }
    }
  }

  @Test
  void aFailingHeadKeepsToItsBackoffWhateverTrafficThereIs() throws Exception {
    List<Long> tries = new CopyOnWriteArrayList<>();
    Outbox outbox =
        service.start(
            o ->
                o.profile(
                        Service.NEVER_LOOKS.withRetry(
                            new RetryTuning(Duration.ofMillis(200), Duration.ofMillis(400), 1)))
                    .queue(queue, Partitions.of(1))
                    .leased(
                        message -> {
                          if (message.seq() == 1 && tries.size() < 4) {
                            tries.add(System.nanoTime());
                            return MessageResult.retry("busy");
                          }
                          return ok(message);
                        }));
    Service.send(outbox, queue, "head");
    for (int i = 1; received.soFar().isEmpty(); i++) {
      Service.send(outbox, queue, "m" + i);
    }
    assertThat(tries).hasSize(4);
    for (int i = 1; i < tries.size(); i++) {
      long apart = (tries.get(i) - tries.get(i - 1)) / 1_000_000;
      // 200, 400, 400 ms, less 30 % at most.
      assertThat(apart).as("%s", tries).isGreaterThanOrEqualTo(i == 1 ? 139 : 279);
    }
    assertThat(received.soFar().get(0).text()).isEqualTo("head");
  }

  @Test
  void acksBeyondTheBatchAreErrorsThatEndInDeadLettersOnce() throws Exception {
    Outbox outbox =
        service.start(
            o ->
                o.profile(
                        Service.NEVER_LOOKS.withRetry(
                            new RetryTuning(Duration.ofMillis(1), Duration.ofMillis(1), 3)))
                    .queue(queue, Partitions.of(1))
                    .onFailure(HeadFailure.deadLetterAfter(3))
                    .batchLeased(
                        batch -> {
                          batch.nextChunk(10).forEach(received::add);
                          batch.ackChunk(10);
                          return HandlerResult.success();
                        }));
    Service.send(outbox, queue, "a", "b", "c");
    Service.await(() -> service.deadLetters(queue) == 3);
    // Three attempts with all that are left each: bounded, whatever the handler does.
    assertThat(received.soFar()).hasSizeLessThan(20);
    assertThat(
            service.number(
                "select count(distinct d.seq) from waybill_outbox_dead_letters d"
                    + Service.of(queue, "d")))
        .isEqualTo(3);
  }

  @Test
  void countlessRetriesSaturateAndTheLastSuccessCounts() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Outbox outbox =
        service.start(
            o ->
                o.profile(
                        Service.NEVER_LOOKS.withRetry(
                            new RetryTuning(Duration.ofMillis(1), Duration.ofMillis(1), 3)))
                    .queue(queue, Partitions.of(1))
                    .leased(
                        message ->
                            calls.incrementAndGet() < 5
                                ? MessageResult.retry("busy")
                                : ok(message)));
    outbox.pause(queue);
    Service.send(outbox, queue, "a");
    service.update(
        "update waybill_outbox_processor set attempts = 2147483646 where partition_id ="
            + " (select p.id from waybill_outbox_partitions p join waybill_outbox_queues q on q.id"
            + " = p.queue_id where q.name = '"
            + queue
            + "')");
    outbox.resume(queue);
    received.await(1);
    assertThat(received.soFar().get(0).attempts()).isGreaterThan(2_000_000_000);
    Service.await(() -> attempts() == 0);
  }

  private long attempts() throws SQLException {
    return service.number(
        "select c.attempts from waybill_outbox_processor c" + Service.of(queue, "c"));
  }

  @Test
  void aMessageWithoutABodyBecomesADeadLetterAndTheOthersGoOn() throws Exception {
    Outbox outbox =
        service.start(
            o ->
                o.profile(Service.NEVER_LOOKS)
                    .queue(queue + ".leased", Partitions.of(1))
                    .leased(this::ok)
                    .queue(queue + ".ledger", Partitions.of(1))
                    .transactional(
                        (tx, message) -> {
                          received.add(message);
                          return HandlerResult.success();
                        }));
    for (String kind : List.of(".leased", ".ledger")) {
      outbox.pause(queue + kind);
      List<Long> ids = new ArrayList<>();
      outbox.inTransaction(
          connection -> {
            for (String text : List.of("a", "b", "c")) {
              EnqueueMessage message = EnqueueMessage.of("test", text + kind);
              ids.addAll(outbox.enqueue(connection, queue + kind, message).ids());
            }
          });
      String numbered = "select max(p.sequence) from waybill_outbox_processor c";
      Service.await(() -> service.number(numbered + Service.of(queue + kind, "c")) == 3);
      service.update(StoredRows.lose(database.product(), ids.get(1)));
      outbox.resume(queue + kind);
    }
    received.await(4);
    Service.await(
        () -> service.deadLetters(queue + ".leased") + service.deadLetters(queue + ".ledger") == 2);
    assertThat(received.soFar())
        .extracting(OutboxMessage::text)
        .containsExactlyInAnyOrder("a.leased", "c.leased", "a.ledger", "c.ledger");
  }
}

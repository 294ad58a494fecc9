package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.Waybill;
import dev.waybill.schema.Schema;
import dev.waybill.spi.OutboxListener;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Signals;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Making messages of dead letters, exactly one of each. */
@EveryDatabase(alsoOldest = true)
class DeadLetterRequeueTest {
  private static final Executor THREADS = task -> new Thread(task, "test").start();
  private static final DeadLetterFilter ALL = DeadLetterFilter.defaults();

  private final TestDatabase database;
  private final FaultyDataSource watched;
  private final Graveyard graveyard;
  private final Received received = new Received();
  private final AtomicInteger enqueued = new AtomicInteger();
  private final Signals signals = new Signals();
  private final List<Waybill> running = new ArrayList<>();

  DeadLetterRequeueTest(TestDatabase database) {
    this.database = database.fresh();
    watched = new FaultyDataSource(this.database.dataSource());
    Schema.migrate(watched);
    graveyard = new Graveyard(this.database);
    operator(); // registers the queue
  }

  @AfterEach
  void stop() {
    running.forEach(Waybill::close);
  }

  private Outbox start(Consumer<OutboxBuilder> setup) {
    Waybill waybill =
        Waybill.builder(watched)
            .listener(
                new OutboxListener() {
                  @Override
                  public void enqueued(String queue, int messages) {
                    enqueued.addAndGet(messages);
                  }

                  @Override
                  public void delivered(String queue, int partition, int messages, Duration took) {
                    signals.fire("delivered");
                  }
                })
            .outbox(setup)
            .start();
    running.add(waybill);
    return waybill.outbox();
  }

  private DeadLetters operator() {
    return start(o -> o.withoutWorkers().queue("orders", Partitions.of(4)).produceOnly())
        .deadLetters();
  }

  private long bodies() throws SQLException {
    return graveyard.number("select count(*) from waybill_outbox_body");
  }

  private long incoming() throws SQLException {
    return graveyard.number("select count(*) from waybill_outbox_incoming");
  }

  @Test
  void aRequeuedMessageIsDeliveredAgainByteForByte() throws Exception {
    byte[] payload = {0, 1, (byte) 0xFF, 10, 13};
    Outbox outbox =
        start(
            o ->
                o.queue("orders", Partitions.of(4))
                    .leased(
                        message -> {
                          received.add(message);
                          return message.headers().containsKey(DeadLetters.REQUEUE_HEADER)
                              ? MessageResult.ok()
                              : MessageResult.reject("not today");
                        }));
    outbox.inTransaction(
        connection ->
            outbox.enqueue(
                connection,
                "orders",
                EnqueueMessage.of("order.placed", payload)
                    .key("Zoë")
                    .header("a", "b: c")
                    .header("e", "")));
    OutboxMessage before = received.await(all -> all.size() == 1).get(0);
    DeadLetters deadLetters = outbox.deadLetters();
    signals.await("delivered", Duration.ofSeconds(30));
    DeadLetter letter = deadLetters.list(ALL).get(0);
    assertThat(letter.lastError()).isEqualTo("not today");
    assertThat(letter.message().payload()).isEqualTo(payload);
    assertThat(letter.message().key()).isEqualTo("Zoë");
    assertThat(letter.message().headers()).isEqualTo(before.headers());
    assertThat(letter.message().createdAt()).isEqualTo(before.createdAt());

    assertThat(deadLetters.requeue(ALL)).isEqualTo(1);

    OutboxMessage again = received.await(all -> all.size() == 2).get(1);
    assertThat(again.payload()).isEqualTo(payload);
    assertThat(again.type()).isEqualTo("order.placed");
    assertThat(again.key()).isEqualTo("Zoë");
    assertThat(again.partition()).isEqualTo(before.partition());
    assertThat(again.seq()).isEqualTo(before.seq() + 1);
    assertThat(again.id()).isNotEqualTo(before.id());
    assertThat(again.attempts()).isZero();
    assertThat(again.headers())
        .hasSize(3)
        .containsAllEntriesOf(before.headers())
        .containsEntry(DeadLetters.REQUEUE_HEADER, "" + before.id());
    DeadLetter resolved = deadLetters.list(ALL.anyStatus()).get(0);
    assertThat(resolved.id()).isEqualTo(letter.id());
    assertThat(resolved.status()).isEqualTo(DeadLetterStatus.RESOLVED);
    assertThat(enqueued).hasValue(2);
  }

  @Test
  void eachGoesBackToItsPartitionInTheOrderOfFailure() throws Exception {
    graveyard.bury("orders", 1, 120);
    graveyard.bury("orders", 2, 120);
    DeadLetters deadLetters = operator();

    assertThat(deadLetters.requeue(ALL.queue("orders").limit(1_000))).isEqualTo(240);
    assertThat(deadLetters.requeue(ALL.limit(1_000))).isZero();

    Outbox outbox =
        start(
            o ->
                o.queue("orders", Partitions.of(4))
                    .leased(
                        message -> {
                          received.add(message);
                          return MessageResult.ok();
                        }));
    outbox.flush();
    received.await(240);
    for (int p = 1; p <= 2; p++) {
      int partition = p;
      List<String> texts =
          received.soFar().stream()
              .filter(message -> message.partition() == partition)
              .map(OutboxMessage::text)
              .toList();
      List<String> expected = new ArrayList<>();
      for (int i = 1; i <= 120; i++) {
        expected.add("payload " + i);
      }
      assertThat(texts).isEqualTo(expected);
    }
  }

  @Test
  void aCrashBeforeTheCommitLeavesAllAsItWas() throws Exception {
    graveyard.bury("orders", 0, 5);
    DeadLetters deadLetters = operator();
    watched.reset();
    watched.on(onCommit()).cut(Fault.Moment.BEFORE);

    assertThatThrownBy(() -> deadLetters.requeue(ALL)).isInstanceOf(DatabaseException.class);

    assertThat(deadLetters.count(ALL)).isEqualTo(5);
    assertThat(bodies()).isZero();
    assertThat(incoming()).isZero();
    assertThat(deadLetters.requeue(ALL)).isEqualTo(5);
    assertThat(incoming()).isEqualTo(5);
  }

  @Test
  void aCrashAtAnyStatementLeavesAllAsItWas() throws Exception {
    graveyard.bury("orders", 0, 5);
    DeadLetters deadLetters = operator();
    int statements = 0;
    while (true) {
      watched.reset();
      watched.on(Fault.statement(++statements)).cut(Fault.Moment.AFTER);
      try {
        deadLetters.requeue(ALL);
        break;
      } catch (DatabaseException cut) {
        if (database.product() == DatabaseProduct.SQLITE && deadLetters.count(ALL) == 0) {
          break; // It commits by a statement.
        }
        assertThat(deadLetters.count(ALL)).as("cut %d", statements).isEqualTo(5);
        assertThat(bodies()).isZero();
        assertThat(incoming()).isZero();
      }
    }
    watched.reset();
    assertThat(statements).isGreaterThan(3);
    assertThat(incoming()).isEqualTo(5);
    assertThat(deadLetters.requeue(ALL)).isZero();
  }

  @Test
  void anAnswerThatIsLostAfterTheCommitDoesNotMakeTwoMessages() throws Exception {
    graveyard.bury("orders", 0, 5);
    DeadLetters deadLetters = operator();
    watched.reset();
    watched.on(onCommit()).cut(Fault.Moment.AFTER);

    assertThatThrownBy(() -> deadLetters.requeue(ALL)).isInstanceOf(DatabaseException.class);

    assertThat(deadLetters.requeue(ALL)).isZero();
    assertThat(incoming()).isEqualTo(5);
    assertThat(deadLetters.count(ALL.status(DeadLetterStatus.RESOLVED))).isEqualTo(5);
  }

  private Fault onCommit() {
    return database.product() == DatabaseProduct.SQLITE
        ? Fault.sql("commit"::equals)
        : Fault.commit(1);
  }

  @Test
  void twoOperatorsAtOnceMakeOneMessageOfEach() throws Exception {
    graveyard.bury("orders", 0, 300);
    DeadLetters one = operator();
    DeadLetters two = operator();
    List<CompletableFuture<Integer>> both = new ArrayList<>();
    for (DeadLetters each : List.of(one, two)) {
      both.add(
          CompletableFuture.supplyAsync(
              () -> {
                int all = 0;
                while (each.count(ALL) > 0) {
                  all += each.requeue(ALL.limit(20));
                }
                return all;
              },
              THREADS));
    }
    int requeued = 0;
    for (var each : both) {
      requeued += each.get(60, TimeUnit.SECONDS);
    }
    assertThat(requeued).isEqualTo(300);
    assertThat(bodies()).isEqualTo(300);
    assertThat(incoming()).isEqualTo(300);
  }

  @Test
  void claimedOnesAreLeftAloneAbandonedOnesAreNot() throws Exception {
    List<Long> ids = graveyard.bury("orders", 0, 3);
    DeadLetters deadLetters = operator();
    deadLetters.claim(ALL.ids(ids.subList(0, 1)), Duration.ofHours(1));
    DeadLetterClaim late = deadLetters.claim(ALL.ids(ids.subList(1, 2)), Duration.ofHours(1));
    graveyard.set("deadline = 7", late.ids());

    assertThat(deadLetters.requeue(ALL)).isEqualTo(2);
    assertThatThrownBy(() -> deadLetters.resolve(late))
        .isInstanceOf(DeadLetterException.ClaimLost.class);
    assertThat(incoming()).isEqualTo(2);
  }

  @Test
  void oneWithoutABodyStaysAndHoldsNobodyUp() throws Exception {
    List<Long> lost = graveyard.bury("orders", 0, 100, "", Graveyard.FIRST);
    graveyard.bury("orders", 0, 1, "test", Graveyard.FIRST.plusSeconds(1_000));
    DeadLetters deadLetters = operator();

    assertThat(deadLetters.requeue(ALL)).isEqualTo(1);
    assertThat(deadLetters.requeue(ALL)).isZero();
    assertThat(deadLetters.count(ALL.type(""))).isEqualTo(lost.size());
    assertThat(deadLetters.discard(ALL)).isEqualTo(100);
  }

  @Test
  void aSecondRequeueNamesTheMessageBefore() throws Exception {
    List<Long> ids = graveyard.bury("orders", 0, 1);
    graveyard.set("headers = 'a: b\n" + DeadLetters.REQUEUE_HEADER + ": 17', message_id = 42", ids);
    DeadLetters deadLetters = operator();
    assertThat(deadLetters.requeue(ALL)).isEqualTo(1);
    assertThat(
            graveyard.number(
                "select count(*) from waybill_outbox_body where headers = 'a: b\n"
                    + DeadLetters.REQUEUE_HEADER
                    + ": 42'"))
        .isEqualTo(1);
  }

  @Test
  void theRetentionRemovesWhatIsDoneInPieces() throws Exception {
    List<Long> done = graveyard.bury("orders", 0, 2_500);
    graveyard.set("status = 'discarded', completed_at = 7", done);
    List<Long> kept = graveyard.bury("orders", 1, 2);
    DeadLetters operator = operator();
    operator.discard(ALL.ids(kept.subList(0, 1)));

    start(
        o ->
            o.deadLetterRetention(Duration.ofDays(30))
                .queue("orders", Partitions.of(4))
                .produceOnly());

    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (operator.count(ALL.anyStatus()) > 2 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(operator.list(ALL.anyStatus()))
        .extracting(DeadLetter::id)
        .containsExactlyInAnyOrderElementsOf(kept);
  }
}

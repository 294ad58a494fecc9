package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.Waybill;
import dev.waybill.spi.OutboxListener;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Signals;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Making messages of dead letters. */
@EveryDatabase(alsoOldest = true)
class DeadLetterRequeueTest {
  private static final DeadLetterFilter ALL = DeadLetterFilter.defaults();

  private final FaultyDataSource watched;
  private final Graveyard graveyard;
  private final Received received = new Received();
  private final AtomicInteger enqueued = new AtomicInteger();
  private final Signals signals = new Signals();
  private final List<Waybill> running = new ArrayList<>();

  private final DatabaseProduct product;

  DeadLetterRequeueTest(TestDatabase database) {
    product = database.product();
    TestDatabase fresh = Migrated.on(database);
    watched = new FaultyDataSource(fresh.dataSource());
    graveyard = new Graveyard(fresh);
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

  private long incoming() throws SQLException {
    return graveyard.incoming();
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
    String headers = "'a: b\n" + DeadLetters.REQUEUE_HEADER + ": 42'";
    assertThat(
            graveyard.number(
                product == DatabaseProduct.POSTGRESQL
                    ? "select count(*) from waybill_outbox_incoming where position(convert_to("
                        + headers
                        + ", 'UTF8') in cargo) > 0"
                    : "select count(*) from waybill_outbox_body where headers = " + headers))
        .isEqualTo(1);
  }
}

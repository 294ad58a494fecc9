package dev.waybill.internal.store;

import static dev.waybill.internal.store.Background.promptly;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Two sessions at the same partition, one of them stopped in the middle of its transaction: what
 * the other may not wait for, and what it must not see.
 */
@EveryDatabase(alsoOldest = true)
class StoreRaceTest {
  private static final String ONE_WRITER = "a transaction that writes has the whole database";

  private final TestDatabase database;
  private final Stores stores;
  private final List<Long> partitions;
  private final long first;

  StoreRaceTest(TestDatabase database, TestInfo test) {
    this.database = database;
    this.stores = new Stores(database);
    this.partitions = stores.queue(test.getTestMethod().orElseThrow().getName(), 2);
    this.first = partitions.get(0);
  }

  private MessageStore messages() {
    return stores.messages;
  }

  /** A producer with the isolation its database gives it by default. */
  private Connection producer() throws SQLException {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    return connection;
  }

  private void enqueue(Connection producer, String... payloads) {
    for (String payload : payloads) {
      messages().enqueue(stores.database.join(producer), List.of(Stores.message(first, payload)));
    }
  }

  private Map<Long, Integer> sequence() {
    return messages().sequence(new long[] {first}, 100);
  }

  private List<StoredMessage> numbered() {
    Delivery all = messages().lease(first, "reader", Duration.ZERO, 1_000).orElseThrow();
    return all.messages();
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = ONE_WRITER)
  void anOpenProducerBlocksNobodyAndIsNumberedAfterItsCommit() throws Exception {
    try (Connection late = producer();
        Connection never = producer();
        Connection early = producer()) {
      enqueue(late, "late 1");
      enqueue(never, "never");
      enqueue(early, "early");
      promptly(
          () -> {
            early.commit();
            return true;
          });
      assertThat(promptly(this::sequence)).containsOnly(entry(first, 1));
      enqueue(late, "late 2");
      assertThat(promptly(this::sequence)).containsOnly(entry(first, 0));
      never.rollback();
      late.commit();
    }
    assertThat(sequence()).containsOnly(entry(first, 2));

    assertThat(numbered())
        .extracting(StoredMessage::seq, Stores::text)
        .containsExactly(tuple(1L, "early"), tuple(2L, "late 1"), tuple(3L, "late 2"));
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = ONE_WRITER)
  void producersDoNotWaitForASequencer() throws Exception {
    stores.enqueue(first, "a", "b");
    try (HeldCommit held = new HeldCommit(database.dataSource())) {
      Stores slow = new Stores(held.source());
      Background<Map<Long, Integer>> sequencer =
          Background.run(() -> slow.messages.sequence(new long[] {first}, 100));
      held.awaitReached();

      promptly(() -> stores.enqueue(first, "c", "d"));
      assertThat(sequencer.isDone()).isFalse();
      held.release();
      assertThat(sequencer.get()).containsOnly(entry(first, 2));
    }
    assertThat(sequence()).containsOnly(entry(first, 2));
    assertThat(numbered()).extracting(Stores::text).containsExactly("a", "b", "c", "d");
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = ONE_WRITER)
  void whatAnotherPromotesIsLeftToItAndNobodyWaits() throws Exception {
    NewMessage later =
        new NewMessage(first, "test", null, Map.of(), new byte[0], null, Duration.ofHours(1));
    stores.database.transact(tx -> messages().enqueue(tx, List.of(later, later, later)));
    database.execute("update waybill_outbox_delayed set due_at = 1");
    try (Connection other = producer();
        Statement lock = other.createStatement()) {
      other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      lock.executeQuery(
              "select id from waybill_outbox_delayed order by due_at, id limit 2 for update")
          .close();
      assertThat(promptly(() -> messages().promote(10))).containsOnly(entry(first, 1));
      other.rollback();
    }
    assertThat(messages().promote(10)).containsOnly(entry(first, 2));
    assertThat(sequence()).containsOnly(entry(first, 3));
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = ONE_WRITER)
  void aSecondSequencerLeavesThePartitionAndTakesTheOthers() throws Exception {
    long second = partitions.get(1);
    stores.enqueue(first, "a", "b");
    stores.enqueue(second, "x");
    try (HeldCommit held = new HeldCommit(database.dataSource())) {
      Stores slow = new Stores(held.source());
      Background<Map<Long, Integer>> sequencer =
          Background.run(() -> slow.messages.sequence(new long[] {first}, 100));
      held.awaitReached();
      stores.enqueue(first, "c");

      assertThat(promptly(() -> messages().sequence(new long[] {first, second}, 100)))
          .containsOnly(entry(second, 1));
      assertThat(promptly(() -> messages().state(first)).sequence()).isZero();
      assertThat(promptly(() -> messages().lease(first, "me", Stores.MINUTE, 10))).isEmpty();
      held.release();
      sequencer.get();
    }
    assertThat(sequence()).containsOnly(entry(first, 1));
    assertThat(numbered())
        .extracting(StoredMessage::seq, Stores::text)
        .containsExactly(tuple(1L, "a"), tuple(2L, "b"), tuple(3L, "c"));
  }

  @Test
  void manySequencersNumberEachMessageOnce() throws Exception {
    List<Background<Integer>> sequencers =
        IntStream.range(0, 4)
            .mapToObj(
                i ->
                    Background.run(
                        () -> {
                          int mine = 0;
                          while (messages().state(first).sequence() < 60) {
                            mine += sequence().getOrDefault(first, 0);
                          }
                          return mine;
                        }))
            .toList();
    for (int i = 0; i < 60; i++) {
      stores.enqueue(first, "m" + i);
    }
    int numbered = 0;
    for (Background<Integer> each : sequencers) {
      numbered += each.get();
    }
    assertThat(numbered).isEqualTo(60);
    assertThat(numbered())
        .extracting(StoredMessage::seq, Stores::text)
        .containsExactlyElementsOf(
            IntStream.range(0, 60).mapToObj(i -> tuple(i + 1L, "m" + i)).toList());
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = ONE_WRITER)
  void whileATransactionalHandlerRunsNobodyElseHasItsPartitionAndNobodyWaits() throws Exception {
    stores.enqueue(first, "a", "b", "c");
    sequence();
    try (Connection handler = producer()) {
      var tx = stores.database.join(handler);
      Delivery mine = messages().lock(tx, first, 2).orElseThrow();
      assertThat(mine.messages()).hasSize(2);

      assertThat(promptly(() -> lockedByAnother())).isEmpty();
      promptly(() -> stores.enqueue(first, "d"));
      assertThat(promptly(this::sequence)).containsOnly(entry(first, 1));
      assertThat(promptly(() -> messages().vacuum(first, Duration.ZERO, 10)).messages()).isZero();
      assertThat(promptly(() -> messages().releaseAll("somebody"))).isZero();
      assertThat(promptly(() -> stores.queues.backlog())).isNotEmpty();
      messages().move(tx, first, CursorMove.doneUpTo(2), List.of());
      assertThat(promptly(() -> lockedByAnother())).isEmpty();
      handler.commit();
    }
    assertThat(lockedByAnother().orElseThrow()).containsExactly("c", "d");
  }

  private Optional<List<String>> lockedByAnother() {
    return stores.database.transact(
        tx ->
            messages()
                .lock(tx, first, 10)
                .map(
                    delivery ->
                        delivery.messages().stream()
                            .map(each -> String.valueOf(Stores.text(each)))
                            .toList()));
  }

  @Test
  void ofManyWhoWantALeaseOneGetsIt() throws Exception {
    stores.enqueue(first, "a");
    sequence();
    for (int round = 1; round <= 5; round++) {
      List<Background<Optional<Delivery>>> all =
          IntStream.range(0, 6)
              .mapToObj(
                  i ->
                      Background.run(
                          () -> messages().lease(first, "owner " + i, Stores.MINUTE, 10)))
              .toList();
      List<Integer> winners = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        if (all.get(i).get().isPresent()) {
          winners.add(i);
        }
      }
      assertThat(winners).hasSize(1);
      assertThat(messages().state(first).epoch()).isEqualTo(round);
      assertThat(messages().releaseAll("owner " + winners.get(0))).isEqualTo(1);
    }
  }

  @Test
  void aLeaseThatHasEndedIsTakenOverAndItsOwnerChangesNothingAnyMore() {
    stores.enqueue(first, "a", "b");
    sequence();
    Delivery before = messages().lease(first, "zombie", Duration.ofMillis(1), 1).orElseThrow();
    Lease zombie = new Lease(first, "zombie", before.epoch(), Stores.MINUTE);
    Optional<Delivery> after = Optional.empty();
    while (after.isEmpty()) {
      after = messages().lease(first, "heir", Stores.MINUTE, 1);
    }
    assertThat(after.get().epoch()).isGreaterThan(before.epoch());
    assertThat(after.get().messages()).extracting(Stores::text).containsExactly("a");

    assertThat(messages().renew(zombie)).isFalse();
    assertThat(messages().next(zombie, 1, 1)).isEmpty();
    assertThat(messages().end(zombie, CursorMove.doneUpTo(2), List.of())).isFalse();
    assertThat(messages().releaseAll("zombie")).isZero();
    PartitionState state = messages().state(first);
    assertThat(state.processedSeq()).isZero();
    assertThat(state.leaseOwner()).isEqualTo("heir");
    messages().releaseAll("heir");
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.SQLITE, DatabaseProduct.POSTGRESQL},
      why = ONE_WRITER + " on SQLite; PostgreSQL clears whole slots: see RotationRaceTest")
  void theVacuumMindsNeitherAnOpenProducerNorAnotherVacuum() throws Exception {
    stores.enqueue(first, "a", "b");
    sequence();
    Delivery done = messages().lease(first, "me", Stores.MINUTE, 10).orElseThrow();
    messages()
        .end(
            new Lease(first, "me", done.epoch(), Stores.MINUTE), CursorMove.doneUpTo(2), List.of());
    try (Connection open = producer();
        HeldCommit held = new HeldCommit(database.dataSource())) {
      enqueue(open, "c");
      Stores slow = new Stores(held.source());
      Background<MessageStore.Vacuumed> vacuum =
          Background.run(() -> slow.messages.vacuum(first, Duration.ZERO, 10));
      held.awaitReached();
      assertThat(promptly(() -> messages().vacuum(first, Duration.ZERO, 10)))
          .isEqualTo(new MessageStore.Vacuumed(0, 0));
      promptly(() -> stores.enqueue(first, "d"));
      assertThat(promptly(this::sequence)).containsOnly(entry(first, 1));
      held.release();
      assertThat(vacuum.get()).isEqualTo(new MessageStore.Vacuumed(1, 2));
      open.commit();
    }
    sequence();
    assertThat(numbered()).extracting(Stores::text).containsExactly("d", "c");
  }

  @Test
  void aQueueThatChangesItsKindOfDeliveryKeepsItsCursor() {
    stores.enqueue(first, "a", "b", "c");
    sequence();
    Delivery leased = messages().lease(first, "old", Stores.MINUTE, 1).orElseThrow();
    // A process of the new release leaves the partition to the lease's owner ...
    assertThat(lockedByAnother()).isEmpty();
    Lease zombie = new Lease(first, "old", leased.epoch(), Stores.MINUTE);
    assertThat(messages().next(zombie, 1, 1)).isPresent();
    stores.database.single(
        tx -> tx.query("update waybill_outbox_processor set lease_until = 1").update());
    // ... until it ends; and then the owner can no longer set the cursor back.
    stores.database.transact(
        tx -> {
          assertThat(messages().lock(tx, first, 10)).isPresent();
          messages().move(tx, first, CursorMove.doneUpTo(3), List.of());
          return true;
        });
    assertThat(messages().end(zombie, CursorMove.doneUpTo(2), List.of())).isFalse();
    assertThat(messages().state(first).processedSeq()).isEqualTo(3);
  }
}

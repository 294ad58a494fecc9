package dev.waybill.internal.store;

import static dev.waybill.internal.store.Background.promptly;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Who may park, who may take what is parked, and who has to wait for whom: nobody. */
@EveryDatabase(alsoOldest = true)
class ParkedStoreTest {
  private final TestDatabase database;
  private final Stores stores;
  private final ParkedStore parked;
  private final long first;

  ParkedStoreTest(TestDatabase database, TestInfo test) {
    this.database = database;
    this.stores = new Stores(database);
    this.parked = new ParkedStore(stores.database);
    this.first = stores.queue(test.getTestMethod().orElseThrow().getName(), 1).get(0);
  }

  private MessageStore messages() {
    return stores.messages;
  }

  private Map<Long, Integer> sequence() {
    return messages().sequence(new long[] {first}, 100);
  }

  /** Numbers messages of the key {@code a} with these texts, and takes the lease. */
  private Delivery leased(String owner, String... texts) {
    List<NewMessage> all = new ArrayList<>();
    for (String text : texts) {
      byte[] payload = text.getBytes(StandardCharsets.UTF_8);
      all.add(new NewMessage(first, "test", "a", Map.of("h", text), payload, null, null));
    }
    stores.database.transact(tx -> messages().enqueue(tx, all));
    sequence();
    return messages().lease(first, owner, Stores.MINUTE, 10).orElseThrow();
  }

  private static List<NewParked> all(Delivery delivery) {
    List<NewParked> parked = new ArrayList<>();
    for (StoredMessage each : delivery.messages()) {
      parked.add(
          parked.isEmpty()
              ? new NewParked(each, 1, "busy", Duration.ZERO)
              : NewParked.follower(each));
    }
    return parked;
  }

  private Lease lease(String owner, Delivery delivery) {
    return new Lease(first, owner, delivery.epoch(), Stores.MINUTE);
  }

  /** Parks messages with these texts; the first is due. */
  private void park(String... texts) {
    Delivery delivery = leased("parker", texts);
    long last = delivery.messages().get(delivery.messages().size() - 1).seq();
    assertThat(
            messages()
                .end(
                    lease("parker", delivery), CursorMove.doneUpTo(last), List.of(), all(delivery)))
        .isTrue();
  }

  private List<String> texts(ParkedLane lane) {
    return lane.delivery().messages().stream()
        .map(each -> String.valueOf(Stores.text(each)))
        .toList();
  }

  private void takenOver() {
    stores.database.single(
        tx -> tx.query("update waybill_outbox_processor set lease_until = 1").update());
  }

  @Test
  void whoLostTheLeaseParksNothing() {
    Delivery before = leased("zombie", "a1", "a2");
    takenOver();
    Delivery after = messages().lease(first, "heir", Stores.MINUTE, 10).orElseThrow();

    assertThat(
            messages().end(lease("zombie", before), CursorMove.doneUpTo(2), List.of(), all(before)))
        .isFalse();
    PartitionState state = messages().state(first);
    assertThat(state.parked()).isZero();
    assertThat(state.processedSeq()).isZero();
    assertThat(parked.lanes(first).lanes()).isEmpty();
    assertThat(messages().end(lease("heir", after), CursorMove.doneUpTo(2), List.of(), all(after)))
        .isTrue();
    assertThat(messages().state(first).parked()).isEqualTo(2);
    assertThat(parked.lanes(first).lanes()).containsExactly(ParkedStore.lane("a"));
  }

  @Test
  void whoLostTheLeaseOfALaneChangesNothing() {
    park("a1", "a2");
    ParkedLane before = parked.lease(first, "zombie", Stores.MINUTE, 10).orElseThrow();
    assertThat(parked.lease(first, "heir", Stores.MINUTE, 10)).isEmpty();
    takenOver();
    ParkedLane after = parked.lease(first, "heir", Stores.MINUTE, 10).orElseThrow();
    assertThat(texts(after)).isEqualTo(texts(before)).containsExactly("a1");
    assertThat(after.delivery().attempts()).isEqualTo(before.delivery().attempts() + 1);

    ParkedMove done = new ParkedMove(before.lane(), 1, 1, 0, null, Duration.ZERO);
    NewDeadLetter letter = new NewDeadLetter(first, before.delivery().messages().get(0), "no", 1);
    assertThat(parked.end(lease("zombie", before.delivery()), done, List.of(letter))).isFalse();
    assertThat(messages().state(first).parked()).isEqualTo(2);
    assertThat(parked.end(lease("heir", after.delivery()), done, List.of())).isTrue();
    assertThat(messages().state(first).parked()).isEqualTo(1);
    ParkedLane next = parked.lease(first, "heir", Stores.MINUTE, 10).orElseThrow();
    assertThat(texts(next)).containsExactly("a2");
    assertThat(next.delivery().attempts()).isEqualTo(1);
    assertThat(
            parked.end(
                lease("heir", next.delivery()),
                new ParkedMove(next.lane(), 1, 2, 0, null, Duration.ZERO),
                List.of()))
        .isTrue();
    assertThat(messages().state(first).parked()).isZero();
    assertThat(stores.queues.backlog()).noneMatch(each -> each.partitionId() == first);
  }

  @Test
  void ofManyWhoWantALaneOneGetsIt() throws Exception {
    park("a1");
    for (int round = 0; round < 3; round++) {
      List<Background<Optional<ParkedLane>>> all =
          IntStream.range(0, 5)
              .mapToObj(
                  i -> Background.run(() -> parked.lease(first, "owner " + i, Stores.MINUTE, 10)))
              .toList();
      List<Integer> winners = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        if (all.get(i).get().isPresent()) {
          winners.add(i);
        }
      }
      assertThat(winners).hasSize(1);
      assertThat(messages().releaseAll("owner " + winners.get(0))).isEqualTo(1);
    }
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "a transaction that writes has the whole database")
  void whileATransactionHasALaneNobodyElseHasThePartitionAndNobodyWaits() throws Exception {
    park("a1", "a2");
    stores.enqueue(first, "b1");
    sequence();
    try (Connection handler = database.connect()) {
      handler.setAutoCommit(false);
      var tx = stores.database.join(handler);
      ParkedLane mine = parked.lock(tx, first, 10).orElseThrow();
      assertThat(texts(mine)).containsExactly("a1");

      assertThat(promptly(() -> inTransaction(true))).isFalse();
      assertThat(promptly(() -> inTransaction(false))).isFalse();
      promptly(() -> stores.enqueue(first, "b2"));
      assertThat(promptly(this::sequence)).containsOnly(entry(first, 1));
      assertThat(promptly(() -> messages().vacuum(first, Duration.ZERO, 10))).isNotNull();
      assertThat(promptly(() -> stores.queues.backlog())).isNotEmpty();
      parked.move(tx, first, new ParkedMove(mine.lane(), 1, 1, 0, null, Duration.ZERO), List.of());
      assertThat(promptly(() -> inTransaction(true))).isFalse();
      handler.commit();
    }
    assertThat(inTransaction(true)).isTrue();
    assertThat(inTransaction(false)).isTrue();
    assertThat(messages().state(first).parked()).isEqualTo(1);
  }

  /** Whether a transaction can have the partition now. */
  private boolean inTransaction(boolean lane) {
    return stores.database.transact(
        tx ->
            lane
                ? parked.lock(tx, first, 1).isPresent()
                : messages().lock(tx, first, 1).isPresent());
  }

  @Test
  void parkedMessagesKeepTheirPayloadWhenTheCursorsAreCleanedUpBehind() {
    park("a1", "a2");
    while (messages().vacuum(first, Duration.ZERO, 100).segments() > 0) {
      assertThat(messages().state(first).parked()).isEqualTo(2);
    }
    ParkedLane lane = parked.lease(first, "me", Stores.MINUTE, 10).orElseThrow();
    StoredMessage message = lane.delivery().messages().get(0);
    assertThat(Stores.text(message)).isEqualTo("a1");
    MessageBody body = Objects.requireNonNull(message.body());
    assertThat(body.headers()).containsEntry("h", "a1");
    assertThat(body.key()).isEqualTo("a");
    messages().releaseAll("me");
  }

  @Test
  void aLaneIsTriedNoSoonerThanItIsDueAndThoseBehindASuccessTogether() {
    park("a1", "a2", "a3", "a4");
    ParkedLane head = parked.lease(first, "me", Stores.MINUTE, 10).orElseThrow();
    ParkedMove later = new ParkedMove(head.lane(), 0, 0, 2, "busy", Duration.ofHours(1));
    parked.end(lease("me", head.delivery()), later, List.of());
    assertThat(parked.lease(first, "me", Stores.MINUTE, 10)).isEmpty();
    assertThat(messages().state(first).parkedDue())
        .isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    assertThat(stores.queues.backlog())
        .filteredOn(each -> each.partitionId() == first)
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.reckoned()).isTrue();
              assertThat(each.dueIn()).isGreaterThan(Duration.ofMinutes(59));
            });
    stores.database.transact(
        tx -> {
          parked.move(
              tx, first, new ParkedMove(head.lane(), 1, 1, 0, null, Duration.ZERO), List.of());
          return true;
        });
    ParkedLane rest = parked.lease(first, "me", Stores.MINUTE, 2).orElseThrow();
    assertThat(texts(rest)).containsExactly("a2", "a3");
    messages().releaseAll("me");
  }
}

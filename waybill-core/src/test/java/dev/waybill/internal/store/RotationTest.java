package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What becomes of messages while the slots they are in are turned, cleared and used again. */
@EveryDatabase(alsoOldest = true)
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "they delete")
class RotationTest {
  private final SlotsAtWork at;
  private final Stores stores;
  private final Rotation rotation;

  RotationTest(TestDatabase database) {
    at = new SlotsAtWork(database);
    stores = at.stores;
    rotation = at.rotation();
  }

  @Test
  void aSlotIsClearedWhenEveryCursorHasPassedIt() throws SQLException {
    stores.enqueue(at.first, "a", "b");
    stores.enqueue(at.second, "x");
    assertThat(at.slots()).isEqualTo(new Slots(1, 0, 6));
    assertThat(at.deliver(at.first)).containsExactly("a", "b");
    assertThat(at.turn(rotation)).isZero();
    assertThat(at.slots().head()).isEqualTo(2);
    assertThat(at.bytes("body", 1)).isPositive();
    assertThat(rotation.turn().waiting()).isTrue();

    assertThat(at.deliver(at.second)).containsExactly("x");
    stores.enqueue(at.first, "c");
    at.sequence();
    assertThat(at.bytes("outgoing", 2)).isPositive();
    assertThat(at.turn(rotation)).isEqualTo(3);

    assertThat(at.bytes("body", 1) + at.bytes("outgoing", 1)).isZero();
    assertThat(at.deliver(at.first)).containsExactly("c");
    at.turn(rotation);
    assertThat(rotation.isEmpty()).isTrue();
    assertThat(rotation.turn()).isEqualTo(new Rotation.Turned(0, false, false));
  }

  @Test
  void theSlotsGoRoundAndTheOrderStays() throws SQLException {
    for (int round = 0; round < 8; round++) {
      String text = "m" + round;
      stores.enqueue(at.first, text);
      assertThat(at.deliver(at.first)).containsExactly(text);
      assertThat(at.turn(rotation)).isEqualTo(1);
    }
    assertThat(at.bytes("body") + at.bytes("outgoing")).isZero();
    assertThat(at.bytes("incoming")).isLessThanOrEqualTo(8192);
    assertThat(stores.messages.state(at.first).processedSeq()).isEqualTo(8);
  }

  @Test
  void whatIsNotNumberedIsNotCleared() {
    stores.enqueue(at.first, "a");
    at.turn(rotation);
    stores.enqueue(at.first, "b");
    assertThat(at.turn(rotation)).isZero();

    assertThat(at.deliver(at.first)).containsExactly("a", "b");
    assertThat(at.turn(rotation)).isEqualTo(2);
  }

  @Test
  void retentionKeepsASlot() throws SQLException {
    stores.queues.register(
        List.of(
            new QueueStore.Wanted("orders", 2, Duration.ofHours(1)),
            new QueueStore.Wanted("other", 1, Duration.ZERO)));
    stores.enqueue(at.first, "a");
    at.deliver(at.first);
    assertThat(at.turn(rotation)).isZero();
    assertThat(at.bytes("outgoing", 1)).isPositive();

    stores.queues.register(List.of(new QueueStore.Wanted("orders", 2, Duration.ZERO)));
    assertThat(at.turn(rotation)).isEqualTo(1);
  }

  @Test
  void aDelayedMessagePinsNoSlot() throws SQLException {
    var later =
        new NewMessage(at.first, "test", null, Map.of(), new byte[1], null, Duration.ofHours(1));
    stores.database.transact(
        tx -> stores.messages.enqueue(tx, List.of(Stores.message(at.first, "now"), later)));
    assertThat(at.deliver(at.first)).containsExactly("now");
    assertThat(at.turn(rotation)).isEqualTo(1);
    assertThat(rotation.isEmpty()).isTrue();

    at.database.execute("update waybill_outbox_delayed set due_at = 1");
    assertThat(stores.messages.promote(10)).containsOnly(Map.entry(at.first, 1));
    assertThat(at.deliver(at.first)).hasSize(1);
    assertThat(stores.messages.vacuumDue()).hasSize(1);
    assertThat(stores.messages.vacuum(at.first, Duration.ofHours(1), 10).messages()).isZero();
    assertThat(stores.messages.vacuum(at.first, Duration.ZERO, 10))
        .isEqualTo(new MessageStore.Vacuumed(1, 1));
    assertThat(stores.messages.vacuumDue()).isEmpty();
    assertThat(at.number("select count(*) from waybill_outbox_body")).isZero();
  }

  @Test
  void whoHasAnOldIdeaOfTheSlotsLosesNothing() throws SQLException {
    Stores stale = new Stores(at.database.dataSource());
    Stores reader = new Stores(at.database.dataSource());
    stale.enqueue(at.first, "a");
    at.sequence();
    reader.messages.lease(at.first, "me", Duration.ZERO, 1);
    at.deliver(at.first);
    at.turn(rotation);
    assertThat(at.slots()).isEqualTo(new Slots(2, 1, 5));

    stale.enqueue(at.first, SlotsAtWork.heavy("b"));
    assertThat(at.bytes("body", 1)).isPositive();
    stores.enqueue(at.first, "c");
    at.sequence();
    // It knows slot 1 only, and looks again; its cursor is where the others have left it.
    List<StoredMessage> seen =
        reader.messages.lease(at.first, "me", Duration.ZERO, 10).orElseThrow().messages();
    assertThat(seen).extracting(Stores::text).containsExactly(SlotsAtWork.heavy("b"), "c");
    assertThat(seen).extracting(StoredMessage::seq).containsExactly(2L, 3L);

    // Slot 1 was taken for empty: who leaves it out finds a number missing.
    assertThat(at.deliver(at.first)).containsExactly("b", "c");
    assertThat(at.turn(rotation)).isEqualTo(2);
    assertThat(rotation.isEmpty()).isTrue();
  }

  @Test
  void aTransactionalReaderLooksAgainToo() {
    stores.enqueue(at.first, "a");
    at.deliver(at.first);
    at.turn(rotation);
    Stores stale = new Stores(at.database.dataSource());
    stale.enqueue(at.second, "knows slot 2");
    at.turn(rotation);
    at.deliver(at.second);
    at.turn(rotation);
    stores.enqueue(at.first, "b");
    at.sequence();

    List<StoredMessage> seen =
        stale
            .database
            .transact(tx -> stale.messages.lock(tx, at.first, 5))
            .orElseThrow()
            .messages();

    assertThat(seen).extracting(Stores::text).containsExactly("b");
  }

  @Test
  void aTurnThatWasToldButNotCommittedIsPutRight() throws SQLException {
    Slots wrong = at.slots().withHead(3).withIntake(2);
    at.database.execute("select setval('waybill_outbox_slots_sq', " + wrong.number() + ")");
    stores.enqueue(at.first, SlotsAtWork.heavy("a"));
    assertThat(at.bytes("body", 3)).isPositive();

    assertThat(rotation.turn().moved()).isTrue();
    assertThat(at.slots()).isEqualTo(new Slots(1, 0, 6));
    assertThat(at.deliver(at.first)).containsExactly("a");
    assertThat(at.turn(rotation)).isEqualTo(1);
    assertThat(rotation.isEmpty()).isTrue();
  }

  @Test
  void aTurnThatWasToldButNotCommittedIsMadeAgain() throws SQLException {
    stores.enqueue(at.first, "a");
    at.deliver(at.first);
    Slots turned = at.slots().withHead(2).withIntake(1);
    at.database.execute("select setval('waybill_outbox_slots_sq', " + turned.number() + ")");

    assertThat(at.turn(rotation)).isEqualTo(1);
    assertThat(rotation.isEmpty()).isTrue();
    assertThat(at.slots().head()).isEqualTo(2);
  }

  @Test
  void messagesOfSeveralSlotsAreNumberedTogetherInOneOrder() throws SQLException {
    Stores stale = new Stores(at.database.dataSource());
    stale.enqueue(at.second, "learns");
    stores.enqueue(at.second, "turns");
    rotation.turn();
    try (Connection one = at.database.connect();
        Connection two = at.database.connect()) {
      one.setAutoCommit(false);
      two.setAutoCommit(false);
      for (int i = 0; i < 9; i++) {
        // The first of each keeps to what it knows, the others go where they were told.
        Connection each = i % 3 == 0 ? one : two;
        Stores by = i % 3 == 0 ? stale : stores;
        String text = i == 4 ? "m4" : SlotsAtWork.heavy("m" + i);
        by.messages.enqueue(by.database.join(each), List.of(Stores.message(at.first, text)));
        if (i == 0) {
          at.database.execute("select setval('waybill_outbox_slots_sq', 97)");
          stale.enqueue(at.second, "told wrong");
          at.database.execute("select setval('waybill_outbox_slots_sq', 70)");
          stores.enqueue(at.second, "told right");
        }
      }
      one.commit();
      two.commit();
    }
    assertThat(at.number("select count(distinct tableoid) from waybill_outbox_body")).isEqualTo(2);

    assertThat(at.deliver(at.first))
        .containsExactlyElementsOf(IntStream.range(0, 9).mapToObj(i -> "m" + i).toList());
    assertThat(
            at.number("select count(*) from waybill_outbox_outgoing where cardinality(ids) <> n"))
        .isZero();
    at.deliver(at.second);
    at.turn(rotation);
    assertThat(rotation.isEmpty()).isTrue();
  }

  @Test
  void cargoPinsNoSlotAndIsReadFromTheOneItGetsTo() throws SQLException {
    Stores stale = new Stores(at.database.dataSource());
    Stores reader = new Stores(at.database.dataSource());
    stale.enqueue(at.second, "x", "y");
    assertThat(at.deliver(at.second)).containsExactly("x", "y");
    stale.enqueue(at.first, "cargo");
    assertThat(at.turn(rotation)).isEqualTo(2);
    assertThat(at.bytes("body") + at.bytes("outgoing")).isZero();
    assertThat(at.slots().leavesOut(1)).isTrue();

    reader.messages.lease(at.second, "learns", Duration.ZERO, 1);
    at.sequence();
    assertThat(at.bytes("outgoing", 1)).isPositive();
    assertThat(reader.messages.lease(at.first, "me", Duration.ZERO, 5).orElseThrow().messages())
        .extracting(Stores::text)
        .containsExactly("cargo");
    assertThat(at.deliver(at.first)).containsExactly("cargo");
    assertThat(at.turn(rotation)).isEqualTo(1);
    assertThat(rotation.isEmpty()).isTrue();
  }

  @Test
  void cargoIsCarriedLikeOthers() throws SQLException {
    Rotation roomy = SlotsAtWork.rotation(stores, 8192);
    stores.enqueue(at.first, "old 1");
    stores.enqueue(at.first, SlotsAtWork.heavy("old 2"));
    stores.enqueue(at.first, "old 3", "old 4");
    for (int round = 0; round < 12; round++) {
      String[] much = IntStream.range(0, 40).mapToObj(i -> "x".repeat(200)).toArray(String[]::new);
      stores.enqueue(at.second, much);
      stores.enqueue(at.first, "straggler " + round);
      assertThat(at.deliver(at.second)).hasSize(40);
      at.turn(roomy);
    }
    assertThat(at.bytes("outgoing", 0)).isPositive();

    List<String> texts = at.deliver(at.first);
    assertThat(texts).hasSize(16).startsWith("old 1", "old 2", "old 3", "old 4", "straggler 0");
    assertThat(texts).endsWith("straggler 11");
    while (stores.messages.vacuum(at.first, Duration.ZERO, 100).segments() > 0) {}
    at.turn(rotation);
    assertThat(rotation.isEmpty()).isTrue();
    assertThat(at.number("select count(*) from waybill_outbox_body")).isZero();
    assertThat(at.number("select count(*) from waybill_outbox_outgoing")).isZero();
  }

  @Test
  void whatAStragglerNeedsIsCarriedAndTheSlotIsCleared() throws SQLException {
    Rotation roomy = SlotsAtWork.rotation(stores, 8192);
    stores.enqueue(at.first, "old 1", "old 2", "old 3");
    for (int round = 0; round < 12; round++) {
      String[] much = IntStream.range(0, 40).mapToObj(i -> "x".repeat(200)).toArray(String[]::new);
      stores.enqueue(at.second, much);
      stores.enqueue(at.first, "straggler " + round);
      assertThat(at.deliver(at.second)).hasSize(40);
      at.turn(roomy);
    }
    assertThat(at.bytes("body")).isLessThan(8 * 8192L);
    assertThat(at.bytes("body", 0)).isPositive();

    List<String> texts = at.deliver(at.first);
    assertThat(texts).hasSize(15).startsWith("old 1", "old 2", "old 3", "straggler 0");
    assertThat(texts).endsWith("straggler 11");
    while (stores.messages.vacuum(at.first, Duration.ZERO, 100).segments() > 0) {}
    at.turn(rotation);
    assertThat(rotation.isEmpty()).isTrue();
    assertThat(at.number("select count(*) from waybill_outbox_body")).isZero();
    assertThat(at.number("select count(*) from waybill_outbox_outgoing")).isZero();
  }

  @Test
  void aBacklogIsNotCarriedAround() throws SQLException {
    Rotation roomy = SlotsAtWork.rotation(stores, 8192);
    for (int round = 0; round < 8; round++) {
      String[] much = IntStream.range(0, 40).mapToObj(i -> "x".repeat(200)).toArray(String[]::new);
      stores.enqueue(at.first, much);
      at.sequence();
      at.turn(roomy);
    }
    assertThat(at.bytes("body", 0)).isZero();
    assertThat(at.deliver(at.first)).hasSize(320);
    assertThat(at.turn(rotation)).isEqualTo(320);
  }
}

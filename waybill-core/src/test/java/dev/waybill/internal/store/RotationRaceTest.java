package dev.waybill.internal.store;

import static dev.waybill.internal.store.Background.promptly;
import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Somebody is in the middle of a transaction while a slot is turned or cleared: nothing that is
 * needed goes, and nobody waits longer than the short time for which a lock is asked.
 */
@EveryDatabase(alsoOldest = true)
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "they delete")
class RotationRaceTest {
  private final SlotsAtWork at;
  private final Stores stores;
  private final Rotation rotation;

  RotationRaceTest(TestDatabase database) {
    at = new SlotsAtWork(database);
    stores = at.stores;
    rotation = at.rotation();
  }

  private Connection transaction() throws SQLException {
    Connection connection = at.database.connect();
    connection.setAutoCommit(false);
    return connection;
  }

  private static void enqueue(Stores by, Connection in, long partition, String text) {
    String heavy = SlotsAtWork.heavy(text);
    by.messages.enqueue(by.database.join(in), List.of(Stores.message(partition, heavy)));
  }

  /** Everybody does what they do all the time. */
  private void everybodyGoesOn(String text) throws Exception {
    promptly(() -> stores.enqueue(at.second, text));
    assertThat(promptly(() -> at.deliver(at.second))).contains(text);
  }

  @Test
  void anOpenProducerKeepsItsSlotAndIsInNobodysWay() throws Exception {
    try (Connection open = transaction()) {
      enqueue(stores, open, at.first, "late");
      stores.enqueue(at.second, "x");
      at.deliver(at.second);
      assertThat(promptly(() -> at.turn(rotation))).isZero();
      assertThat(at.slots().head()).isEqualTo(2);
      everybodyGoesOn("y");
      assertThat(promptly(() -> rotation.clear(1))).isEqualTo(-1);
      assertThat(promptly(() -> rotation.clearIntake(0))).isFalse();
      everybodyGoesOn("z");
      // The slots beside it go on turning.
      for (int round = 0; round < 4; round++) {
        everybodyGoesOn("round " + round);
        promptly(() -> at.turn(rotation));
        assertThat(at.bytes("body", 1)).isPositive();
      }
      assertThat(at.bytes("body", 2) + at.bytes("body", 3)).isZero();
      open.commit();
    }
    assertThat(at.deliver(at.first)).containsExactly("late");
    at.turn(rotation);
    assertThat(rotation.isEmpty()).isTrue();
    assertThat(at.bytes("incoming", 0)).isZero();
  }

  @Test
  void whileASlotIsHeldItsLockIsAskedForEverLessOften() throws Exception {
    FaultyDataSource watched = new FaultyDataSource(at.database.dataSource());
    try (Connection open = transaction()) {
      enqueue(stores, open, at.first, "late");
      stores.enqueue(at.second, "x");
      at.deliver(at.second);
      at.turn(rotation);
      Rotation patient = SlotsAtWork.rotation(new Stores(watched), 1);
      watched.reset();
      for (int i = 0; i < 30; i++) {
        assertThat(patient.turn().waiting()).isTrue();
      }
      open.commit();
    }
    // At the 1st, 3rd, 7th and 15th of these looks; it is one of bodies and one of incoming.
    assertThat(watched.trace().stream().filter(made -> made.sql().startsWith("lock table")))
        .hasSize(2 * 4);
  }

  @Test
  void aProducerThatRollsBackLeavesNothing() throws Exception {
    try (Connection open = transaction()) {
      enqueue(stores, open, at.first, "never");
      at.turn(rotation);
      assertThat(at.bytes("body", 1)).isPositive();
      open.rollback();
    }
    at.turn(rotation);
    assertThat(rotation.isEmpty()).isTrue();
    assertThat(at.deliver(at.first)).isEmpty();
  }

  @Test
  void whoCommitsBetweenTheLookAndTheLockIsSeenUnderTheLock() throws Exception {
    Stores stale = new Stores(at.database.dataSource());
    try (Connection open = transaction()) {
      stores.enqueue(at.second, "x");
      enqueue(stale, open, at.first, "late");
      at.deliver(at.second);
      at.turn(rotation);
      assertThat(at.slots().leavesOut(1)).isTrue();
      at.database.execute("update waybill_outbox_rotation set unread = 4");
      // Its commits: what is needed, how many there are, leave it out; the fourth one clears.
      try (HeldCommit held = new HeldCommit(at.database.dataSource(), 3)) {
        Rotation slow = SlotsAtWork.rotation(new Stores(held.source()), 1);
        Background<Long> clearing = Background.run(() -> slow.clear(1));
        held.awaitReached();
        open.commit();
        held.release();
        assertThat(clearing.get()).isEqualTo(-1);
      }
    }
    assertThat(at.slots().leavesOut(1)).isFalse();
    assertThat(at.deliver(at.first)).containsExactly("late");
  }

  @Test
  void aProducerWithAnOldSlotWaitsForItsClearingAndThenWritesToIt() throws Exception {
    Stores stale = new Stores(at.database.dataSource());
    stale.enqueue(at.first, "a");
    at.deliver(at.first);
    rotation.turn();
    try (HeldCommit held = new HeldCommit(at.database.dataSource(), 4)) {
      Rotation slow = SlotsAtWork.rotation(new Stores(held.source()), 1);
      at.database.execute("update waybill_outbox_rotation set unread = 4");
      Background<Long> clearing = Background.run(() -> slow.clear(1));
      held.awaitReached();
      Background<long[]> late =
          Background.run(() -> stale.enqueue(at.first, SlotsAtWork.heavy("b")));
      at.awaitWaiting("waybill_outbox_body_1");
      Stores fresh = new Stores(at.database.dataSource());
      promptly(() -> fresh.enqueue(at.second, "x"));
      held.release();
      assertThat(clearing.get()).isEqualTo(1);
      assertThat(late.get()).hasSize(1);
    }
    assertThat(at.bytes("body", 1)).isPositive();
    assertThat(at.deliver(at.first)).containsExactly("b");
  }

  @Test
  void aProducerWithAnOldSnapshotWritesWhereverItLikes() throws Exception {
    try (Connection old = transaction()) {
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      try (var statement = old.createStatement()) {
        statement.execute("select 1 from pg_class");
      }
      for (int round = 0; round < 4; round++) {
        stores.enqueue(at.second, "x" + round);
        at.deliver(at.second);
        at.turn(rotation);
      }
      Stores stale = new Stores(at.database.dataSource());
      enqueue(stale, old, at.first, "old 1");
      at.turn(rotation);
      for (int round = 0; round < 4; round++) {
        stores.enqueue(at.second, "y" + round);
        at.deliver(at.second);
        at.turn(rotation);
      }
      enqueue(stale, old, at.first, "old 2");
      old.commit();
    }
    assertThat(at.deliver(at.first)).containsExactly("old 1", "old 2");
    at.turn(rotation);
    assertThat(rotation.isEmpty()).isTrue();
  }

  @Test
  void aRunningHandlerHoldsOnlyTheSlotsThatItReads() throws Exception {
    stores.enqueue(at.first, "a");
    at.sequence();
    rotation.turn();
    try (Connection handler = transaction()) {
      var tx = stores.database.join(handler);
      assertThat(stores.messages.lock(tx, at.first, 5)).isPresent();
      stores.messages.move(tx, at.first, CursorMove.doneUpTo(1), List.of());
      everybodyGoesOn("x");
      // Nobody needs slot 1 once this one commits; until then it is held, too.
      assertThat(promptly(() -> rotation.clear(1))).isEqualTo(-1);
      everybodyGoesOn("y");
      handler.commit();
    }
    assertThat(rotation.clear(1)).isEqualTo(1);

    stores.enqueue(at.first, "b");
    at.sequence();
    assertThat(at.slots().leavesOut(1)).isTrue();
    stores.messages.lease(at.second, "learns", Duration.ZERO, 1);
    try (Connection handler = transaction()) {
      assertThat(stores.messages.lock(stores.database.join(handler), at.first, 5)).isPresent();
      // As a producer with an old slot would leave it that rolls back.
      at.database.execute("insert into waybill_outbox_body_1 values (0, '', '', '', '')");
      assertThat(promptly(() -> rotation.clear(1))).isZero();
      handler.rollback();
    }
    assertThat(at.deliver(at.first)).containsExactly("b");
  }

  @Test
  void twoRotatorsDoNotWaitForEachOther() throws Exception {
    stores.enqueue(at.first, "a");
    at.deliver(at.first);
    try (HeldCommit held = new HeldCommit(at.database.dataSource(), 2)) {
      Rotation slow = SlotsAtWork.rotation(new Stores(held.source()), 1);
      Background<Rotation.Turned> turning = Background.run(slow::turn);
      held.awaitReached();
      assertThat(promptly(rotation::turn).moved()).isFalse();
      everybodyGoesOn("x");
      held.release();
      assertThat(turning.get().moved()).isTrue();
    }
    at.turn(rotation);
    assertThat(rotation.isEmpty()).isTrue();
  }

  @Test
  void aReaderSeesAMessageOnceWhileItIsCarried() throws Exception {
    Rotation roomy = SlotsAtWork.rotation(stores, 1);
    stores.enqueue(at.first, "a", "b");
    stores.enqueue(at.second, "x", "y", "z");
    at.deliver(at.second);
    at.sequence();
    roomy.turn();
    try (Connection carrier = transaction()) {
      var tx = stores.database.join(carrier);
      long carried =
          tx.sql("outbox_slot_1_carry").set("segments", 50).one(row -> row.number("messages"));
      assertThat(carried).isEqualTo(2);
      assertThat(promptly(() -> at.waiting(at.first)))
          .extracting(Stores::text)
          .containsExactly("a", "b");
      carrier.commit();
    }
    assertThat(at.waiting(at.first)).extracting(Stores::text).containsExactly("a", "b");
    assertThat(at.turn(rotation)).isEqualTo(3);
    assertThat(at.deliver(at.first)).containsExactly("a", "b");
  }

  @Test
  void producersDeliveriesAndRotatorsAtOnce() throws Exception {
    int each = 150;
    List<Background<Integer>> producers =
        List.of(at.first, at.second).stream()
            .map(
                partition ->
                    Background.run(
                        () -> {
                          Stores own = new Stores(at.database.dataSource());
                          for (int i = 0; i < each; i++) {
                            own.enqueue(partition, "m" + i);
                          }
                          return each;
                        }))
            .toList();
    Background<Boolean> rotator =
        Background.run(
            () -> {
              Rotation other = SlotsAtWork.rotation(new Stores(at.database.dataSource()), 1);
              while (!producers.stream().allMatch(Background::isDone)) {
                other.turn();
              }
              return true;
            });
    int[] next = {0, 0};
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (next[0] + next[1] < 2 * each) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      for (int p = 0; p < 2; p++) {
        for (String text : at.deliver(at.partitions.get(p))) {
          assertThat(text).isEqualTo("m" + next[p]++);
        }
      }
      rotation.turn();
    }
    for (Background<Integer> producer : producers) {
      producer.get();
    }
    rotator.get();
    at.turn(rotation);
    assertThat(rotation.isEmpty()).isTrue();
  }
}

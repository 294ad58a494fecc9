package dev.waybill.internal.store;

import static dev.waybill.internal.store.Background.promptly;
import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.store.LeaseRequest.End;
import dev.waybill.internal.store.LeaseRequest.Next;
import dev.waybill.internal.store.LeaseRequest.Take;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several partitions' leases in one transaction: each is answered as if it had asked alone. */
@EveryDatabase(alsoOldest = true)
class RoundTest {
  private final TestDatabase database;
  private final Stores stores;
  private final List<Long> partitions;

  RoundTest(TestDatabase database) {
    this.database = Migrated.on(database);
    stores = new Stores(this.database);
    partitions = stores.queue("orders", 4);
  }

  @BeforeEach
  void threeMessagesInEachPartition() {
    for (long partition : partitions) {
      stores.enqueue(partition, "a" + partition, "b" + partition, "c" + partition);
    }
    stores.messages.sequence(partitions.stream().mapToLong(Long::longValue).toArray(), 10);
  }

  private long at(int number) {
    return partitions.get(number);
  }

  private Take take(int number, int messages) {
    return new Take(at(number), Stores.MINUTE, messages);
  }

  private Lease lease(int number, Map<Long, Delivery> taken) {
    return new Lease(at(number), "me", answer(taken, number).epoch(), Stores.MINUTE);
  }

  private Delivery answer(Map<Long, Delivery> answers, int number) {
    return Objects.requireNonNull(answers.get(at(number)));
  }

  private List<String> texts(Map<Long, Delivery> answers, int number) {
    return answer(answers, number).messages().stream()
        .map(message -> String.valueOf(Stores.text(message)))
        .toList();
  }

  @Test
  void leasesAreTakenKeptAndEndedTogether() {
    Map<Long, Delivery> taken =
        stores.messages.round("me", List.of(take(0, 1), take(1, 2), take(2, 100)));

    assertThat(taken).containsOnlyKeys(at(0), at(1), at(2));
    assertThat(texts(taken, 0)).containsExactly("a" + at(0));
    assertThat(texts(taken, 1)).containsExactly("a" + at(1), "b" + at(1));
    assertThat(texts(taken, 2)).containsExactly("a" + at(2), "b" + at(2), "c" + at(2));
    assertThat(taken.values())
        .allSatisfy(
            each -> {
              assertThat(each.attempts()).isEqualTo(1);
              assertThat(each.epoch()).isEqualTo(1);
              assertThat(each.sequence()).isEqualTo(3);
            });

    var failed = new CursorMove(1, 1, "warehouse closed", Duration.ofMinutes(10));
    Map<Long, Delivery> settled =
        stores.messages.round(
            "me",
            List.of(
                new Next(lease(0, taken), 1, 10),
                new End(lease(1, taken), failed),
                new End(lease(2, taken), CursorMove.doneUpTo(3)),
                take(3, 1)));

    assertThat(settled).containsOnlyKeys(partitions);
    assertThat(texts(settled, 0)).containsExactly("b" + at(0), "c" + at(0));
    assertThat(answer(settled, 0).epoch()).isEqualTo(1);
    assertThat(answer(settled, 0).attempts()).isEqualTo(1);
    assertThat(texts(settled, 1)).isEmpty();
    assertThat(texts(settled, 2)).isEmpty();
    assertThat(texts(settled, 3)).containsExactly("a" + at(3));

    PartitionState kept = stores.messages.state(at(0));
    assertThat(kept.processedSeq()).isEqualTo(1);
    assertThat(kept.leaseOwner()).isEqualTo("me");
    assertThat(kept.lease()).isBetween(Duration.ofSeconds(30), Stores.MINUTE);
    PartitionState retried = stores.messages.state(at(1));
    assertThat(retried.processedSeq()).isEqualTo(1);
    assertThat(retried.attempts()).isEqualTo(1);
    assertThat(retried.lastError()).isEqualTo("warehouse closed");
    assertThat(retried.notBefore()).isGreaterThan(Duration.ofMinutes(9));
    assertThat(retried.leaseOwner()).isNull();
    PartitionState done = stores.messages.state(at(2));
    assertThat(done.processedSeq()).isEqualTo(3);
    assertThat(done.attempts()).isZero();
    assertThat(done.leaseOwner()).isNull();
    assertThat(done.lease()).isZero();
  }

  @Test
  void whatOneMayNotHaveIsMissingAndTheOthersGetTheirs() {
    Map<Long, Delivery> stale = stores.messages.round("me", List.of(take(0, 1), take(1, 1)));
    stores.messages.releaseAll("me");
    stores.messages.round("other", List.of(take(0, 1), take(3, 1)));
    stores.queues.pause("orders", 2, 2);

    Map<Long, Delivery> answers =
        stores.messages.round(
            "me",
            List.of(
                new Next(lease(0, stale), 1, 10),
                new End(lease(1, stale), CursorMove.doneUpTo(3)),
                take(2, 10),
                take(3, 10)));

    assertThat(answers).isEmpty();
    assertThat(stores.messages.state(at(0)).leaseOwner()).isEqualTo("other");
    assertThat(stores.messages.state(at(0)).processedSeq()).isZero();
    assertThat(stores.messages.state(at(1)).processedSeq()).isZero();
    assertThat(stores.messages.round("me", List.of(take(1, 1), take(3, 1))))
        .containsOnlyKeys(at(1));
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "there is one writer")
  void aPartitionThatAnotherIsTakingIsLeftToHim() throws Exception {
    // On PostgreSQL the first one asks which slots are in use.
    int nth = database.product() == DatabaseProduct.POSTGRESQL ? 2 : 1;
    try (HeldCommit held = new HeldCommit(database.dataSource(), nth)) {
      Stores slow = new Stores(held.source());
      Background<Optional<Delivery>> other =
          Background.run(() -> slow.messages.lease(at(1), "other", Stores.MINUTE, 1));
      held.awaitReached();

      assertThat(promptly(() -> stores.messages.round("me", List.of(take(0, 1), take(1, 1)))))
          .containsOnlyKeys(at(0));
      held.release();
      assertThat(other.get()).isPresent();
    }
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "there is one writer")
  void whatOneHoldsIsWaitedFor() throws Exception {
    Map<Long, Delivery> taken = stores.messages.round("me", List.of(take(0, 1), take(1, 1)));
    try (Connection operator = database.connect()) {
      operator.setAutoCommit(false);
      try (var statement = operator.createStatement()) {
        statement.execute(
            "update waybill_outbox_processor set last_error = 'x' where partition_id = " + at(1));
      }
      FaultyDataSource watched = new FaultyDataSource(database.dataSource());
      Stores slow = new Stores(watched);
      // On PostgreSQL and MySQL the statement that ends leases waits.
      Hold waits =
          watched
              .on(
                  Fault.sql(
                      sql ->
                          sql.contains("ours as") || sql.contains("c.lease_epoch = t.epoch and")))
              .hold();
      Background<Map<Long, Delivery>> round =
          Background.run(
              () ->
                  slow.messages.round(
                      "me",
                      List.of(
                          new End(lease(0, taken), CursorMove.doneUpTo(1)),
                          new End(lease(1, taken), CursorMove.doneUpTo(1)))));
      waits.awaitReached(Stores.MINUTE);
      waits.release();
      operator.commit();
      assertThat(round.get()).containsOnlyKeys(at(0), at(1));
    }
    assertThat(stores.messages.state(at(1)).processedSeq()).isEqualTo(1);
  }
}

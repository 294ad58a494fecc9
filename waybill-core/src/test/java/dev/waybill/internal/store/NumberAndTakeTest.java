package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.waybill.Migrated;
import dev.waybill.internal.store.LeaseRequest.Take;
import dev.waybill.internal.store.MessageStore.Numbered;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Messages are numbered and taken in one step if nothing is in the way, else only numbered. */
@EveryDatabase(alsoOldest = true)
class NumberAndTakeTest {
  private final Stores stores;
  private final long first;
  private final long second;

  NumberAndTakeTest(TestDatabase database) {
    stores = new Stores(Migrated.on(database));
    List<Long> partitions = stores.queue("orders", 2);
    first = partitions.get(0);
    second = partitions.get(1);
  }

  private Numbered visit(int limit, long... wanted) {
    List<Take> takes = new ArrayList<>();
    for (long each : wanted) {
      takes.add(new Take(each, Stores.MINUTE, limit));
    }
    return stores.messages.sequence(new long[] {first, second}, 100, "me", takes);
  }

  private static Delivery taken(Numbered visit, long partition) {
    return Objects.requireNonNull(visit.taken().get(partition));
  }

  @Test
  void whatFindsItsPartitionIdleIsTakenWithItsNumbers() {
    stores.enqueue(first, "a", "b");
    stores.enqueue(second, "c");

    Numbered visit = visit(10, first, second);

    assertThat(visit.counts()).containsOnly(entry(first, 2), entry(second, 1));
    Delivery delivery = taken(visit, first);
    assertThat(delivery.messages())
        .extracting(StoredMessage::seq, Stores::text)
        .containsExactly(tuple(1L, "a"), tuple(2L, "b"));
    assertThat(delivery)
        .extracting(Delivery::processedSeq, Delivery::attempts, Delivery::epoch, Delivery::sequence)
        .containsExactly(0L, 1, 1L, 2L);
    assertThat(taken(visit, second).messages()).extracting(Stores::text).containsExactly("c");
    assertThat(stores.messages.state(first).leaseOwner()).isEqualTo("me");
    Lease lease = new Lease(first, "me", delivery.epoch(), Stores.MINUTE);
    assertThat(stores.messages.end(lease, CursorMove.doneUpTo(2), List.of())).isTrue();
    assertThat(stores.messages.lease(first, "you", Stores.MINUTE, 10)).isEmpty();
  }

  @Test
  void noMoreIsTakenThanWasWanted() {
    stores.enqueue(first, "a", "b", "c");

    Delivery delivery = taken(visit(2, first), first);

    assertThat(delivery.messages()).extracting(Stores::text).containsExactly("a", "b");
    assertThat(delivery.hasMore()).isTrue();
    Lease lease = new Lease(first, "me", delivery.epoch(), Stores.MINUTE);
    assertThat(stores.messages.next(lease, 2, 10).orElseThrow().messages())
        .extracting(Stores::text)
        .containsExactly("c");
  }

  @Test
  void noMoreBytesAreTakenThanAProcessShouldHold() {
    String large = "x".repeat((int) MessageStore.MOST_BYTES / 2 + 1);
    stores.enqueue(first, large, large, large);

    Delivery delivery = taken(visit(10, first), first);

    assertThat(delivery.messages()).hasSizeBetween(1, 2);
    assertThat(delivery.hasMore()).isTrue();
  }

  @Test
  void whatIsNotWantedIsOnlyNumbered() {
    stores.enqueue(first, "a");
    stores.enqueue(second, "b");

    Numbered visit = visit(10, second);

    assertThat(visit.counts()).containsOnly(entry(first, 1), entry(second, 1));
    assertThat(visit.taken()).doesNotContainKey(first);
    assertThat(stores.messages.state(first).leaseOwner()).isNull();
  }

  @Test
  void whereNothingCameNothingIsTaken() {
    Numbered visit = visit(10, first);

    assertThat(visit.counts()).containsOnly(entry(first, 0), entry(second, 0));
    assertThat(visit.taken()).isEmpty();
    assertThat(stores.messages.state(first).epoch()).isZero();
  }

  @Test
  void aLeaseOfSomebodyElseIsLeftAlone() {
    stores.enqueue(first, "a");
    stores.messages.sequence(new long[] {first}, 10);
    Delivery theirs = stores.messages.lease(first, "you", Stores.MINUTE, 10).orElseThrow();
    stores.enqueue(first, "b");

    Numbered visit = visit(10, first);

    assertThat(visit.counts()).containsEntry(first, 1);
    assertThat(visit.taken()).isEmpty();
    Lease lease = new Lease(first, "you", theirs.epoch(), Stores.MINUTE);
    assertThat(stores.messages.next(lease, 1, 10).orElseThrow().messages())
        .extracting(Stores::text)
        .containsExactly("b");
  }

  @Test
  void whatIsPausedOrToWaitIsLeftAlone() {
    stores.enqueue(first, "a");
    stores.messages.sequence(new long[] {first}, 10);
    Delivery taken = stores.messages.lease(first, "me", Stores.MINUTE, 10).orElseThrow();
    stores.messages.end(
        new Lease(first, "me", taken.epoch(), Stores.MINUTE),
        new CursorMove(1, 1, "busy", Duration.ofMinutes(1)),
        List.of());
    stores.queues.pause("orders", 1, 1);
    stores.enqueue(first, "b");
    stores.enqueue(second, "c");

    Numbered visit = visit(10, first, second);

    assertThat(visit.counts()).containsOnly(entry(first, 1), entry(second, 1));
    assertThat(visit.taken()).isEmpty();
  }

  /** What waits for its number must not be delivered before what has one. */
  @Test
  void aPartitionWithABacklogGivesItsOldestOrNothing() {
    stores.enqueue(first, "a");
    stores.messages.sequence(new long[] {first}, 10);
    stores.enqueue(first, "b");

    Numbered visit = visit(10, first);

    assertThat(visit.counts()).containsEntry(first, 1);
    visit
        .taken()
        .values()
        .forEach(
            delivery ->
                assertThat(delivery.messages()).extracting(Stores::text).containsExactly("a", "b"));
  }

  @Test
  void severalLeasesEndTogetherAndOnlyThoseThatAreOurs() {
    stores.enqueue(first, "a");
    stores.enqueue(second, "b");
    stores.messages.sequence(new long[] {first, second}, 10);
    Delivery one = stores.messages.lease(first, "me", Stores.MINUTE, 10).orElseThrow();
    Delivery other = stores.messages.lease(second, "me", Stores.MINUTE, 10).orElseThrow();

    var ended =
        stores.messages.round(
            "me",
            List.of(
                new LeaseRequest.End(
                    new Lease(first, "me", one.epoch(), Stores.MINUTE),
                    new CursorMove(0, 1, "busy", Duration.ofMinutes(1))),
                new LeaseRequest.End(
                    new Lease(second, "me", other.epoch() + 1, Stores.MINUTE),
                    CursorMove.doneUpTo(1))));

    assertThat(ended).containsOnlyKeys(first);
    PartitionState first = stores.messages.state(this.first);
    assertThat(first.lastError()).isEqualTo("busy");
    assertThat(first.notBefore()).isPositive();
    assertThat(first.leaseOwner()).isNull();
    PartitionState second = stores.messages.state(this.second);
    assertThat(second.processedSeq()).isZero();
    assertThat(second.leaseOwner()).isEqualTo("me");
  }
}
